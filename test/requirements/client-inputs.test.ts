import { createDeferred } from 'mcp-kit/internal';
import type { InputHandlers, Session } from 'mcp-kit/client';
import { metaKeys } from 'mcp-kit/protocol';
import { memoryTarget } from 'mcp-kit/testing';
import { describe, expect, test } from 'vitest';
import { textOf } from '../interop/client-session.ts';
import { createFixture } from '../interop/fixture.mjs';
import { form, inputs } from './client-answers.ts';
import { failure, metaOf, open, script, settle, text } from './client-script.ts';
import { before } from '../support/before.ts';

describe.each(['legacy', 'modern'] as const)('in the %s era', (era) => {
  const openFixture = (handlers: InputHandlers): Promise<Session> =>
    open(memoryTarget(createFixture().server), { era, inputs: handlers });

  test.each([
    ['ask_name', 'name=Ada'],
    ['ask_visit', 'accept'],
    ['sample', 'm100: word'],
    ['list_roots', 'repo file:///repo'],
    ['ask_everything', 'name=Ada word file:///repo'],
    ['ask_in_turn', 'name=Ada colour=red true'],
  ])('%s is answered', async (tool, answer) => {
    await using session = await openFixture(inputs);
    expect(textOf(await session.callTool(tool))).toBe(answer);
  });

  test('resources may ask as well', async () => {
    await using session = await openFixture(inputs);
    expect((await session.readResource('memo://personal')).contents).toMatchObject([
      { text: 'the memo of Ada' },
    ]);
  });

  test('roots may be a function; declining is an answer', async () => {
    await using session = await openFixture({
      elicit: async () => ({ action: 'decline' }),
      roots: async () => [{ uri: 'file:///elsewhere' }],
    });
    expect(textOf(await session.callTool('list_roots'))).toBe('? file:///elsewhere');
    expect(textOf(await session.callTool('ask_name'))).toBe('decline');
  });

  test('what has no handler is not declared, so the server does not ask', async () => {
    await using session = await openFixture({});
    const result = await session.callTool('ask_name').catch((error: unknown) => error);
    expect(JSON.stringify(result instanceof Error ? result.message : result)).toContain(
      'elicitation',
    );
  });

  test('a handler that throws ends the call, not the session', async () => {
    await using session = await openFixture({
      elicit: () => {
        throw new Error('a bug of the host');
      },
    });
    const outcome = await session.callTool('ask_name').catch((error: unknown) => error);
    // In the modern era the handler runs within the call; in the legacy one it is asked by the server, which learns nothing.
    const told = outcome instanceof Error && outcome.message === 'a bug of the host';
    expect([told, JSON.stringify(outcome)?.includes('a bug')]).toEqual([era === 'modern', false]);
    expect(textOf(await session.callTool('greet', { name: 'Ada' }))).toBe('Hello, Ada!');
  });

  test('closing the session settles a call whose question is still open, and tells the handler', async () => {
    const asked = createDeferred<AbortSignal>();
    const session = await openFixture({
      elicit: (_form, { signal }) => {
        asked.resolve(signal);
        return new Promise(() => {});
      },
    });
    const call = failure(session.callTool('ask_name'));
    const signal = await asked.promise;
    await session.close();
    expect(await call).toMatchObject({ code: 'closed' });
    expect(signal.aborted).toBe(true);
  });

  test('cancelling settles a call whose question is still open, and tells the handler', async () => {
    const asked = createDeferred<AbortSignal>();
    await using session = await openFixture({
      elicit: (_form, { signal }) => {
        asked.resolve(signal);
        return new Promise(() => {});
      },
    });
    const stop = new AbortController();
    const call = failure(session.callTool('ask_name', {}, { signal: stop.signal }));
    const signal = await asked.promise;
    stop.abort();
    expect(await call).toMatchObject({ code: 'aborted' });
    await settle();
    expect(signal.aborted).toBe(true);
  });
});

describe('in the modern era', () => {
  const wanted = (params: object, requestState?: unknown): object => ({
    resultType: 'input_required',
    inputRequests: { q: { method: 'elicitation/create', params } },
    ...(requestState !== undefined && { requestState }),
  });
  const done = { resultType: 'complete', ...text('done') };
  const discover = {
    'server/discover': () => ({ supportedVersions: ['2026-07-28'], capabilities: {} }),
  };

  test('the state comes back byte for byte, with the same parameters and a new id', async () => {
    const state = ' \u0000"ünï\\u2028" \u{1F30D} ';
    let round = 0;
    const server = script({
      ...discover,
      'tools/call': () => (++round < 3 ? wanted(form, `${state}${round}`) : done),
    });
    await using session = await open(server, { inputs });
    await session.callTool('t', { a: 1 });
    const calls = server.peer.of('tools/call');
    expect(calls.map(({ params }) => params?.['requestState'])).toEqual([
      undefined,
      `${state}1`,
      `${state}2`,
    ]);
    for (const { params } of calls) {
      expect(params).toMatchObject({ name: 't', arguments: { a: 1 } });
    }
    expect(new Set(calls.map(({ id }) => id)).size).toBe(3);
    expect(metaOf(calls[2] ?? {})[metaKeys.protocolVersion]).toBe('2026-07-28');
    expect(calls[0]?.params).not.toHaveProperty('inputResponses');
    expect(calls[1]?.params?.['inputResponses']).toMatchObject({ q: { action: 'accept' } });
  });

  test('state and answers of one call never reach another', async () => {
    const server = script({
      ...discover,
      'tools/call': ({ name, requestState, inputResponses }) =>
        requestState === undefined
          ? wanted({ ...form, message: String(name) }, `state of ${String(name)}`)
          : {
              resultType: 'complete',
              ...text(JSON.stringify([name, requestState, inputResponses])),
            },
    });
    await using session = await open(server, {
      inputs: {
        elicit: async ({ message }) => {
          await settle();
          return { action: 'accept', content: { name: message } };
        },
      },
    });
    const names = Array.from({ length: 20 }, (_, at) => `tool ${at}`);
    const results = await Promise.all(names.map((name) => session.callTool(name)));
    for (const [at, name] of names.entries()) {
      const [called, state, responses] = JSON.parse(textOf(results[at] ?? { content: [] }));
      expect([called, state]).toEqual([name, `state of ${name}`]);
      expect(responses.q.content.name).toBe(name);
    }
    expect(server.peer.of('tools/call')).toHaveLength(40);
    await session.callTool('plain');
    expect(server.peer.of('tools/call')[40]?.params).not.toHaveProperty('requestState');
  });

  test('a state alone means: try again a little later', async () => {
    let round = 0;
    const server = script({
      ...discover,
      'tools/call': () =>
        ++round === 1 ? { resultType: 'input_required', requestState: 's' } : done,
    });
    await using session = await open(server);
    const since = performance.now();
    await session.callTool('t');
    expect(performance.now() - since).toBeGreaterThan(200);
    const [, again] = server.peer.of('tools/call');
    expect(again?.params).toMatchObject({ requestState: 's' });
    expect(again?.params).not.toHaveProperty('inputResponses');
  });

  test('a server that never has enough is stopped after ten rounds', async () => {
    const server = script({ ...discover, 'tools/call': () => wanted(form) });
    await using session = await open(server, { inputs });
    expect(await failure(session.callTool('t'))).toMatchObject({ code: 'invalid_answer' });
    expect(server.peer.of('tools/call')).toHaveLength(11);
  });

  test.each([
    ['a type nobody knows', 'tools/call', { resultType: 'task', ...text('') }],
    ['a question that is not said', 'tools/call', { resultType: 'input_required' }],
    [
      'a question that cannot be read',
      'tools/call',
      { resultType: 'input_required', inputRequests: { q: 'who?' } },
    ],
    [
      'a question where none is allowed',
      'tools/list',
      { resultType: 'input_required', requestState: 's', tools: [] },
    ],
    [
      'a question that was not offered to be answered',
      'tools/call',
      { resultType: 'input_required', inputRequests: { q: { method: 'roots/list' } } },
    ],
    ['a result that is not an object', 'tools/call', []],
  ])('%s is no answer', async (_what, method, result) => {
    const server = script({ ...discover, [method]: () => result });
    await using session = await open(server);
    expect(await failure(session.request(method, { name: 't' }))).toMatchObject({
      code: 'invalid_answer',
    });
    expect(server.peer.of(method)).toHaveLength(1);
  });

  test('what an accepted form leaves out gets its default', async () => {
    const server = script({
      ...discover,
      'tools/call': ({ inputResponses }) => (inputResponses === undefined ? wanted(form) : done),
    });
    await using session = await open(server, {
      inputs: { elicit: () => ({ action: 'accept', content: { name: 'Ada' } }) },
    });
    await session.callTool('t');
    expect(server.peer.of('tools/call')[1]?.params?.['inputResponses']).toEqual({
      q: { action: 'accept', content: { name: 'Ada', age: 7 } },
    });
  });

  test('what questions took is gone from the time of the next round', async () => {
    const server = script({
      ...discover,
      'tools/call': ({ inputResponses }) =>
        inputResponses === undefined ? wanted(form) : undefined,
    });
    const elicit = async () => {
      await new Promise((resolve) => setTimeout(resolve, 300));
      return { action: 'cancel' } as const;
    };
    await using session = await open(server, { inputs: { elicit } });
    const error = failure(session.callTool('t', {}, { maxTotalMs: 400 }));
    expect(await before(600, error)).toMatchObject({ code: 'timeout' });
  });

  test('the absolute cap holds over all rounds', async () => {
    const server = script({ ...discover, 'tools/call': () => wanted(form) });
    const elicit = () => new Promise<never>(() => {});
    await using session = await open(server, { inputs: { elicit } });
    const error = await failure(session.callTool('t', {}, { maxTotalMs: 30 }));
    expect(error).toMatchObject({ code: 'timeout' });
  });
});
