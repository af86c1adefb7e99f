import { KitError } from 'mcp-kit/internal';
import { createBridge } from 'mcp-kit/bridge';
import { expect, test, vi } from 'vitest';
import { envelope, text } from '../requirements/bridge-talk.ts';
import { older, script } from '../requirements/client-script.ts';
import { Child, mcpctl } from '../support/child-process.ts';
import { openPipe } from '../support/pipe.ts';

/** A legacy server that can be away. */
function moody() {
  const mood = { isAway: true };
  const dial = async (): Promise<never> => {
    if (mood.isAway) throw new KitError('process_failed', 'it does not start');
    return undefined as never;
  };
  return { mood, server: script({ ...older, 'tools/call': () => text }, { dial }) };
}

const call = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'any', arguments: {}, _meta: envelope },
};

test('A request for which no conversation could be opened is said not to have run', async () => {
  const { server, mood } = moody();
  await using bridge = createBridge(server.target, { era: 'legacy' });
  await using pipe = openPipe(bridge);
  const unsent = { data: { code: 'process_failed', mayHaveRun: false, retryable: true } };
  pipe.send(call);
  expect(await pipe.next()).toMatchObject({ id: 1, error: unsent });
  mood.isAway = false;
  pipe.send(call);
  expect(await pipe.next()).toMatchObject({ id: 1, result: text });
  mood.isAway = true;
  server.peer.hangUp();
  pipe.send(call);
  expect(await pipe.next()).toMatchObject({ id: 1, error: unsent });
});

test('A bridge whose health is asked for finds out by itself that its server is well again', async () => {
  const { server, mood } = moody();
  await using bridge = createBridge(server.target, { era: 'legacy' });
  await using pipe = openPipe(bridge);
  pipe.send(call);
  await pipe.next();
  expect(bridge.health()).toMatchObject({ status: 'degraded', reason: 'it does not start' });
  mood.isAway = false;
  await vi.waitUntil(() => bridge.health().status === 'ok', { timeout: 12_000, interval: 100 });
  await expect.poll(() => bridge.health().upstreams).toBe(0);
  expect(server.peers.every(({ isClosed }) => isClosed)).toBe(true);
});

test('A request that is too large is refused under its own name, wherever that is said', async () => {
  await using bridge = Child.mcpctl('bridge', '--', process.execPath, mcpctl, 'serve', '--stdio');
  const params = { name: 'any', arguments: { text: 'x'.repeat(17 * 1024 * 1024) } };
  const method = 'tools/call';
  const requests = [
    { jsonrpc: '2.0', id: 'first', method, params },
    { method, params, jsonrpc: '2.0', id: 'last' },
    { jsonrpc: '2.0', method, id: 7, params },
  ];
  for (const request of requests) {
    bridge.process.stdin.write(`${JSON.stringify(request)}\n`);
    const refused = { code: -32_600, message: expect.stringContaining('larger than') as string };
    expect(await bridge.answer(request.id)).toMatchObject({ error: refused });
  }
});
