import { createDeferred } from 'mcp-kit/internal';
import type { InputContext, SessionOptions } from 'mcp-kit/client';
import { RpcError } from 'mcp-kit/jsonrpc';
import { describe, expect, test } from 'vitest';
import { form } from './client-answers.ts';
import { failure, newer, older, open, script, settle, text } from './client-script.ts';

const question = (id: number | string): object => ({
  id,
  method: 'elicitation/create',
  params: form,
});

/** A handler whose calls wait until the test lets them go, in order. */
function held() {
  const calls: { readonly context: InputContext; readonly answer: () => void }[] = [];
  return {
    calls,
    elicit: (_form: unknown, context: InputContext) => {
      const { promise, resolve } = createDeferred<{ action: 'cancel' }>();
      calls.push({ context, answer: () => resolve({ action: 'cancel' }) });
      return promise;
    },
  };
}

describe('requests that no input handler answers', () => {
  const asked = { id: 1, method: 'acme/greet', params: { name: 'Ada' } };

  test('go to onRequest, whose answer is the result', async () => {
    const server = script(older);
    const seen: unknown[] = [];
    const onRequest: NonNullable<SessionOptions['onRequest']> = (request, { signal }) => {
      seen.push(request, signal.aborted);
      return { hello: request.params?.['name'] };
    };
    await using _session = await open(server, { onRequest });
    server.peer.say(asked);
    expect(await server.peer.answerTo(1)).toMatchObject({ result: { hello: 'Ada' } });
    expect(seen).toEqual([{ method: 'acme/greet', params: { name: 'Ada' } }, false]);
  });

  test('are unknown methods when it has no answer, and what it throws is the answer', async () => {
    const server = script(older);
    await using _session = await open(server, {
      onRequest: ({ method }) => {
        if (method === 'acme/refuse') throw new RpcError(-32050, 'not today', { until: 7 });
        if (method === 'acme/bug') throw new Error('secret');
        return undefined;
      },
    });
    for (const [id, method] of ['acme/greet', 'acme/refuse', 'acme/bug'].entries()) {
      server.peer.say({ id, method });
    }
    expect(await server.peer.answerTo(0)).toMatchObject({ error: { code: -32601 } });
    expect(await server.peer.answerTo(1)).toMatchObject({
      error: { code: -32050, message: 'not today', data: { until: 7 } },
    });
    expect(await server.peer.answerTo(2)).toMatchObject({
      error: { code: -32603, message: 'Internal error' },
    });
  });

  test('never are those that an input handler answers, nor ping', async () => {
    const server = script(older);
    const methods: string[] = [];
    await using _session = await open(server, {
      inputs: { roots: [] },
      onRequest: ({ method }) => {
        methods.push(method);
        return { by: 'onRequest' };
      },
    });
    server.peer.say({ id: 1, method: 'roots/list' });
    server.peer.say({ id: 2, method: 'ping' });
    server.peer.say({ id: 3, method: 'sampling/createMessage', params: {} });
    expect(await server.peer.answerTo(1)).toMatchObject({ result: { roots: [] } });
    expect(await server.peer.answerTo(2)).toMatchObject({ result: {} });
    expect(await server.peer.answerTo(3)).toMatchObject({ result: { by: 'onRequest' } });
    expect(methods).toEqual(['sampling/createMessage']);
  });
});

describe('handlers', () => {
  test('are called so many at a time, the others in the order they were asked', async () => {
    const server = script(older);
    const { calls, elicit } = held();
    const others: string[] = [];
    await using _session = await open(server, {
      inputs: { elicit },
      onRequest: ({ method }) => {
        others.push(method);
        return {};
      },
      handlers: { concurrency: 2 },
    });
    for (let id = 1; id <= 3; id += 1) server.peer.say(question(id));
    server.peer.say({ id: 'own', method: 'acme/own' });
    await settle();
    expect([calls.length, others]).toEqual([2, []]);
    calls[0]?.answer();
    expect(await server.peer.answerTo(1)).toMatchObject({ result: { action: 'cancel' } });
    await settle();
    expect([calls.length, others]).toEqual([3, []]);
    calls[1]?.answer();
    expect(await server.peer.answerTo('own')).toMatchObject({ result: {} });
    calls[2]?.answer();
    expect(await server.peer.answerTo(3)).toMatchObject({ result: { action: 'cancel' } });
  });

  test('that wait are forgotten when the server no longer wants the answer', async () => {
    const server = script(older);
    const { calls, elicit } = held();
    await using _session = await open(server, {
      inputs: { elicit },
      handlers: { concurrency: 1 },
    });
    for (let id = 1; id <= 3; id += 1) server.peer.say(question(id));
    await settle();
    server.peer.notify('notifications/cancelled', { requestId: 2 });
    // Cancelled while it runs: told, left alone, and no longer in the way of the next.
    server.peer.notify('notifications/cancelled', { requestId: 1 });
    await settle();
    expect(calls.map(({ context }) => context.signal.aborted)).toEqual([true, false]);
    calls[1]?.answer();
    expect(await server.peer.answerTo(3)).toMatchObject({ result: { action: 'cancel' } });
    expect(server.peer.received.filter(({ id, method }) => id === 2 && !method)).toEqual([]);
  });

  test('of both kinds are bounded together: 64 wait, one more is told so, a ping is answered', async () => {
    const server = script(older);
    const { calls, elicit } = held();
    await using session = await open(server, {
      inputs: { elicit },
      onRequest: () => ({}),
      handlers: { concurrency: 1 },
    });
    for (let id = 1; id <= 64; id += 1) server.peer.say(question(id));
    server.peer.say({ id: 65, method: 'acme/own' });
    server.peer.say({ id: 66, method: 'ping' });
    expect(await server.peer.answerTo(65)).toMatchObject({
      error: { code: -32000, message: 'client overloaded' },
    });
    expect(await server.peer.answerTo(66)).toMatchObject({ result: {} });
    for (let at = 0; at < 64; at += 1) {
      calls[at]?.answer();
      await server.peer.answerTo(at + 1);
      await settle();
    }
    expect(calls).toHaveLength(64);
    expect(session.stats.handlerTimeouts).toBe(0);
  });

  test('that take too long are told, counted, and answered for; the next is called', async () => {
    const server = script(older);
    const { calls, elicit } = held();
    await using session = await open(server, {
      inputs: { elicit },
      handlers: { concurrency: 1, timeoutMs: 20 },
    });
    server.peer.say(question(1));
    server.peer.say(question(2));
    expect(await server.peer.answerTo(1)).toMatchObject({
      error: { code: -32000, message: 'elicitation/create: timed out' },
    });
    expect(calls[0]?.context.signal.aborted).toBe(true);
    // Its clock begins when it is called, not when it was asked for.
    expect(await server.peer.answerTo(2)).toMatchObject({ error: { code: -32000 } });
    expect(calls).toHaveLength(2);
    expect(session.stats.handlerTimeouts).toBe(2);
    await session.ping();
  });

  test('that were too slow once are in nobody’s way later', async () => {
    const server = script(older);
    const { calls, elicit } = held();
    await using session = await open(server, { inputs: { elicit }, handlers: { timeoutMs: 10 } });
    server.peer.say(question(1));
    await server.peer.answerTo(1);
    calls[0]?.answer();
    await settle();
    expect(server.peer.received.filter(({ id, method }) => id === 1 && !method)).toHaveLength(1);
    expect(session.stats.handlerTimeouts).toBe(1);
  });

  test('are called one by one in the modern era, too; a late one fails its call', async () => {
    const asks = {
      resultType: 'input_required',
      inputRequests: { q: { method: 'elicitation/create', params: form } },
    };
    const server = script({
      ...newer,
      'tools/call': ({ inputResponses }) =>
        inputResponses === undefined ? asks : { resultType: 'complete', ...text('done') },
    });
    const { calls, elicit } = held();
    await using session = await open(server, {
      inputs: { elicit },
      handlers: { concurrency: 1, timeoutMs: 2000 },
    });
    const both = [session.callTool('a'), session.callTool('b')];
    await server.peer.nth('tools/call', 2);
    await settle();
    expect(calls).toHaveLength(1);
    calls[0]?.answer();
    await both[0];
    await settle();
    calls[1]?.answer();
    await both[1];
    expect(session.stats.handlerTimeouts).toBe(0);

    await using impatient = await open(server, { inputs: { elicit }, handlers: { timeoutMs: 10 } });
    const error = await failure(impatient.callTool('c'));
    expect(error).toMatchObject({ code: 'timeout' });
    expect(error.message).toContain('elicitation/create');
    expect(impatient.stats.handlerTimeouts).toBe(1);
  });

  test('are not asked more than 64 things at once by one answer of the modern era', async () => {
    const requests = (count: number): object =>
      Object.fromEntries(
        Array.from({ length: count }, (_, at) => [`q${at}`, { method: 'roots/list' }]),
      );
    const server = script({
      ...newer,
      'tools/call': ({ name, inputResponses }) =>
        inputResponses === undefined
          ? { resultType: 'input_required', inputRequests: requests(Number(name)) }
          : { resultType: 'complete', ...text('done') },
    });
    await using session = await open(server, { inputs: { roots: [] } });
    await session.callTool('64');
    expect(await failure(session.callTool('65'))).toMatchObject({ code: 'invalid_answer' });
  });
});
