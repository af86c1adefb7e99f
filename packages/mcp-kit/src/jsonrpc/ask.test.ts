import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Channel, Sent, Sink } from './channel.ts';
import { Connection } from './connection.ts';
import type { ConnectionOptions } from './handlers.ts';
import { RpcError } from './error.ts';

/** A connection whose peer is the test: what it sends is in `sent`, and `deliver` is what it receives. */
function open(options: ConnectionOptions = {}) {
  const sent: Record<string, unknown>[] = [];
  let sink: Sink | undefined;
  const take = { next: 'sent' as Sent };
  const channel: Channel = {
    start: (to) => {
      sink = to;
    },
    send: (text) => {
      if (take.next !== 'dropped') sent.push(JSON.parse(text) as Record<string, unknown>);
      return take.next;
    },
    tell: () => undefined,
    reply: () => {},
    letGo: () => false,
    lastWords: () => '',
    drained: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
  const connection: Connection = new Connection(
    channel,
    () => ({
      request: () => ({}),
      notification: ({ params = {} }) => connection.progress(Number(params['token']), params),
      acceptsBatch: () => false,
      closed: () => {},
    }),
    {
      vocabulary: {
        cancelled: (id, method) =>
          method === 'initialize' ? undefined : { method: 'cancelled', params: { id } },
        withProgressToken: (params, id) => ({ ...params, token: id }),
      },
      ...options,
    },
  );
  const deliver = (message: object) => sink?.message({ jsonrpc: '2.0', ...message });
  const progress = (at: number) => deliver({ method: 'progress', params: { token: 1, at } });
  return { connection, sent, deliver, progress, take };
}

/** What became of a promise, without waiting for it. */
function watch(promise: Promise<unknown>) {
  const seen: { outcome?: unknown } = {};
  promise.then(
    (value) => (seen.outcome = value),
    (error: unknown) => (seen.outcome = error),
  );
  return seen;
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a question', () => {
  test('is settled by its answer, and by nothing after it', async () => {
    const { connection, sent, deliver } = open();
    const question = connection.request('add', { a: 1 });
    expect(sent).toEqual([{ jsonrpc: '2.0', id: 1, method: 'add', params: { a: 1 } }]);
    deliver({ id: 1, result: { sum: 1 } });
    deliver({ id: 1, result: { sum: 2 } });
    deliver({ id: 1, error: { code: 1, message: 'late' } });
    await expect(question).resolves.toEqual({ sum: 1 });
    expect(vi.getTimerCount()).toBe(0);
    expect(connection.inFlight.awaiting).toBe(0);
  });

  test('is settled by an error answer with its code, message and data', async () => {
    const { connection, deliver } = open();
    const question = connection.request('q');
    deliver({ id: 1, error: { code: -7, message: 'no', data: [1] } });
    const error = await question.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(RpcError);
    expect(error).toMatchObject({ code: -7, message: 'no', data: [1] });
  });

  test('is not settled by answers to other ids, of another type, or to no id', async () => {
    const { connection, deliver } = open();
    const seen = watch(connection.request('q'));
    for (const id of [2, '1', 0]) deliver({ id, result: {} });
    deliver({ id: null, error: { code: 1, message: '' } });
    deliver({ error: { code: 1, message: '' } });
    await vi.advanceTimersByTimeAsync(1000);
    expect(seen).toEqual({});
  });

  test('that nobody answers settles at its deadline, and the peer is told', async () => {
    const { connection, sent } = open();
    const seen = watch(connection.request('q', {}, { timeoutMs: 100 }));
    await vi.advanceTimersByTimeAsync(99);
    expect(seen).toEqual({});
    await vi.advanceTimersByTimeAsync(1);
    expect(seen.outcome).toMatchObject({ code: 'timeout', message: 'q: no answer within 100 ms' });
    expect(sent[1]).toEqual({ jsonrpc: '2.0', method: 'cancelled', params: { id: 1 } });
    expect(vi.getTimerCount()).toBe(0);
  });

  test('whose answer comes after the deadline stays as it was settled', async () => {
    const { connection, deliver } = open();
    const seen = watch(connection.request('q', {}, { timeoutMs: 10 }));
    await vi.advanceTimersByTimeAsync(10);
    deliver({ id: 1, result: 'late' });
    expect(seen.outcome).toMatchObject({ code: 'timeout' });
  });

  test('that may not be cancelled is given up in silence', async () => {
    const { connection, sent } = open();
    const seen = watch(connection.request('initialize', {}, { timeoutMs: 10 }));
    await vi.advanceTimersByTimeAsync(10);
    expect(seen.outcome).toMatchObject({ code: 'timeout' });
    expect(sent).toHaveLength(1);
  });

  test('waits on while progress comes, but never beyond its absolute cap', async () => {
    const { connection, sent, progress } = open();
    const heard: unknown[] = [];
    const seen = watch(
      connection.request(
        'q',
        { a: 1 },
        {
          timeoutMs: 100,
          maxTotalMs: 350,
          onProgress: (params) => heard.push(params),
        },
      ),
    );
    expect(sent[0]).toMatchObject({ params: { a: 1, token: 1 } });
    for (let step = 1; step <= 4; step++) {
      await vi.advanceTimersByTimeAsync(80);
      progress(step);
    }
    expect(heard).toHaveLength(4);
    expect(seen).toEqual({});
    await vi.advanceTimersByTimeAsync(29);
    expect(seen).toEqual({});
    await vi.advanceTimersByTimeAsync(1);
    expect(seen.outcome).toMatchObject({ code: 'timeout', message: 'q: no answer within 350 ms' });
    expect(vi.getTimerCount()).toBe(0);
  });

  test('is not kept alive beyond its cap by a flood of progress', async () => {
    vi.useRealTimers();
    const { connection, progress } = open();
    const seen = watch(
      connection.request('q', {}, { timeoutMs: 20, maxTotalMs: 50, onProgress: () => {} }),
    );
    const started = performance.now();
    // Oftener than any timer can fire: nothing but the progress itself can end it.
    while (seen.outcome === undefined && performance.now() - started < 60_000) {
      progress(1);
      await Promise.resolve();
    }
    expect(seen.outcome).toMatchObject({ code: 'timeout', message: 'q: no answer within 50 ms' });
  });

  test('hears of no progress that comes after its cap, although no timer has fired yet', async () => {
    vi.useRealTimers();
    const { connection, progress } = open();
    const heard: number[] = [];
    const options = { timeoutMs: 20, maxTotalMs: 20 };
    let sentMs = 0;
    const onProgress = (): void => void heard.push(sentMs);
    const seen = watch(connection.request('q', {}, { ...options, onProgress }));
    const started = performance.now();
    while (sentMs < 60) {
      sentMs = performance.now() - started;
      progress(1);
    }
    await Promise.resolve();
    expect(seen.outcome).toMatchObject({ code: 'timeout' });
    expect(heard.filter((ms) => ms > 20)).toEqual([]);
  });

  test('may wait without end', async () => {
    const { connection, deliver } = open();
    const seen = watch(connection.request('q', {}, { timeoutMs: Infinity, maxTotalMs: Infinity }));
    await vi.advanceTimersByTimeAsync(24 * 3_600_000);
    expect(seen).toEqual({});
    deliver({ id: 1, result: 'at last' });
    await vi.advanceTimersByTimeAsync(0);
    expect(seen.outcome).toBe('at last');
  });

  test('whose caller gives up settles at once, and the peer is told once', async () => {
    const { connection, sent, deliver } = open();
    const controller = new AbortController();
    const question = connection.request('q', {}, { signal: controller.signal });
    const seen = watch(question);
    controller.abort('bored');
    controller.abort('again');
    deliver({ id: 1, result: 'late' });
    await vi.advanceTimersByTimeAsync(0);
    expect(seen.outcome).toMatchObject({ code: 'aborted', cause: 'bored' });
    expect(sent.slice(1)).toEqual([{ jsonrpc: '2.0', method: 'cancelled', params: { id: 1 } }]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('whose caller had given up before is never sent', async () => {
    const { connection, sent } = open();
    const question = connection.request('q', {}, { signal: AbortSignal.abort('no') });
    await expect(question).rejects.toMatchObject({ code: 'aborted' });
    expect(sent).toEqual([]);
    expect(connection.inFlight.awaiting).toBe(0);
  });

  test('leaves no listener on a signal that outlives it', async () => {
    const { connection, deliver } = open();
    const { signal } = new AbortController();
    const add = vi.spyOn(signal, 'addEventListener');
    const remove = vi.spyOn(signal, 'removeEventListener');
    const question = connection.request('q', {}, { signal });
    deliver({ id: 1, result: {} });
    await question;
    expect(remove).toHaveBeenCalledTimes(add.mock.calls.length);
  });

  test('that finds no room is refused as overload and leaves nothing behind', async () => {
    const { connection, take } = open();
    take.next = 'dropped';
    await expect(connection.request('q')).rejects.toMatchObject({ code: 'overloaded' });
    expect(connection.inFlight.awaiting).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  test.each([
    ['a big integer', { big: 1n }],
    ['a circle', circle()],
  ])('with %s is no JSON: it is refused in words and leaves nothing behind', async (_, params) => {
    const { connection, sent } = open();
    const refusal = { code: 'invalid_argument', cause: expect.any(TypeError) };
    await expect(connection.request('q', params)).rejects.toMatchObject(refusal);
    await expect(connection.tell('n', params)).rejects.toMatchObject(refusal);
    expect(connection.inFlight.awaiting).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
    expect(sent).toEqual([]);
  });

  test('whose progress listener throws is still answered', async () => {
    const bugs: unknown[] = [];
    const { connection, deliver, progress } = open({ onBug: (error) => bugs.push(error) });
    const question = connection.request(
      'q',
      {},
      {
        onProgress: () => {
          throw new Error('oops');
        },
      },
    );
    progress(1);
    deliver({ id: 1, result: 'ok' });
    await expect(question).resolves.toBe('ok');
    expect(bugs).toHaveLength(1);
  });

  test('has an id of its own', () => {
    const { connection, sent } = open();
    for (let at = 0; at < 3; at++) watch(connection.request('q'));
    expect(sent.map(({ id }) => id)).toEqual([1, 2, 3]);
  });
});

function circle(): Record<string, unknown> {
  const round: Record<string, unknown> = {};
  round['self'] = round;
  return round;
}
