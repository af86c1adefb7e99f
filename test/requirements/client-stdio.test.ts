import { tmpdir } from 'node:os';
import path from 'node:path';
import { realpath } from 'node:fs/promises';
import { KitError } from 'mcp-kit/internal';
import { createEraCache, openSession, type Session, type SessionOptions } from 'mcp-kit/client';
import { RpcError } from 'mcp-kit/jsonrpc';
import { childTarget, type ChildOptions } from 'mcp-kit/transport/child-process';
import { describe, expect, test, vi } from 'vitest';
import { textOf } from '../interop/client-session.ts';
import { failure, type Failure, type Message } from './client-script.ts';

const server = path.resolve(import.meta.dirname, '../faults/child/by-hand.mjs');

/** A session with a real process. */
function start(
  options: SessionOptions = {},
  child: Partial<ChildOptions> & { readonly startMs?: number } = {},
): Promise<Session> {
  const { startMs = 0, ...rest } = child;
  const args = [server, String(startMs)];
  const target = childTarget({ command: process.execPath, args, ...rest });
  return openSession(target, { era: 'legacy', eraCache: createEraCache(), ...options });
}

const call = async (session: Session, name: string, args: object = {}): Promise<string> =>
  textOf(await session.callTool(name, { ...args }));

/** The lines the server has read so far. */
const linesOf = async (session: Session): Promise<string[]> =>
  JSON.parse(await call(session, 'received')) as string[];

const messagesOf = async (session: Session): Promise<Message[]> =>
  (await linesOf(session)).map((line) => JSON.parse(line) as Message);

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe('messages over stdio', () => {
  test('the handshake comes first, then its confirmation, then calls', async () => {
    await using session = await start({ name: 'agent', version: '2.0.0' });
    await session.listTools();
    const messages = await messagesOf(session);
    expect(messages.map(({ method }) => method)).toEqual([
      'initialize',
      'notifications/initialized',
      'tools/list',
      'tools/call',
    ]);
    expect(messages[0]?.params).toMatchObject({ clientInfo: { name: 'agent', version: '2.0.0' } });
    expect([session.version, session.server?.name]).toEqual(['2025-06-18', 'by hand']);
  });

  test('a request is one JSON object and a newline, whatever is in it', async () => {
    await using session = await start();
    const said = 'line\nbreak\r\n\u2028 "quoted" \u{1F30D} \u0000';
    expect(await call(session, 'echo', { said })).toBe(said);
    const lines = await linesOf(session);
    expect(lines).toHaveLength(4);
    expect(lines.map((line) => JSON.parse(line).jsonrpc)).toEqual(Array(4).fill('2.0'));
  });

  test('every request has an id of its own', async () => {
    await using session = await start();
    await Promise.all(Array.from({ length: 20 }, (_, at) => call(session, 'echo', { said: at })));
    const ids = (await messagesOf(session)).flatMap(({ id }) => (id === undefined ? [] : [id]));
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBe(22);
  });

  test('an answer settles the request it belongs to, in whatever order answers come', async () => {
    await using session = await start();
    const order: string[] = [];
    const waits = [90, 10, 50];
    await Promise.all(
      waits.map(async (ms) => {
        order.push(await call(session, 'later', { said: `after ${ms}`, ms }));
      }),
    );
    expect(order).toEqual(['after 10', 'after 50', 'after 90']);
  });

  test('answers with unknown ids are ignored', async () => {
    await using session = await start();
    expect(await call(session, 'answer_strangers')).toBe('for you');
    expect(await call(session, 'echo', { said: 'still here' })).toBe('still here');
  });

  test('a JSON-RPC error is an error with its code, its words and its data', async () => {
    await using session = await start();
    const error = await failure(call(session, 'refuse'));
    expect(error).toBeInstanceOf(RpcError);
    expect(error).toMatchObject({
      code: -32602,
      message: 'not like this',
      data: { field: 'name' },
    });
  });

  test('a notification is a line without an id, and is not answered', async () => {
    await using session = await start();
    await session.notify('notifications/roots/list_changed');
    await session.notify('notifications/custom', { level: 3 });
    const messages = await messagesOf(session);
    expect(messages.filter(({ method }) => method?.startsWith('notifications/'))).toEqual([
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', method: 'notifications/roots/list_changed' },
      { jsonrpc: '2.0', method: 'notifications/custom', params: { level: 3 } },
    ]);
  });
});

describe('a session over stdio', () => {
  test('notifications of the server have a subscriber: all are delivered, in order', async () => {
    const heard: unknown[] = [];
    await using session = await start({
      onNotification: ({ params }) => void heard.push(params?.['at']),
    });
    await call(session, 'tell', { times: 100 });
    expect(heard).toEqual(Array.from({ length: 100 }, (_, at) => at));
  });

  test('a slow subscriber has a bounded queue, and losses are counted', async () => {
    const heard: unknown[] = [];
    let release = (): void => {};
    const slow = new Promise<void>((resolve) => {
      release = resolve;
    });
    await using session = await start({
      onNotification: ({ params }) => {
        heard.push(params?.['at']);
        return slow;
      },
    });
    await call(session, 'tell', { times: 1000 });
    expect(session.stats.droppedNotifications).toBe(1000 - 257);
    release();
    await expect.poll(() => heard).toHaveLength(257);
    expect(heard.at(-1)).toBe(999);
  });

  test('requests of the server are answered', async () => {
    await using session = await start({ inputs: { roots: [{ uri: 'file:///repo' }] } });
    expect(JSON.parse(await call(session, 'ask_roots'))).toEqual({
      roots: [{ uri: 'file:///repo' }],
    });
  });

  test('cancelling reaches the server', async () => {
    await using session = await start();
    const stop = new AbortController();
    const hanging = failure(session.callTool('hang', {}, { signal: stop.signal }));
    const before = await messagesOf(session);
    stop.abort(new Error('enough'));
    expect(await hanging).toMatchObject({ code: 'aborted', cause: new Error('enough') });
    const { id } = before.find(({ params }) => params?.['name'] === 'hang') ?? {};
    expect(await messagesOf(session)).toContainEqual(
      expect.objectContaining({
        method: 'notifications/cancelled',
        params: expect.objectContaining({ requestId: id }),
      }),
    );
  });

  test('a timeout reaches the server, too', async () => {
    await using session = await start();
    const error = await failure(session.callTool('hang', {}, { timeoutMs: 50 }));
    expect(error).toMatchObject({ code: 'timeout' });
    expect((await messagesOf(session)).map(({ method }) => method)).toContain(
      'notifications/cancelled',
    );
  });

  test('a process that dies is started anew by the next call; whoever wants to know is told', async () => {
    const lost: (Error | undefined)[] = [];
    await using session = await start({ onLost: (cause) => lost.push(cause) });
    const first = await call(session, 'pid');
    expect(await failure(session.callTool('die', { code: 3 }))).toMatchObject({ code: 'closed' });
    expect(lost).toMatchObject([{ code: 'process_failed', details: { exitCode: 3 } }]);
    const second = await call(session, 'pid');
    expect(second).not.toBe(first);
    expect([session.stats.handshakes, session.isOpen]).toEqual([2, true]);
    expect(isAlive(Number(first))).toBe(false);
  });

  test('what is safe to ask again is asked again after a crash; a tool never is', async () => {
    await using session = await start();
    const dying = failure(session.callTool('die', { code: 1 }));
    const [listed, called] = await Promise.allSettled([
      session.listTools(),
      session.callTool('later', { said: 'x', ms: 60_000 }),
    ]);
    await dying;
    expect(listed).toMatchObject({ status: 'fulfilled' });
    expect(called).toMatchObject({ status: 'rejected', reason: { code: 'closed' } });
    expect((await messagesOf(session)).map(({ params }) => params?.['name'])).not.toContain(
      'later',
    );
  });

  test('what a process said last on its standard error is in the error', async () => {
    await using session = await start();
    const error = await failure(session.callTool('die', { code: 7 }));
    expect(error.message).toContain('out of cheese');
    expect(error.cause).toBeInstanceOf(KitError);
    expect(error.cause).toMatchObject({
      code: 'process_failed',
      details: { exitCode: 7, stderr: expect.stringContaining('out of cheese') },
    });
  });

  test('a server that does not read is felt: senders wait, and what would not fit is refused', async () => {
    const stop = { eofMs: 50, termMs: 50 };
    await using session = await start({ heal: false, timeoutMs: 60_000 }, { stop });
    await call(session, 'fall_deaf');
    const said = 'x'.repeat(1024 * 1024);
    const calls: Promise<Failure>[] = [];
    for (let at = 0; at < 40; at += 1) calls.push(failure(session.callTool('echo', { said })));
    const refused = await Promise.race(calls);
    expect(refused).toMatchObject({ code: 'overloaded' });
    let waits = true;
    const telling = failure(
      session.notify('notifications/x').finally(() => {
        waits = false;
      }),
    );
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(waits).toBe(true);
    await session.close();
    expect(await telling).toMatchObject({ code: 'closed' });
    const codes = new Set((await Promise.all(calls)).map(({ code }) => code));
    expect(codes).toEqual(new Set(['overloaded', 'closed']));
  });
});

describe('a process as a server', () => {
  test('the process gets its arguments, its variables and its folder', async () => {
    const cwd = await realpath(tmpdir());
    await using session = await start({}, { cwd, env: { SEED_NAME: 'one' } });
    expect(JSON.parse(await call(session, 'environment', { name: 'SEED_NAME' }))).toEqual([
      'one',
      cwd,
    ]);
  });

  test('standard error is always read: a chatty process does not block', async () => {
    await using session = await start();
    expect(await call(session, 'chatter', { bytes: 10_000_000 })).toBe('chattered');
  });

  test('closing settles what is under way, and ends the process', async () => {
    const session = await start();
    const pid = Number(await call(session, 'pid'));
    const hanging = [1, 2, 3].map(() => failure(session.callTool('hang')));
    await session.close();
    for (const error of await Promise.all(hanging)) expect(error).toMatchObject({ code: 'closed' });
    expect(await session.closed).toBeUndefined();
    expect(isAlive(pid)).toBe(false);
    expect(await failure(session.ping())).toMatchObject({ code: 'closed' });
  });

  test('a process that ends settles everything under way, with the same reason', async () => {
    await using session = await start({ heal: false });
    const hanging = [1, 2, 3].map(() => failure(session.callTool('hang')));
    await failure(session.callTool('die', { code: 2 }));
    for (const error of await Promise.all(hanging)) {
      expect(error).toMatchObject({ code: 'closed', cause: { details: { exitCode: 2 } } });
    }
    expect(await session.closed).toMatchObject({ code: 'process_failed' });
  });

  test('lines that are not messages are skipped and counted; the next is read', async () => {
    await using session = await start();
    expect(await call(session, 'babble')).toBe('babbled');
    const { malformed, samples } = session.stats;
    expect(malformed).toBe(4);
    expect(samples.slice(0, 3)).toEqual(['Server ready!', '{"jsonrpc":"2.0","id":1,"resu', '[1,2']);
    await session.ping();
  });

  test('a strict session ends with the first of them', async () => {
    await using session = await start({ strict: true });
    expect(await failure(call(session, 'babble'))).toMatchObject({ code: 'closed' });
    expect(await session.closed).toMatchObject({ code: 'invalid_answer' });
  });

  test('a call waits 30 s unless it says otherwise, and then leaves nothing behind', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    try {
      const session = await start();
      const hanging = failure(session.callTool('hang'));
      vi.advanceTimersByTime(29_999);
      const early = await Promise.race([hanging, session.ping().then(() => 'still waiting')]);
      expect(early).toBe('still waiting');
      vi.advanceTimersByTime(1);
      const error = await hanging;
      expect(error).toMatchObject({ code: 'timeout' });
      expect(error.message).toContain('30000 ms');
      vi.useRealTimers();
      await session.close();
    } finally {
      vi.useRealTimers();
    }
  });

  test('a slow start is waited for, in whatever era the server speaks', async () => {
    await using session = await start({ era: 'auto', probeTimeoutMs: 50 }, { startMs: 400 });
    expect(session.era).toBe('legacy');
    expect(await call(session, 'echo', { said: 'awake' })).toBe('awake');
  });

  test('a program that is not there is an error that says what to do', async () => {
    const error = await failure(start({}, { command: 'no-such-program-anywhere' }));
    expect(error).toMatchObject({ code: 'process_failed', hint: expect.any(String) });
    expect(error.message).toContain('no-such-program-anywhere');
  });
});
