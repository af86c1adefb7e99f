import { KitError } from 'mcp-kit/internal';
import { openSession, textOf, type SessionOptions } from 'mcp-kit/client';
import { callMcp, httpTarget } from 'mcp-kit/transport/http-client';
import { createManager } from '@mcp-kit/host';
import { describe, expect, test } from 'vitest';
import { failure, newer, older, open, script, settle, text } from './client-script.ts';

const waiting = { ...older, ...newer, 'tools/call': () => undefined };
const noTimes = [0, -1, Number.NaN];

describe('Times that are none are refused before anything is sent', () => {
  const names = ['timeoutMs', 'maxTotalMs', 'connectTimeoutMs', 'probeTimeoutMs'] as const;

  test.each(names.flatMap((name) => noTimes.map((ms) => [name, ms] as const)))(
    '%s of a session: %d',
    async (name, ms) => {
      const server = script(waiting);
      const options: SessionOptions = { [name]: ms };
      const error = await failure(open(server, options));
      expect(error).toMatchObject({ code: 'invalid_argument' });
      expect(error.message).toContain(`${name} is ${ms}`);
      expect(server.peers).toEqual([]);
    },
  );

  test.each(noTimes)('of a call: %d', async (ms) => {
    const server = script(waiting);
    await using session = await open(server);
    for (const options of [{ timeoutMs: ms }, { maxTotalMs: ms }]) {
      const refused = { code: 'invalid_argument' };
      expect(await failure(session.callTool('t', {}, options))).toMatchObject(refused);
      expect(await failure(session.ping(options))).toMatchObject(refused);
      expect(await failure(session.notify('n', {}, options))).toMatchObject(refused);
    }
    expect(server.peer.of('tools/call')).toEqual([]);
  });

  test.each(noTimes)('of one call without a session: %d', async (ms) => {
    const call = callMcp('http://127.0.0.1:1/mcp', 'ping', {}, { timeoutMs: ms });
    expect(await failure(call)).toMatchObject({ code: 'invalid_argument' });
    expect(() => httpTarget('http://127.0.0.1:1/mcp', { connectTimeoutMs: ms })).toThrow(KitError);
  });

  test.each(noTimes)('of a call through a manager: %d', async (ms) => {
    const server = script(waiting);
    await using manager = createManager({ entries: [], trust: 'trusted', toolCache: false });
    const channel = await server.target.dial();
    await manager.attach('mine', channel);
    const call = manager.server('mine').callTool('t', {}, { timeoutMs: ms });
    expect(await failure(call)).toMatchObject({ code: 'invalid_argument' });
  });

  test('Infinity is a time', async () => {
    const server = script({ ...older, 'tools/call': () => text('done') });
    const limits = { timeoutMs: Infinity, maxTotalMs: Infinity };
    await using session = await open(server, limits);
    expect(textOf(await session.callTool('t', {}, limits))).toBe('done');
  });
});

describe.each(['legacy', 'modern'] as const)('In the %s era', (era) => {
  test('a call that takes too long names the tool and the server', async () => {
    const server = script(waiting);
    await using session = await open(server, { era, timeoutMs: 20 });
    const { message } = await failure(session.callTool('story'));
    expect(message).toBe(`tools/call story: no answer from ${server.target.label} within 20 ms`);
  });

  test('progress makes the time begin anew although nobody listens, up to the longest', async () => {
    const server = script(waiting);
    await using session = await open(server, { era });
    const call = failure(session.callTool('t', {}, { timeoutMs: 200, maxTotalMs: 1000 }));
    const { params } = await server.peer.nth('tools/call');
    const meta = params?.['_meta'] as { readonly progressToken: number };
    const { progressToken } = meta;
    const report = setInterval(
      () => server.peer.notify('notifications/progress', { progressToken, progress: 1 }),
      20,
    );
    const error = await call.finally(() => clearInterval(report));
    expect(error.message).toContain('within 1000 ms');
  });

  test('a call that is given up says why', async () => {
    const server = script(waiting);
    await using session = await open(server, { era });
    const stop = new AbortController();
    const call = failure(session.callTool('story', {}, { signal: stop.signal }));
    await server.peer.nth('tools/call');
    const reason = new Error('the user pressed Escape');
    stop.abort(reason);
    const error = await call;
    expect(error).toMatchObject({ code: 'aborted', cause: reason });
    expect(error.message).toBe(
      'tools/call story: cancelled by the caller: the user pressed Escape',
    );
    await settle();
    const [told] = server.peer.of('notifications/cancelled');
    expect(told?.params?.['reason']).toContain('the user pressed Escape');
  });
});

test('a call through a manager that takes too long names the server as it is configured', async () => {
  const server = script(waiting);
  await using manager = createManager({ entries: [], trust: 'trusted', toolCache: false });
  await manager.attach('stories', await server.target.dial());
  const call = manager.server('stories').callTool('story', {}, { timeoutMs: 20 });
  const { message } = await failure(call);
  expect(message).toBe('tools/call story: no answer from stories within 20 ms');
});

test('a session that does not heal says why it has ended, and repeats nothing', async () => {
  const server = script({ ...older, 'tools/list': () => undefined });
  await using session = await open(server, { heal: false });
  const pending = failure(session.listTools());
  await server.peer.nth('tools/list');
  const cause = new KitError('process_failed', 'it exited with code 3');
  server.peer.hangUp(cause);
  expect(await pending).toMatchObject({ code: 'closed' });
  for (const work of [session.ping(), session.reopen()]) {
    const error = await failure(work);
    expect(error).toMatchObject({ code: 'closed', cause });
    expect(error.message).toContain('it exited with code 3');
  }
  expect(server.peers).toHaveLength(1);
});

test('a session that its owner has closed is just closed', async () => {
  const server = script(older);
  const session = await openSession(server.target);
  await session.close();
  const error = await failure(session.ping());
  expect(error.message).toBe(`the session with ${server.target.label} is closed`);
});
