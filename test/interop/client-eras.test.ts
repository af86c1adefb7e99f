import { createEraCache, type Session } from 'mcp-kit/client';
import type { Target } from 'mcp-kit/protocol';
import { callMcp } from 'mcp-kit/transport/http-client';
import { beforeAll, describe, expect, test } from 'vitest';
import { commands, oddServer, startServer, type ProgramName } from './client-servers.ts';
import { collect, converse, textOf } from './client-session.ts';
import { oneIn } from '../support/scale.ts';
import { makeReady } from './peers.mjs';
import { readyMs } from './try-features.ts';

beforeAll(makeReady, readyMs);

interface Place extends AsyncDisposable {
  readonly target: Target;
}

const started = (target: Target): Place => ({ target, [Symbol.asyncDispose]: async () => {} });
const wires = ['stdio', 'http'] as const;

describe.each(wires)('Over %s', (wire) => {
  test('insisting on the newest era fails in words where only the older is known', async () => {
    await using place =
      wire === 'stdio' ? started(commands['SDK v1']()) : await startServer('SDK v1 with sessions');
    await expect(converse(place.target, { era: 'modern' })).rejects.toThrow(
      /Method not found|not initialized/,
    );
  });

  test('insisting on the legacy era fails in words where only the modern one is known', async () => {
    const name = 'SDK v2 of the newest era only';
    await using place = wire === 'stdio' ? started(commands[name]()) : await startServer(name);
    await expect(converse(place.target, { era: 'legacy' })).rejects.toMatchObject({
      code: -32022,
      data: { supported: ['2026-07-28'] },
    });
  });

  test('a list is kept for as long as the server allows, or until it says otherwise', async () => {
    await using place =
      wire === 'stdio' ? started(commands['SDK v2']()) : await startServer('SDK v2');
    await using conversation = await converse(place.target);
    const { session, inbox } = conversation;
    const countLists = async (): Promise<string> =>
      textOf(await session.callTool('count_lists', {}));
    const first = await collect(session.tools());
    expect(await collect(session.tools())).toEqual(first);
    const asked = await countLists();
    const subscription = await session.listen({ toolsListChanged: true });
    await session.callTool('announce', {});
    await inbox.next('notifications/tools/list_changed');
    expect(await countLists()).toBe(asked);
    await collect(session.tools());
    expect(Number(await countLists())).toBe(Number(asked) + 1);
    subscription.close();
  });
});

test('A server of both eras that has not started when the handshake is sent is spoken to in the newest', async () => {
  // Long before any process is there.
  await using conversation = await converse(commands['SDK v2'](), { probeTimeoutMs: 1 });
  const { session } = conversation;
  expect(session.era).toBe('modern');
  const subscription = await session.listen({ toolsListChanged: true });
  await session.callTool('announce', {});
  await conversation.inbox.next('notifications/tools/list_changed');
  subscription.close();
});

describe('What is known of a server', () => {
  test('saves the next session the probe', async () => {
    const eraCache = createEraCache();
    const seen: string[] = [];
    for (let round = 0; round < 2; round += 1) {
      await using conversation = await converse(oddServer('plain'), { eraCache });
      seen.push(textOf(await conversation.session.callTool('seen', {})));
    }
    const handshake = 'initialize notifications/initialized tools/call';
    expect(seen).toEqual([`server/discover ${handshake}`, handshake]);
  });

  const replacements: readonly (readonly [ProgramName, ProgramName, Session['era']])[] = [
    ['SDK v1 with sessions', 'SDK v2 of the newest era only', 'modern'],
    ['SDK v1 without sessions', 'SDK v2 of the newest era only', 'modern'],
    ['SDK v2 of the newest era only', 'SDK v1 with sessions', 'legacy'],
  ];
  oneIn(2)(replacements)(
    'is not held against %s when %s takes its place',
    async (before, after, era) => {
      const eraCache = createEraCache();
      await using first = await startServer(before);
      await using earlier = await converse(first.target, { eraCache });
      expect(earlier.session.era).not.toBe(era);
      await first.kill();
      await using second = await startServer(after, first.port);
      await using later = await converse(second.target, { eraCache });
      expect(later.session.era).toBe(era);
      expect(textOf(await later.session.callTool('echo', { text: 'later' }))).toBe('later');
      // Only a modern server says so clearly that it is another.
      if (era === 'legacy') return;
      expect(textOf(await earlier.session.callTool('echo', { text: 'still' }))).toBe('still');
      expect(earlier.session.era).toBe(era);
    },
  );
});

describe('A single call without a session', () => {
  test.each(['SDK v1 without sessions', 'SDK v2', 'SDK v2 of the newest era only'] as const)(
    'reaches %s',
    async (name) => {
      await using server = await startServer(name);
      const url = `http://127.0.0.1:${server.port}/mcp`;
      const params = { name: 'echo', arguments: { text: 'hello' } };
      expect(await callMcp(url, 'tools/call', params)).toMatchObject({
        jsonrpc: '2.0',
        result: { content: [{ type: 'text', text: 'hello' }] },
      });
      expect(await callMcp(url, 'no/such')).toMatchObject({ error: { code: -32601 } });
    },
  );

  test('is refused by SDK v1 with sessions in its own words', async () => {
    await using server = await startServer('SDK v1 with sessions');
    const url = `http://127.0.0.1:${server.port}/mcp`;
    expect(await callMcp(url, 'tools/list')).toMatchObject({
      error: { code: -32000, message: 'Bad Request: Server not initialized' },
    });
  });
});
