import { Buffer } from 'node:buffer';
import { describe, expect, test } from 'vitest';
import { accept, call, start, stateOf, textOf } from './input-fixture.ts';

// Multi round-trip requests: what clients carry between rounds, and what they must be able to do.

describe('the state', () => {
  test('says nothing to who carries it', async () => {
    await using server = await start();
    const first = await call(server, { name: 'rounds' });
    const state = Buffer.from(stateOf(first), 'base64url').toString('latin1');
    expect(state).not.toContain('first');
  });

  const reply = { inputResponses: { who: accept('Ada') } };
  test.each([
    ['changed', (state: string) => `${state.slice(0, -2)}${state.endsWith('AA') ? 'BB' : 'AA'}`],
    ['cut short', (state: string) => state.slice(0, 20)],
    ['invented', () => 'let me in'],
    ['empty', () => ''],
    ['no text', () => 5],
  ])('that was %s is refused', async (_how, change) => {
    await using server = await start();
    const requestState = change(stateOf(await call(server, { name: 'greet' })));
    const answer = await call(server, { name: 'greet', ...reply, requestState });
    expect(answer.message).toMatchObject({ error: { code: -32602 } });
  });

  test.each([
    ['another tool', { name: 'visit' }],
    ['other arguments', { name: 'greet', arguments: { greeting: 'Bye' } }],
  ])('of one call is refused for %s', async (_what, params) => {
    await using server = await start();
    const requestState = stateOf(await call(server, { name: 'greet' }));
    const answer = await call(server, { ...params, ...reply, requestState });
    expect(answer.message).toMatchObject({ error: { code: -32602 } });
  });

  test('does not care in which order the same arguments are written', async () => {
    await using server = await start();
    const first = await call(server, { name: 'greet', arguments: { greeting: 'A', b: 1 } });
    const answer = await call(server, {
      arguments: { b: 1, greeting: 'A' },
      ...reply,
      requestState: stateOf(first),
      name: 'greet',
    });
    expect(answer.message.result).toMatchObject({ resultType: 'complete' });
  });

  test('of another server is refused, unless they share a key', async () => {
    const requestState = { keys: [new Uint8Array(32).fill(7)] };
    await using one = await start({ requestState });
    await using two = await start({ requestState });
    await using stranger = await start();
    const state = stateOf(await call(one, { name: 'greet' }));
    const params = { name: 'greet', ...reply, requestState: state };
    expect(textOf(await call(two, params))).toEqual([{ type: 'text', text: 'Hello Ada' }]);
    expect((await call(stranger, params)).message).toMatchObject({ error: { code: -32602 } });
  });

  test('expires', async () => {
    let now = 0;
    await using server = await start({ requestState: { ttlMs: 1000, now: () => now } });
    const requestState = stateOf(await call(server, { name: 'greet' }));
    now = 1000;
    const answer = await call(server, { name: 'greet', ...reply, requestState });
    expect(answer.message).toMatchObject({ error: { code: -32602 } });
  });
});

describe('what the client has not declared', () => {
  test.each([
    ['greet', {}, { elicitation: { form: {} } }],
    ['greet', { elicitation: { url: {} } }, { elicitation: { form: {} } }],
    ['visit', { elicitation: {} }, { elicitation: { url: {} } }],
    ['visit', { elicitation: { form: {} } }, { elicitation: { url: {} } }],
    ['all', { elicitation: {}, roots: {} }, { sampling: {} }],
  ] as const)('is not asked: %s with %o', async (tool, declared, requiredCapabilities) => {
    await using server = await start();
    const answer = await call(server, { name: tool }, declared);
    expect(answer).toMatchObject({
      status: 400,
      message: { error: { code: -32021, data: { requiredCapabilities } } },
    });
  });

  test('elicitation without a mode means forms', async () => {
    await using server = await start();
    const answer = await call(server, { name: 'greet' }, { elicitation: {} });
    expect(answer.message.result).toMatchObject({ resultType: 'input_required' });
  });
});
