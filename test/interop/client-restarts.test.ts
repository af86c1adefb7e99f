import type { Session } from 'mcp-kit/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startServer, targetAt, type ProgramName, type RunningServer } from './client-servers.ts';
import { collect, converse, textOf, type Conversation } from './client-session.ts';
import { isWhole } from '../support/scale.ts';
import { makeReady } from './peers.mjs';
import { readyMs } from './try-features.ts';

beforeAll(makeReady, readyMs);

/** One way to speak to a server that may have several. */
interface Way {
  readonly via: ProgramName;
  readonly era: 'legacy' | 'modern';
  /** To ask for the legacy era where the server has both. */
  readonly forced?: 'legacy';
}

interface Row {
  readonly server: ProgramName;
  readonly ways: readonly Way[];
  /** Starts in no time, so it may be started once more. */
  readonly quick?: boolean;
  /** Another stands for it where somebody waits. */
  readonly isLong?: boolean;
  /** What its tool `echo` calls its argument. */
  readonly argument?: string;
}

const alone = (server: ProgramName, era: Way['era']): Row => ({
  server,
  ways: [{ via: server, era }],
});

const rows: readonly Row[] = [
  { ...alone('SDK v1 with sessions', 'legacy'), quick: true },
  { ...alone('SDK v1 without sessions', 'legacy'), quick: true },
  {
    server: 'SDK v1 with two endpoints',
    quick: true,
    ways: [
      { via: 'SDK v1 with two endpoints', era: 'legacy' },
      { via: 'SDK v1 with two endpoints, found by falling back', era: 'legacy' },
    ],
  },
  {
    server: 'SDK v2',
    quick: true,
    ways: [
      { via: 'SDK v2', era: 'modern' },
      { via: 'SDK v2', era: 'legacy', forced: 'legacy' },
    ],
  },
  { ...alone('server-everything', 'legacy'), argument: 'message' },
  {
    ...alone('server-everything with two endpoints', 'legacy'),
    isLong: true,
    argument: 'message',
  },
  {
    server: 'mcp-proxy',
    ways: [
      { via: 'mcp-proxy', era: 'modern' },
      { via: 'mcp-proxy', era: 'legacy', forced: 'legacy' },
      { via: 'mcp-proxy with two endpoints', era: 'legacy' },
    ],
  },
  { ...alone('supergateway with sessions', 'legacy'), isLong: true },
  { ...alone('supergateway without sessions', 'legacy'), isLong: true },
  { ...alone('supergateway of the newest era', 'modern'), isLong: true },
  { ...alone('supergateway with two endpoints', 'legacy'), isLong: true },
];

/** Gateways take seconds to start on a busy machine. */
const slowMs = 60_000;

const tried = rows.filter(({ isLong = false }) => isWhole || !isLong);
const share = `${tried.length} of ${rows.length} servers`;

for (const { server: name, ways, quick = false, argument = 'text' } of tried) {
  describe(`${share}: with ${name},`, () => {
    const conversations = new Map<Way, Conversation>();
    let server: RunningServer | undefined;

    beforeAll(async () => {
      server = await startServer(name);
      for (const way of ways) {
        const target = targetAt(way.via, server.port);
        conversations.set(way, await converse(target, { era: way.forced ?? 'auto' }));
      }
    }, slowMs);
    afterAll(async () => {
      const all = [...conversations.values()];
      await Promise.all(all.map((conversation) => conversation[Symbol.asyncDispose]()));
      await server?.[Symbol.asyncDispose]();
    });

    const sessionOf = (way: Way): Session => {
      const conversation = conversations.get(way);
      if (conversation === undefined) throw new Error('not connected');
      return conversation.session;
    };
    const echo = async (way: Way, text: string): Promise<string> =>
      textOf(await sessionOf(way).callTool('echo', { [argument]: text }));
    const all = ways.map((way) => [way.via, way.era, way] as const);

    test.each(all)(
      'tools are found and called via %s, in the %s era',
      { timeout: slowMs },
      async (_via, era, way) => {
        const session = sessionOf(way);
        expect(session.era).toBe(era);
        expect((await collect(session.tools())).map((tool) => tool.name)).toContain('echo');
        const [one, two] = await Promise.all([echo(way, 'one'), echo(way, 'two')]);
        expect(one).toContain('one');
        expect(two).toContain('two');
      },
    );

    test('it is killed, and started where it was', { timeout: slowMs }, async () => {
      await server?.kill();
      await server?.start();
    });

    test.each(all)(
      'the next call works via %s, in the %s era',
      { timeout: slowMs },
      async (_via, era, way) => {
        expect(await echo(way, 'after')).toContain('after');
        expect(sessionOf(way).era).toBe(era);
      },
    );

    test('calls fail in words while it is gone', { timeout: slowMs }, async () => {
      await server?.kill();
      for (const way of ways) {
        await expect(echo(way, 'while it is gone')).rejects.toMatchObject({ name: 'KitError' });
        expect(sessionOf(way).isOpen).toBe(true);
      }
    });

    if (!quick) return;
    test('calls work when it is back', { timeout: slowMs }, async () => {
      await server?.start();
      for (const way of ways) expect(await echo(way, 'again')).toContain('again');
    });
  });
}
