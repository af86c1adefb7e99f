import { beforeAll, describe, expect, test } from 'vitest';
import { oddServer } from './client-servers.ts';
import { collect, converse, textOf } from './client-session.ts';
import { makeReady } from './peers.mjs';
import { readyMs } from './try-features.ts';

beforeAll(makeReady, readyMs);

const slowMs = 1500;
const legacy = { era: 'legacy', version: '2025-11-25' };
const modern = { era: 'modern', version: '2026-07-28' };

interface Start {
  readonly server: string;
  readonly oddity: string;
  readonly delayMs?: number;
  readonly probeTimeoutMs?: number;
  readonly found: object;
  /** The methods its process has seen in the end. */
  readonly seen: string;
}

const hello = 'initialize notifications/initialized';
const starts: readonly Start[] = [
  {
    server: 'ends when anything but the handshake comes first',
    oddity: 'exits',
    found: legacy,
    seen: `${hello} tools/call tools/call`,
  },
  {
    server: 'does not answer what it does not know',
    oddity: 'silent',
    probeTimeoutMs: 200,
    found: legacy,
    seen: `server/discover ${hello} tools/call tools/call`,
  },
  {
    server: 'refuses the handshake once it was probed',
    oddity: 'pins',
    found: modern,
    seen: 'server/discover tools/call tools/call',
  },
  {
    server: 'starts for longer than silence is taken for an answer, and knows the legacy era',
    oddity: 'plain',
    delayMs: slowMs,
    probeTimeoutMs: 300,
    found: legacy,
    seen: `server/discover ${hello} tools/call tools/call`,
  },
  {
    server: 'starts for longer than silence is taken for an answer, and knows the modern era only',
    oddity: 'pins',
    delayMs: slowMs,
    probeTimeoutMs: 300,
    found: modern,
    seen: 'server/discover initialize tools/call tools/call',
  },
  {
    server: 'starts for long, and ends when anything but the handshake comes first',
    oddity: 'exits',
    delayMs: 1500,
    probeTimeoutMs: 300,
    found: legacy,
    seen: `${hello} tools/call tools/call`,
  },
  {
    server: 'knows the oldest revision only',
    oddity: 'old',
    found: { era: 'legacy', version: '2024-11-05' },
    seen: `server/discover ${hello} tools/call tools/call`,
  },
  {
    server: 'begins with a byte order mark and ends lines in two characters',
    oddity: 'bom',
    found: legacy,
    seen: `server/discover ${hello} tools/call tools/call`,
  },
];

describe('A session opens with a server that', () => {
  test.concurrent.each(starts.map((start) => [start.server, start] as const))(
    '%s',
    async (_name, start) => {
      const { oddity, delayMs, probeTimeoutMs, found, seen } = start;
      await using conversation = await converse(oddServer(oddity, delayMs), {
        ...(probeTimeoutMs !== undefined && { probeTimeoutMs }),
      });
      const { session } = conversation;
      expect(session).toMatchObject({ ...found, server: { name: `odd-${oddity}` } });
      expect(textOf(await session.callTool('echo', { text: 'hello' }))).toBe('hello');
      expect(textOf(await session.callTool('seen', {}))).toBe(seen);
      expect(session.stats).toMatchObject({ malformed: 0, handshakes: 1 });
    },
  );
});

describe('A server that prints to standard output whatever it likes', () => {
  test('is understood all the same, and what it printed is counted', async () => {
    await using conversation = await converse(oddServer('noisy'));
    const { session } = conversation;
    expect(session.era).toBe('legacy');
    for (const text of ['one', 'two']) {
      expect(textOf(await session.callTool('echo', { text }))).toBe(text);
    }
    expect((await collect(session.tools())).map(({ name }) => name)).toEqual(['echo', 'seen']);
    const { malformed, samples } = session.stats;
    expect(malformed).toBeGreaterThan(18_000);
    expect(samples.length).toBeLessThanOrEqual(10);
    expect(samples.join('\n')).toContain('Welcome to the noisy server!');
  });

  test('is refused by a session that is strict', async () => {
    const opening = converse(oddServer('noisy'), { strict: true });
    await expect(opening).rejects.toMatchObject({ name: 'KitError' });
  });
});

describe('A server that takes', () => {
  test.each(['string', 'number'] as const)('only ids that are a %s is spoken to', async (ids) => {
    await using conversation = await converse(oddServer(`${ids}-ids`), { ids });
    const { session } = conversation;
    expect(session).toMatchObject(legacy);
    expect(textOf(await session.callTool('echo', { text: 'hello' }))).toBe('hello');
  });
});

describe('A server that dies in the middle of a call', () => {
  test('fails that call in words, and is started anew for the next', async () => {
    await using conversation = await converse(oddServer('dies'));
    const { session } = conversation;
    const echo = async (text: string): Promise<string> =>
      textOf(await session.callTool('echo', { text }));
    expect(await echo('first')).toBe('first');
    await expect(echo('second')).rejects.toMatchObject({
      code: 'closed',
      cause: { code: 'process_failed', details: { exitCode: 7, stderr: 'out of luck\n' } },
    });
    expect(await echo('third')).toBe('third');
    expect(session.isOpen).toBe(true);
    expect(session.stats.handshakes).toBe(2);
  });

  test('ends a session that is not to heal', async () => {
    await using conversation = await converse(oddServer('dies'), { heal: false });
    const { session } = conversation;
    await session.callTool('echo', { text: 'first' });
    await expect(session.callTool('echo', { text: 'second' })).rejects.toMatchObject({
      code: 'closed',
    });
    await session.closed;
    expect(session.isOpen).toBe(false);
  });
});
