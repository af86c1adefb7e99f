import { describe, expect, test } from 'vitest';
import { accept, ask, call, name, start, stateOf, textOf, visit } from './input-fixture.ts';

// Multi round-trip requests: what a handler asks comes back as a result, and the answers with the next try.

describe('a question', () => {
  test('is a result of its own kind, with the state to come back with', async () => {
    await using server = await start();
    const { status, message } = await call(server, { name: 'greet' });
    expect(status).toBe(200);
    expect(message.result).toEqual({
      resultType: 'input_required',
      inputRequests: { who: { method: 'elicitation/create', params: name.params } },
      requestState: expect.any(String),
      _meta: expect.any(Object),
    });
    expect(name.params).toMatchObject({ mode: 'form', message: 'Name?' });
  });

  test('is answered by the same request with the answer and the state', async () => {
    await using server = await start();
    const first = await call(server, { name: 'greet', arguments: { greeting: 'Moin' } });
    const second = await call(server, {
      name: 'greet',
      arguments: { greeting: 'Moin' },
      inputResponses: { who: accept('Ada') },
      requestState: stateOf(first),
    });
    expect(second.message.result).toMatchObject({ resultType: 'complete' });
    expect(textOf(second)).toEqual([{ type: 'text', text: 'Moin Ada' }]);
  });

  test.each(['decline', 'cancel'])('may be answered by %s', async (action) => {
    await using server = await start();
    const requestState = stateOf(await call(server, { name: 'greet' }));
    const params = { name: 'greet', inputResponses: { who: { action } }, requestState };
    expect(textOf(await call(server, params))).toEqual([{ type: 'text', text: action }]);
  });

  test('may be one of several of every kind', async () => {
    await using server = await start();
    const first = await call(server, { name: 'all' });
    expect(first.message.result).toMatchObject({
      inputRequests: {
        who: { method: 'elicitation/create' },
        text: { method: 'sampling/createMessage', params: { messages: [], maxTokens: 5 } },
        where: { method: 'roots/list' },
      },
    });
    const second = await call(server, {
      name: 'all',
      requestState: stateOf(first),
      inputResponses: {
        who: accept('Ada'),
        text: { role: 'assistant', content: { type: 'text', text: 'x' }, model: 'm' },
        where: { roots: [{ uri: 'file:///a' }] },
        unasked: { action: 'accept' },
      },
    });
    expect(textOf(second)).toEqual([
      { type: 'text', text: '{"who":{"name":"Ada"},"model":"m","roots":1}' },
    ]);
  });

  test.each([
    ['nothing', undefined],
    ['an answer to something else', { other: accept('Ada') }],
    ['no object', { who: 'Ada' }],
    ['an unknown action', { who: { action: 'maybe' } }],
    ['an empty form', { who: { action: 'accept' } }],
    ['a form without its field', { who: { action: 'accept', content: {} } }],
    ['a form with a field of another type', { who: { action: 'accept', content: { name: 5 } } }],
  ])('answered by %s is asked again', async (_what, inputResponses) => {
    await using server = await start();
    const requestState = stateOf(await call(server, { name: 'greet' }));
    const again = await call(server, { name: 'greet', requestState, inputResponses });
    expect(again.message.result).toMatchObject({
      resultType: 'input_required',
      inputRequests: { who: {} },
    });
  });

  test('of several, only those without an answer are asked again', async () => {
    await using server = await start();
    const first = await call(server, { name: 'all' });
    const second = await call(server, {
      name: 'all',
      requestState: stateOf(first),
      inputResponses: { who: accept('Ada'), where: { roots: [] } },
    });
    expect(Object.keys(second.message.result?.['inputRequests'] as object)).toEqual(['text']);
    const text = { role: 'assistant', content: [], model: 'm' };
    const third = await call(server, {
      name: 'all',
      requestState: stateOf(second),
      inputResponses: { text },
    });
    expect(textOf(third)).toEqual([
      { type: 'text', text: '{"who":{"name":"Ada"},"model":"m","roots":0}' },
    ]);
  });

  test('of a web address carries no elicitation id', async () => {
    await using server = await start();
    const first = await call(server, { name: 'visit' });
    expect(first.message.result?.['inputRequests']).toEqual({
      page: { method: 'elicitation/create', params: { mode: 'url', ...visit.params } },
    });
    expect(visit.params).not.toHaveProperty('elicitationId');
    const inputResponses = { page: { action: 'accept' } };
    const second = await call(server, {
      name: 'visit',
      inputResponses,
      requestState: stateOf(first),
    });
    expect(textOf(second)).toEqual([{ type: 'text', text: 'accept' }]);
  });
});

describe('rounds', () => {
  test('may be many, and an effect marked so runs in the first of them only', async () => {
    await using server = await start();
    const first = await call(server, { name: 'rounds' });
    const second = await call(server, {
      name: 'rounds',
      requestState: stateOf(first),
      inputResponses: { one: accept('Ada') },
    });
    expect(second.message.result).toMatchObject({ inputRequests: { two: {} } });
    const third = await call(server, {
      name: 'rounds',
      requestState: stateOf(second),
      inputResponses: { two: accept('Bob') },
    });
    expect(textOf(third)).toEqual([{ type: 'text', text: 'Ada Bob 2' }]);
    expect(server.effects).toEqual(['first', 'second']);
  });

  test.each(['prompts/get', 'resources/read'])('are open to %s, too', async (method) => {
    await using server = await start();
    const params = method === 'prompts/get' ? { name: 'asking' } : { uri: 'note://asking' };
    const first = await ask(server, method, params);
    expect(first.message.result).toMatchObject({ resultType: 'input_required' });
    expect(first.message.result).not.toHaveProperty('ttlMs');
    const second = await ask(server, method, {
      ...params,
      requestState: stateOf(first),
      inputResponses: { name: accept('Ada') },
    });
    expect(second.message.result).toMatchObject({ resultType: 'complete' });
    expect(second.text).toContain('Ada');
  });

  test('are open to no other method', async () => {
    await using server = await start();
    const answer = await ask(server, 'completion/complete', {
      ref: { type: 'ref/prompt', name: 'asking' },
      argument: { name: 'a', value: '' },
    });
    expect(answer).toMatchObject({ status: 200, message: { error: { code: -32603 } } });
  });
});
