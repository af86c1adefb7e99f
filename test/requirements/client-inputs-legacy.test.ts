import { createDeferred } from 'mcp-kit/internal';
import { describe, expect, test } from 'vitest';
import { textOf } from '../interop/client-session.ts';
import { form, inputs } from './client-answers.ts';
import { failure, older, open, refuse, script, settle, text } from './client-script.ts';

describe('in the legacy era', () => {
  const ask = (method: string, params?: object): object => ({
    id: `${method} 1`,
    method,
    ...(params && { params }),
  });

  test('what has no handler is a method nobody knows', async () => {
    const server = script(older);
    await using _session = await open(server);
    for (const method of [
      'elicitation/create',
      'sampling/createMessage',
      'roots/list',
      'tasks/get',
    ]) {
      server.peer.say(ask(method, {}));
      expect(await server.peer.answerTo(`${method} 1`)).toMatchObject({ error: { code: -32601 } });
    }
    server.peer.say(ask('ping'));
    expect(await server.peer.answerTo('ping 1')).toMatchObject({ result: {} });
  });

  test('a mode that was not offered is refused', async () => {
    const server = script(older);
    await using _forms = await open(server, { inputs: { elicit: () => ({ action: 'cancel' }) } });
    server.peer.say(ask('elicitation/create', { mode: 'url', message: 'Go', url: 'https://a.b' }));
    expect(await server.peer.answerTo('elicitation/create 1')).toMatchObject({
      error: { code: -32602 },
    });
    expect(server.peer.of('initialize')[0]?.params?.['capabilities']).toEqual({
      elicitation: { form: {} },
    });
  });

  test('capabilities say what the handlers can do, beside what else was declared', async () => {
    const server = script(older);
    const capabilities = { sampling: { tools: {} }, experimental: { x: {} } };
    await using _session = await open(server, { inputs, capabilities });
    expect(server.peer.of('initialize')[0]?.params?.['capabilities']).toEqual({
      elicitation: { form: {}, url: {} },
      sampling: { tools: {} },
      roots: { listChanged: true },
      experimental: { x: {} },
    });
  });

  test('a form is answered with its defaults; a handler that breaks the form is a bug', async () => {
    const server = script(older);
    const answers = [{ nick: 'A' }, { age: 'seven' }];
    await using _session = await open(server, {
      inputs: { elicit: () => ({ action: 'accept', content: answers.shift() ?? {} }) },
    });
    server.peer.say({ ...ask('elicitation/create', form), id: 1 });
    expect(await server.peer.answerTo(1)).toMatchObject({
      result: { action: 'accept', content: { name: 'nobody', age: 7, nick: 'A' } },
    });
    server.peer.say({ ...ask('elicitation/create', form), id: 'two' });
    expect(await server.peer.answerTo('two')).toMatchObject({ error: { code: -32603 } });
  });

  test('a server that cancels its question tells the handler, and gets no answer', async () => {
    const server = script(older);
    const asked = createDeferred<AbortSignal>();
    const answer = createDeferred<{ action: 'cancel' }>();
    await using session = await open(server, {
      inputs: {
        elicit: (_form, { signal }) => {
          asked.resolve(signal);
          return answer.promise;
        },
      },
    });
    server.peer.say({ ...ask('elicitation/create', form), id: 9 });
    const signal = await asked.promise;
    server.peer.notify('notifications/cancelled', { requestId: 9, reason: 'too late' });
    expect(signal.aborted).toBe(true);
    answer.resolve({ action: 'cancel' });
    await session.ping();
    expect(server.heard).not.toContain('answer');
  });

  test('64 questions may wait; the next is told to come back later', async () => {
    const server = script(older);
    const answer = createDeferred<{ action: 'cancel' }>();
    let waiting = 0;
    await using _session = await open(server, {
      inputs: {
        elicit: () => {
          waiting += 1;
          return answer.promise;
        },
      },
    });
    for (let id = 1; id <= 65; id += 1) server.peer.say({ ...ask('elicitation/create', form), id });
    expect(await server.peer.answerTo(65)).toMatchObject({ error: { code: -32000 } });
    expect(waiting).toBe(64);
    answer.resolve({ action: 'cancel' });
    for (let id = 1; id <= 64; id += 1) {
      expect(await server.peer.answerTo(id)).toMatchObject({ result: { action: 'cancel' } });
    }
  });

  test('a model that was not offered to use tools is not asked to', async () => {
    const server = script(older);
    const sample = () => ({
      role: 'assistant' as const,
      model: 'm',
      content: { type: 'text' as const, text: 'ok' },
    });
    const wish = { messages: [], maxTokens: 1, tools: [] };
    await using _plain = await open(server, { inputs: { sample } });
    server.peer.say({ ...ask('sampling/createMessage', wish), id: 1 });
    expect(await server.peer.answerTo(1)).toMatchObject({ error: { code: -32602 } });
    const capabilities = { sampling: { tools: {} } };
    await using _able = await open(server, { inputs: { sample }, capabilities });
    server.peer.say({ ...ask('sampling/createMessage', wish), id: 1 });
    expect(await server.peer.answerTo(1)).toMatchObject({ result: { model: 'm' } });
  });

  test('questions are answered at the same time, each as soon as it can be', async () => {
    const server = script(older);
    const slow = createDeferred<{ action: 'cancel' }>();
    await using _session = await open(server, {
      inputs: { elicit: () => slow.promise, roots: [] },
    });
    server.peer.say({ ...ask('elicitation/create', form), id: 1 });
    server.peer.say({ ...ask('roots/list'), id: 2 });
    expect(await server.peer.answerTo(2)).toMatchObject({ result: { roots: [] } });
    slow.resolve({ action: 'cancel' });
    expect(await server.peer.answerTo(1)).toMatchObject({ result: { action: 'cancel' } });
  });
});

describe('while a person answers a legacy server', () => {
  const asking = () =>
    script({
      ...older,
      'tools/call': async (_params, { peer }) => {
        peer.say({ ...form, id: 'q', method: 'elicitation/create', params: form });
        await peer.answerTo('q');
        return text('done');
      },
    });

  test('the call does not run out of time, however long it takes', async () => {
    const server = asking();
    const elicit = async () => {
      await new Promise((resolve) => setTimeout(resolve, 500));
      return { action: 'cancel' } as const;
    };
    await using session = await open(server, { timeoutMs: 200, inputs: { elicit } });
    const progress: unknown[] = [];
    const onProgress = (params: object): void => void progress.push(params);
    expect(textOf(await session.callTool('t', {}, { onProgress }))).toBe('done');
    expect(progress).toEqual([]);
  });

  test('the absolute cap holds all the same', async () => {
    const server = asking();
    const elicit = () => new Promise<never>(() => {});
    await using session = await open(server, {
      timeoutMs: 60,
      maxTotalMs: 200,
      inputs: { elicit },
    });
    const error = await failure(session.callTool('t'));
    expect(error).toMatchObject({ code: 'timeout' });
    expect(error.message).toContain('200 ms');
  });
});

describe('a legacy server that wants pages visited first', () => {
  const errands = ['one', 'two'].map((elicitationId) => ({
    mode: 'url',
    elicitationId,
    url: `https://example.com/${elicitationId}`,
    message: 'Please agree.',
  }));
  const reluctant = () => {
    let willing = false;
    const refusal = refuse(-32042, { elicitations: errands });
    const server = script({
      ...older,
      'tools/call': (params, call) => (willing ? text('done') : refusal(params, call)),
    });
    const agree = (): void => {
      willing = true;
    };
    return { server, agree };
  };

  test('is asked again when all visits were agreed to and are over', async () => {
    const { server, agree } = reluctant();
    const visited: unknown[] = [];
    const shown = createDeferred<void>();
    await using session = await open(server, {
      inputs: {
        elicitUrl: ({ url, message }) => {
          visited.push([url, message]);
          if (visited.length === 2) shown.resolve();
          return { action: 'accept' };
        },
      },
    });
    const call = session.callTool('t', { a: 1 });
    await shown.promise;
    for (const elicitationId of ['two', 'unknown', 'one']) {
      await settle();
      expect(server.peer.of('tools/call')).toHaveLength(1);
      if (elicitationId === 'one') agree();
      server.peer.notify('notifications/elicitation/complete', { elicitationId });
    }
    expect(textOf(await call)).toBe('done');
    expect(visited).toEqual(errands.map(({ url, message }) => [url, message]));
    expect(server.peer.of('tools/call')[1]?.params).toMatchObject({
      name: 't',
      arguments: { a: 1 },
    });
  });

  test('is asked again after a while when it does not say that they are over', async () => {
    const { server, agree } = reluctant();
    await using session = await open(server, {
      inputs: {
        elicitUrl: () => {
          agree();
          return { action: 'accept' };
        },
      },
    });
    expect(textOf(await session.callTool('t', {}, { timeoutMs: 30 }))).toBe('done');
  });

  test('is asked only once more', async () => {
    const { server } = reluctant();
    await using session = await open(server, { inputs });
    const error = await failure(session.callTool('t', {}, { timeoutMs: 10 }));
    expect(error).toMatchObject({ code: -32042 });
    expect(server.peer.of('tools/call')).toHaveLength(2);
  });

  test.each(['decline', 'cancel'] as const)('is not asked again after "%s"', async (action) => {
    const { server } = reluctant();
    await using session = await open(server, { inputs: { elicitUrl: () => ({ action }) } });
    expect(await failure(session.callTool('t'))).toMatchObject({ code: -32042 });
    expect(server.peer.of('tools/call')).toHaveLength(1);
  });

  test('is an error where nobody visits pages, or it does not say which', async () => {
    await using plain = await open(reluctant().server);
    expect(await failure(plain.callTool('t'))).toMatchObject({ code: -32042 });
    const vague = script({ ...older, 'tools/call': refuse(-32042, { elicitations: [{}] }) });
    await using session = await open(vague, { inputs });
    expect(await failure(session.callTool('t'))).toMatchObject({ code: -32042 });
  });

  test.each(['cancelled', 'closed'] as const)('lets go of a call that is %s', async (how) => {
    const { server } = reluctant();
    const asked = createDeferred<AbortSignal>();
    await using session = await open(server, {
      inputs: {
        elicitUrl: (_visit, { signal }) => {
          asked.resolve(signal);
          return new Promise(() => {});
        },
      },
    });
    const stop = new AbortController();
    const call = failure(session.callTool('t', {}, { signal: stop.signal }));
    const signal = await asked.promise;
    if (how === 'closed') await session.close();
    else stop.abort();
    expect(await call).toMatchObject({ code: how === 'closed' ? 'closed' : 'aborted' });
    expect(signal.aborted).toBe(true);
  });
});
