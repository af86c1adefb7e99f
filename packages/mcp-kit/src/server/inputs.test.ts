import { describe, expect, onTestFinished, test } from 'vitest';
import { RpcError } from '#jsonrpc';
import { elicit, elicitUrl, listRoots, sample, type ClientCapabilities } from '#protocol';
import { connectInMemory, type InMemoryClient, type InMemoryClientOptions } from '#testing';
import { tool, toolSet } from '#tools';
import type { Feature } from './feature.ts';
import { definePrompt, prompts } from './prompts.ts';
import { createServer } from './server.ts';

// Questions to clients with a handshake: each is a request to the client.

const name = elicit({
  message: 'Name?',
  requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
});
const visit = elicitUrl({ message: 'Sign in', url: 'https://example.org' });
const all: ClientCapabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

const asking = toolSet([
  tool({
    name: 'ask',
    description: 'Asks for a name.',
    run: async (_args, context) => (await context.ask({ name })).name,
  }),
  tool({
    name: 'visit',
    description: 'Asks for a visit.',
    run: async (_args, context) => (await context.ask({ visit })).visit.action,
  }),
  tool({
    name: 'many',
    description: 'Asks for three things.',
    async run(_args, context) {
      const got = await context.ask({
        name,
        text: sample({ messages: [], maxTokens: 1 }),
        roots: listRoots(),
      });
      return [got.name.action, got.text.model, got.roots.roots.length];
    },
  }),
  tool({
    name: 'once',
    description: 'Has an effect twice.',
    async run(_args, context) {
      let effects = 0;
      const first = await context.once('a', () => ++effects);
      const second = await context.once('a', () => ++effects);
      return [first, second, effects];
    },
  }),
  tool({
    name: 'need',
    description: 'Needs roots.',
    run(_args, context) {
      context.requireClient({ roots: {} });
      return 'ok';
    },
  }),
]);
const asker = prompts([
  definePrompt({
    name: 'ask',
    get: async (_args, context) => (await context.ask({ name })).name.action,
  }),
  definePrompt({
    name: 'need',
    get(_args, context) {
      context.requireClient({ roots: {} });
      return 'ok';
    },
  }),
]);

async function connect(
  options: InMemoryClientOptions & { readonly features?: readonly Feature[] } = {},
): Promise<InMemoryClient> {
  const { features = [asking, asker], ...rest } = options;
  const server = createServer({ name: 'inputs', version: '1.0.0', features });
  const client = connectInMemory(server, { capabilities: { ...all }, ...rest });
  onTestFinished(() => client.close());
  await client.initialize();
  return client;
}

const call = (client: InMemoryClient, made: string): Promise<unknown> =>
  client.request('tools/call', { name: made });
const text = (value: string): object => ({ content: [{ type: 'text', text: value }] });

describe('a question', () => {
  test('is a request to the client, and its answer the result', async () => {
    const asked: unknown[] = [];
    const client = await connect({
      answer(method, params) {
        asked.push([method, params]);
        return { action: 'accept', content: { name: 'Ada' } };
      },
    });
    expect(await call(client, 'ask')).toEqual(text('{"action":"accept","content":{"name":"Ada"}}'));
    expect(asked).toEqual([['elicitation/create', name.params]]);
  });

  test('of a web address gets an id of its own every time', async () => {
    const ids: unknown[] = [];
    const client = await connect({
      answer(_method, params) {
        ids.push(params?.['elicitationId']);
        return { action: 'accept' };
      },
    });
    expect(await call(client, 'visit')).toEqual(text('accept'));
    await call(client, 'visit');
    expect(ids).toEqual([expect.stringMatching(/.{20,}/), expect.stringMatching(/.{20,}/)]);
    expect(new Set(ids).size).toBe(2);
  });

  test('may be one of several, sent at once', async () => {
    const asked: string[] = [];
    const client = await connect({
      async answer(method) {
        asked.push(method);
        while (asked.length < 3) await new Promise((resolve) => setImmediate(resolve));
        if (method === 'roots/list') return { roots: [{ uri: 'file:///' }] };
        if (method === 'sampling/createMessage') return { role: 'user', content: [], model: 'm' };
        return { action: 'decline' };
      },
    });
    expect(await call(client, 'many')).toEqual(text('["decline","m",1]'));
    expect(asked).toHaveLength(3);
  });

  test.each([
    ['nothing', {}],
    ['an unknown action', { action: 'perhaps' }],
    ['a field of another type', { action: 'accept', content: { name: 5 } }],
  ])('answered by %s is a failed precondition', async (_what, answer) => {
    const client = await connect({ answer: () => answer });
    expect(await call(client, 'ask')).toEqual({
      ...text("E_PRECONDITION_FAILED: elicitation/create: the client's answer is malformed"),
      isError: true,
    });
  });

  test('that the client refuses is a failed precondition, not an error of the call', async () => {
    const client = await connect({
      answer() {
        throw new RpcError(-1, 'User rejected');
      },
    });
    expect(await call(client, 'ask')).toEqual({
      ...text('E_PRECONDITION_FAILED: elicitation/create: the client refused: User rejected'),
      isError: true,
    });
  });

  test('ends when the call is cancelled', async () => {
    let cancelled: unknown;
    const client = await connect({
      answer: () =>
        new Promise(() => {
          client.notify('notifications/cancelled', { requestId: 2, reason: 'enough' });
          cancelled = true;
        }),
    });
    void call(client, 'ask').catch(() => {});
    await expect
      .poll(() => client.notifications)
      .toMatchObject([{ method: 'notifications/cancelled', params: { requestId: 1 } }]);
    expect(cancelled).toBe(true);
  });
});

describe('what the client has not declared', () => {
  test.each([
    ['ask', {}, 'elicitation'],
    ['ask', { elicitation: { url: {} } }, 'elicitation'],
    ['visit', { elicitation: {} }, 'elicitation'],
    ['many', { elicitation: {}, roots: {} }, 'sampling'],
    ['need', {}, 'roots'],
  ])('fails the call of %s with %o as a precondition', async (made, capabilities, missing) => {
    const client = await connect({ capabilities, answer: () => ({ action: 'accept' }) });
    expect(await call(client, made)).toEqual({
      ...text(`E_PRECONDITION_FAILED: This needs a client that supports: ${missing}`),
      isError: true,
    });
  });

  test.each(['ask', 'need'])('refuses the prompt %s with -32600', async (prompt) => {
    const client = await connect({ capabilities: {} });
    await expect(client.request('prompts/get', { name: prompt })).rejects.toMatchObject({
      code: -32600,
      message: expect.stringContaining('This needs a client that supports'),
    });
  });

  test('is -32021 without a handshake', async () => {
    const client = await connect({ capabilities: {} });
    for (const made of ['ask', 'need']) {
      await expect(client.requestModern('tools/call', { name: made })).rejects.toMatchObject({
        code: -32021,
      });
    }
  });

  test('does not matter when it is declared', async () => {
    const client = await connect();
    expect(await call(client, 'need')).toEqual(text('ok'));
  });
});

test('an effect of one call runs once', async () => {
  const client = await connect();
  expect(await call(client, 'once')).toEqual(text('[1,1,1]'));
});
