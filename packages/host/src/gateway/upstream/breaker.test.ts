import { Exchange, RpcError, rpcErrors, type Link, type Serve } from 'mcp-kit/internal';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createBreaker } from './breaker.ts';
import { createRetryBudget } from './retry-budget.ts';

beforeEach(() => vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => vi.useRealTimers());

const link: Link = { notify: () => undefined, request: () => Promise.resolve() };
const request = (method = 'tools/call'): Exchange =>
  new Exchange({ jsonrpc: '2.0', id: 1, method }, link);

const lost = (): RpcError =>
  new RpcError(rpcErrors.internal, 'Bridge transport error: it hung up', {
    code: 'answer_lost',
    retryable: true,
    mayHaveRun: true,
  });

/** A server behind a breaker, whose answers the test decides. */
function behindBreaker() {
  const breaker = createBreaker();
  const answers: { resolve(result: unknown): void; reject(error: unknown): void }[] = [];
  const serve: Serve = breaker.layer(
    () => new Promise((resolve, reject) => void answers.push({ resolve, reject })),
  );
  const ask = async (answer?: unknown, method?: string): Promise<unknown> => {
    const asked = Promise.resolve(serve(request(method)));
    const own = answers.at(-1);
    if (answer instanceof Error) own?.reject(answer);
    else own?.resolve(answer);
    return asked;
  };
  return { breaker, answers, serve, ask };
}

test('a server that fails five times in a row is left alone, then tried by one request', async () => {
  const { breaker, answers, serve, ask } = behindBreaker();
  for (let failed = 0; failed < 5; failed += 1) {
    expect(breaker.state).toBe('closed');
    await expect(ask(lost())).rejects.toThrow('it hung up');
  }
  expect(breaker.state).toBe('open');
  await expect(serve(request())).rejects.toMatchObject({
    message: expect.stringContaining('The last time: it hung up'),
    data: { code: 'unreachable', mayHaveRun: false, retryable: true, retryAfterMs: 1000 },
  });
  expect(answers).toHaveLength(5);
  vi.advanceTimersByTime(1000);
  expect(breaker.state).toBe('trying');
  const trying = serve(request());
  await expect(serve(request())).rejects.toThrow('5 times in a row');
  expect(answers).toHaveLength(6);
  answers[5]?.resolve('well');
  expect(await trying).toBe('well');
  expect(breaker.state).toBe('closed');
});

test('it rests twice as long each time it was tried in vain, and half a minute at most', async () => {
  const { breaker, ask } = behindBreaker();
  for (let failed = 0; failed < 5; failed += 1) await ask(lost()).catch(() => {});
  for (const restMs of [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]) {
    vi.advanceTimersByTime(restMs - 1);
    expect(breaker.state).toBe('open');
    vi.advanceTimersByTime(1);
    await expect(ask(lost())).rejects.toThrow('it hung up');
  }
  breaker.reset();
  expect(breaker.state).toBe('closed');
});

test('what is lost together counts once', async () => {
  const { breaker, answers, serve } = behindBreaker();
  const all = Array.from({ length: 20 }, () => serve(request()));
  for (const { reject } of answers) reject(lost());
  for (const one of all) await expect(one).rejects.toThrow('it hung up');
  expect(breaker.state).toBe('closed');
});

test('what the server says itself, and what has no room here, is no failure', async () => {
  const { breaker, ask } = behindBreaker();
  const overloaded = { code: 'overloaded', retryable: true, mayHaveRun: false };
  for (let failed = 0; failed < 20; failed += 1) {
    for (const error of [
      new RpcError(rpcErrors.internal, 'a bug of the server'),
      new RpcError(rpcErrors.overloaded, 'too many conversations', overloaded),
    ]) {
      await expect(ask(error)).rejects.toBe(error);
    }
  }
  for (let failed = 0; failed < 4; failed += 1) await ask(lost()).catch(() => {});
  await ask('well');
  await ask(lost()).catch(() => {});
  expect(breaker.state).toBe('closed');
});

test('of what is asked a fifth may be asked once more', () => {
  const budget = createRetryBudget();
  const granted = (tries: number): number =>
    Array.from({ length: tries }, () => budget.mayRetry()).filter(Boolean).length;
  expect(granted(10)).toBe(3);
  for (let asked = 0; asked < 10; asked += 1) budget.asked();
  expect(granted(10)).toBe(2);
  for (let asked = 0; asked < 10_000; asked += 1) budget.asked();
  expect(granted(100)).toBe(10);
  let retries = 0;
  for (let asked = 0; asked < 1000; asked += 1) {
    budget.asked();
    if (budget.mayRetry()) retries += 1;
  }
  expect(retries).toBe(200);
});
