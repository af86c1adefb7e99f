import { createDeferred } from 'mcp-kit/internal';
import { memoryTarget } from 'mcp-kit/testing';
import { describe, expect, test } from 'vitest';
import { createFixture } from '../interop/fixture.mjs';
import { failure, newer, older, open, script, settle, text } from './client-script.ts';

describe.each(['legacy', 'modern'] as const)('in the %s era', (era) => {
  const waiting = () => script({ ...older, ...newer, 'tools/call': () => undefined });

  test('a cancelled call settles at once, and the server is told', async () => {
    const server = waiting();
    await using session = await open(server, { era });
    const stop = new AbortController();
    const call = failure(session.callTool('t', {}, { signal: stop.signal }));
    const { id } = await server.peer.nth('tools/call');
    const reason = new Error('no longer wanted');
    stop.abort(reason);
    expect(server.peer.of('notifications/cancelled')).toMatchObject([
      { params: { requestId: id } },
    ]);
    expect(await call).toMatchObject({ code: 'aborted', cause: reason });
    // What comes too late is for nobody.
    server.peer.say({ id, result: text('late') });
    server.peer.say({ id, result: text('later') });
    await settle();
    expect(session.stats.malformed).toBe(0);
  });

  test('a call that takes too long settles in time, and the server is told', async () => {
    const server = waiting();
    await using session = await open(server, { era });
    const error = await failure(session.callTool('t', {}, { timeoutMs: 20 }));
    expect(error).toMatchObject({ code: 'timeout' });
    expect(error.message).toContain('20 ms');
    expect(server.heard.at(-1)).toBe('notifications/cancelled');
  });

  test('the timeout of the session holds where a call has none', async () => {
    const server = waiting();
    await using session = await open(server, { era, timeoutMs: 20 });
    expect(await failure(session.callTool('t'))).toMatchObject({ code: 'timeout' });
  });

  test('a call whose signal has fired already is not sent', async () => {
    const server = waiting();
    await using session = await open(server, { era });
    const signal = AbortSignal.abort();
    expect(await failure(session.callTool('t', {}, { signal }))).toMatchObject({ code: 'aborted' });
    expect(server.peer.of('tools/call')).toEqual([]);
    expect(server.peer.of('notifications/cancelled')).toEqual([]);
  });

  test('a call that was answered is not cancelled by a signal that fires later', async () => {
    const server = script({ ...older, ...newer, 'tools/call': () => text('done') });
    await using session = await open(server, { era });
    const stop = new AbortController();
    await session.callTool('t', {}, { signal: stop.signal });
    stop.abort();
    expect(server.peer.of('notifications/cancelled')).toEqual([]);
  });

  test('the handler of a real server notices', async () => {
    const { server, waiting: room } = createFixture();
    await using session = await open(memoryTarget(server), { era });
    const stop = new AbortController();
    const call = failure(session.callTool('wait', { key: 'k' }, { signal: stop.signal }));
    await room.at('k').begun.promise;
    stop.abort();
    expect(await call).toMatchObject({ code: 'aborted' });
    await room.at('k').cancelled.promise;
  });

  test('every sign of progress gives more time', async () => {
    const server = waiting();
    await using session = await open(server, { era });
    const heard: unknown[] = [];
    const call = session.callTool(
      't',
      {},
      { timeoutMs: 250, onProgress: ({ progress }) => heard.push(progress) },
    );
    const { id, params } = await server.peer.nth('tools/call');
    expect(params?.['_meta']).toMatchObject({ progressToken: id });
    for (let step = 1; step <= 6; step += 1) {
      await new Promise((resolve) => setTimeout(resolve, 80));
      server.peer.notify('notifications/progress', { progressToken: id, progress: step });
    }
    server.peer.say({ id, result: text('done') });
    await call;
    expect(heard).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test('no progress goes beyond the absolute cap', async () => {
    const server = waiting();
    await using session = await open(server, { era });
    const onProgress = (): void => {};
    const call = failure(
      session.callTool('t', {}, { timeoutMs: 100, maxTotalMs: 150, onProgress }),
    );
    const { id } = await server.peer.nth('tools/call');
    const over = createDeferred<void>();
    const timer = setInterval(() => {
      server.peer.notify('notifications/progress', { progressToken: id, progress: 1 });
    }, 10);
    void call.then(() => over.resolve());
    await over.promise;
    clearInterval(timer);
    const error = await call;
    expect(error).toMatchObject({ code: 'timeout' });
    expect(error.message).toContain('150 ms');
    expect(server.heard.at(-1)).toBe('notifications/cancelled');
  });

  test('progress after the end is for nobody', async () => {
    const server = waiting();
    await using session = await open(server, { era });
    const heard: unknown[] = [];
    const stop = new AbortController();
    const onProgress = (progress: object): void => void heard.push(progress);
    const call = failure(session.callTool('t', {}, { signal: stop.signal, onProgress }));
    const { id } = await server.peer.nth('tools/call');
    stop.abort();
    server.peer.notify('notifications/progress', { progressToken: id, progress: 1 });
    await call;
    expect(heard).toEqual([]);
  });

  test('whoever makes a mistake in a progress listener still gets the answer', async () => {
    const server = waiting();
    await using session = await open(server, { era });
    const onProgress = (): void => {
      throw new Error('a bug of the host');
    };
    const call = session.callTool('t', {}, { onProgress });
    const { id } = await server.peer.nth('tools/call');
    server.peer.notify('notifications/progress', { progressToken: id, progress: 1 });
    server.peer.say({ id, result: text('done') });
    await call;
  });
});

test('what opens a conversation is never cancelled', async () => {
  const server = script({ 'server/discover': () => undefined, initialize: () => undefined });
  await failure(open(server, { probeTimeoutMs: 5, connectTimeoutMs: 30 }));
  expect(server.heard).toEqual(['server/discover', 'initialize']);
  const modern = script({
    ...newer,
    'server/discover': (params, call) =>
      call.peer.of('server/discover').length === 1
        ? newer['server/discover']?.(params, call)
        : undefined,
  });
  await using session = await open(modern);
  expect(await failure(session.ping({ timeoutMs: 10 }))).toMatchObject({ code: 'timeout' });
  expect(modern.heard).toEqual(['server/discover', 'server/discover']);
});

test('leaving a walk through pages early asks for nothing more', async () => {
  const server = script({
    ...older,
    'tools/list': () => ({ tools: [{ name: 'a', inputSchema: {} }], nextCursor: 'more' }),
  });
  await using session = await open(server);
  for await (const tool of session.tools()) {
    expect(tool.name).toBe('a');
    break;
  }
  expect(server.peer.of('tools/list')).toHaveLength(1);
});

test('a cancelled walk ends with the page it waits for', async () => {
  const server = script({ ...older, 'tools/list': () => undefined });
  await using session = await open(server);
  const stop = new AbortController();
  const walk = (async () => {
    for await (const _ of session.tools({ signal: stop.signal }));
  })();
  await server.peer.nth('tools/list');
  stop.abort();
  expect(await failure(walk)).toMatchObject({ code: 'aborted' });
});
