import { createDeferred, type MaybePromise } from '#base';
import { describe, expect, test, vi } from 'vitest';
import type { Channel, Sent, Sink } from './channel.ts';
import { Connection } from './connection.ts';
import type { ConnectionOptions, Handlers } from './handlers.ts';
import { RpcError } from './error.ts';
import type { Exchange } from './exchange.ts';
import type { Notification } from './message.ts';

/** A channel whose other end is the test itself. */
class Wire implements Channel {
  readonly texts: string[] = [];
  closes = 0;
  answer: Sent = 'sent';
  #sink: Sink | undefined;

  start(sink: Sink): void {
    this.#sink = sink;
  }
  send(text: string): Sent {
    if (this.answer !== 'dropped') this.texts.push(text);
    return this.answer;
  }
  reply(text: string | undefined): void {
    if (text !== undefined) this.texts.push(text);
  }
  tell(): undefined {}
  letGo(): boolean {
    return false;
  }
  lastWords(): string {
    return '';
  }
  drained(): Promise<void> {
    return Promise.resolve();
  }
  async close(): Promise<void> {
    this.closes++;
  }
  get sink(): Sink {
    if (this.#sink === undefined) throw new Error('not started');
    return this.#sink;
  }
  /** What has been sent, parsed. */
  get sent(): Record<string, unknown>[] {
    return this.texts.map((text) => JSON.parse(text) as Record<string, unknown>);
  }
}

interface Setup {
  readonly request?: (exchange: Exchange) => MaybePromise<unknown>;
  readonly notification?: (message: Notification) => void;
  readonly options?: ConnectionOptions;
}

const mcpWords: NonNullable<ConnectionOptions['vocabulary']> = {
  cancelled: (id) => ({ method: 'cancelled', params: { id } }),
  withProgressToken: (params, id) => ({ ...params, token: id }),
};

function open(setup: Setup = {}) {
  const wire = new Wire();
  const closed = vi.fn<Handlers['closed']>();
  const bugs: unknown[] = [];
  const connection = new Connection(
    wire,
    () => ({
      request: setup.request ?? (() => ({})),
      notification: setup.notification ?? (() => {}),
      acceptsBatch: () => false,
      closed,
    }),
    { vocabulary: mcpWords, onBug: (error) => bugs.push(error), ...setup.options },
  );
  const ask = (id: unknown, method = 'm') => wire.sink.message({ jsonrpc: '2.0', id, method });
  return { wire, connection, closed, bugs, ask };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

const throwing = (error: Error) => () => {
  throw error;
};
const internal = { error: { code: -32603, message: 'Internal error' } };

describe('serving', () => {
  test.each([
    ['a plain result', () => ({ a: 1 }), { result: { a: 1 } }],
    ['undefined as an empty result', () => undefined, { result: {} }],
    ['a function as an empty result', () => () => 0, { result: {} }],
    ['an awaited result', async () => 'late', { result: 'late' }],
    [
      'an RpcError as it is',
      throwing(new RpcError(-5, 'no', { why: 1 })),
      { error: { code: -5, message: 'no', data: { why: 1 } } },
    ],
    ['a bug as an internal error', throwing(new Error('secret')), internal],
    ['a rejected bug as an internal error', async () => throwing(new Error('secret'))(), internal],
    ['a result that is not JSON as an internal error', () => ({ big: 1n }), internal],
    [
      'an awaited result that is not JSON as an internal error',
      async () => ({ big: 1n }),
      internal,
    ],
    [
      'error data that is not JSON as an internal error',
      throwing(new RpcError(-5, 'no', 1n)),
      internal,
    ],
  ])('answers with %s', async (_name, request, expected) => {
    const { wire, connection, ask } = open({ request });
    ask(0);
    await turn();
    expect(wire.sent).toEqual([{ jsonrpc: '2.0', id: 0, ...expected }]);
    expect(connection.inFlight).toEqual({ serving: 0, awaiting: 0 });
  });

  test('reports what the peer must not see', async () => {
    const bug = new Error('secret');
    const { bugs, ask } = open({ request: () => Promise.reject(bug) });
    ask(1);
    await turn();
    expect(bugs).toEqual([bug]);
  });

  test('ids of different types are different requests', async () => {
    const gates = [createDeferred<string>(), createDeferred<string>()];
    let calls = 0;
    const { wire, ask } = open({ request: () => gates[calls++]?.promise });
    ask(1);
    ask('1');
    gates[1]?.resolve('text');
    gates[0]?.resolve('number');
    await turn();
    expect(wire.sent).toEqual([
      { jsonrpc: '2.0', id: '1', result: 'text' },
      { jsonrpc: '2.0', id: 1, result: 'number' },
    ]);
  });

  test('a second request with an id under way is refused, and the first is answered all the same', async () => {
    const gate = createDeferred<string>();
    const { wire, ask } = open({ request: () => gate.promise });
    ask(7);
    ask(7);
    gate.resolve('first');
    await turn();
    ask(7);
    await turn();
    expect(wire.sent).toMatchObject([
      { id: 7, error: { code: -32600 } },
      { id: 7, result: 'first' },
      { id: 7, result: 'first' },
    ]);
  });

  test('one request more than may be under way is refused as overload', async () => {
    const gate = createDeferred<string>();
    const { wire, connection, ask } = open({
      request: () => gate.promise,
      options: { maxInFlight: 2 },
    });
    for (const id of [1, 2, 3]) ask(id);
    expect(wire.sent).toMatchObject([{ id: 3, error: { code: -32000 } }]);
    expect(connection.inFlight.serving).toBe(2);
    gate.resolve('ok');
    await turn();
    ask(4);
    await turn();
    expect(wire.sent.map(({ id }) => id)).toEqual([3, 1, 2, 4]);
  });

  test('a cancelled request fires its signal once and is never answered', async () => {
    const gate = createDeferred<string>();
    const reasons: unknown[] = [];
    const { wire, connection, ask } = open({
      request: (exchange) => {
        exchange.signal.addEventListener('abort', () => reasons.push(exchange.signal.reason));
        return gate.promise;
      },
    });
    ask(0);
    connection.cancel(0, 'enough');
    connection.cancel(0, 'again');
    gate.resolve('too late');
    await turn();
    expect(reasons).toEqual(['enough']);
    expect(wire.texts).toEqual([]);
    expect(connection.inFlight.serving).toBe(0);
  });

  test('a cancelled request sends nothing more, and asks nothing more', async () => {
    const gate = createDeferred<string>();
    let kept: Exchange | undefined;
    const { wire, connection, ask } = open({
      request: (exchange) => {
        kept = exchange;
        return gate.promise;
      },
    });
    ask(0);
    connection.cancel(0, 'enough');
    await kept?.notify('progress');
    await expect(kept?.call('question')).rejects.toMatchObject({ code: 'aborted' });
    expect(wire.texts).toEqual([]);
  });

  test('a signal looked at only after the cancellation has fired already', () => {
    let kept: Exchange | undefined;
    const { connection, ask } = open({
      request: (exchange) => {
        kept = exchange;
        return new Promise(() => {});
      },
    });
    ask(0);
    connection.cancel(0, 'enough');
    expect(kept?.signal.aborted).toBe(true);
    expect(kept?.signal.reason).toBe('enough');
  });

  test('cancelling what is unknown does nothing', () => {
    const { wire, connection } = open();
    connection.cancel('nobody', 'x');
    expect(wire.texts).toEqual([]);
  });

  test('an id is free again once its request was cancelled, and the old answer never takes its place', async () => {
    const gates = [createDeferred<string>(), createDeferred<string>()];
    let calls = 0;
    const { wire, connection, ask } = open({ request: () => gates[calls++]?.promise });
    ask(1);
    connection.cancel(1, 'x');
    ask(1);
    gates[0]?.resolve('old');
    await turn();
    expect(wire.texts).toEqual([]);
    gates[1]?.resolve('new');
    await turn();
    expect(wire.sent).toEqual([{ jsonrpc: '2.0', id: 1, result: 'new' }]);
  });

  test('a notification handler that throws is a bug of ours, not the end of the conversation', async () => {
    const { wire, bugs, ask } = open({
      notification: () => {
        throw new Error('oops');
      },
    });
    wire.sink.message({ jsonrpc: '2.0', method: 'n' });
    ask(1);
    expect(bugs).toHaveLength(1);
    expect(wire.sent).toMatchObject([{ id: 1, result: {} }]);
  });

  test('what is no message is answered as an invalid request, with its id where there is one', () => {
    const { wire } = open();
    wire.sink.message({ jsonrpc: '2.0', id: 5, method: 'm', params: [] });
    wire.sink.message('text');
    wire.sink.malformed(-32700, 'Parse error: not JSON');
    expect(wire.sent).toMatchObject([
      { id: 5, error: { code: -32600 } },
      { error: { code: -32600 } },
      { error: { code: -32700, message: 'Parse error: not JSON' } },
    ]);
  });
});

describe('closing', () => {
  test('settles everything under way exactly once, and says so once', async () => {
    const gate = createDeferred<string>();
    const onClosed = vi.fn<() => void>();
    const { wire, connection, closed, ask } = open({
      request: () => gate.promise,
      options: { onClosed },
    });
    ask(1);
    const questions = [connection.request('a'), connection.request('b')];
    const outcomes = Promise.allSettled(questions);
    await Promise.all([connection.close(), connection.close()]);
    wire.sink.closed();
    await connection.close();
    expect(await outcomes).toMatchObject([
      { status: 'rejected', reason: { code: 'closed' } },
      { status: 'rejected', reason: { code: 'closed' } },
    ]);
    gate.resolve('late');
    await turn();
    expect(wire.sent.filter((message) => 'result' in message)).toEqual([]);
    expect(closed).toHaveBeenCalledTimes(1);
    expect(onClosed).toHaveBeenCalledTimes(1);
    expect(wire.closes).toBe(1);
    expect(connection.open).toBe(false);
    expect(connection.inFlight).toEqual({ serving: 0, awaiting: 0 });
  });

  test('from within a signal, an answer or the closed handler does not recurse', async () => {
    const wire = new Wire();
    let closes = 0;
    const connection: Connection = new Connection(wire, () => ({
      request: (exchange) => {
        exchange.signal.addEventListener('abort', () => void connection.close());
        return new Promise(() => {});
      },
      notification: () => {},
      acceptsBatch: () => false,
      closed: () => {
        closes++;
        void connection.close();
      },
    }));
    wire.sink.message({ jsonrpc: '2.0', id: 1, method: 'm' });
    const question = connection.request('q').catch(() => connection.close());
    await connection.close();
    await question;
    expect(closes).toBe(1);
    expect(wire.closes).toBe(1);
  });

  test('leaves notifications unsent and questions refused', async () => {
    const { wire, connection } = open();
    await connection.close();
    await connection.notify('n');
    await expect(connection.request('q')).rejects.toMatchObject({ code: 'closed' });
    expect(wire.texts).toEqual([]);
  });

  test('carries the cause to whoever waits', async () => {
    const { wire, connection, closed } = open();
    const question = connection.request('q');
    const cause = new Error('reset');
    wire.sink.closed(cause);
    await expect(question).rejects.toMatchObject({ code: 'closed', cause });
    expect(closed).toHaveBeenCalledWith(cause);
  });

  test('waits for answers under way when the peer only stopped sending', async () => {
    const gate = createDeferred<string>();
    const { wire, connection, ask } = open({ request: () => gate.promise });
    ask(1);
    wire.sink.ended();
    expect(connection.open).toBe(true);
    gate.resolve('answer');
    await turn();
    expect(wire.sent).toMatchObject([{ id: 1, result: 'answer' }]);
    expect(connection.open).toBe(false);
  });

  test('does not wait for ever for answers under way', async () => {
    const { wire, connection, ask } = open({
      request: () => new Promise(() => {}),
      options: { lingerMs: 20 },
    });
    ask(1);
    wire.sink.ended();
    await expect.poll(() => connection.open).toBe(false);
    expect(connection.inFlight.serving).toBe(0);
  });
});
