import { createBridge } from 'mcp-kit/bridge';
import { metaKeys, modernVersion, type Era, type Target } from 'mcp-kit/protocol';
import { expect, test } from 'vitest';
import { newer, older, script, type Script } from '../requirements/client-script.ts';
import type { Message } from '../support/http-client.ts';
import { openPipe, type Pipe } from '../support/pipe.ts';

const form = { message: 'Who?', requestedSchema: { type: 'object', properties: {} } };
const text = { content: [{ type: 'text', text: 'done' }] };

interface Talk {
  readonly pipe: Pipe;
  readonly server: Script;
  /** Asks, and gives back the next message. */
  ask(method: string, params?: object): Promise<Message>;
}

/** What a revision has no words for, so that no bridge can carry it, and what is said instead. */
interface Limit {
  readonly what: string;
  readonly why: string;
  readonly client: Era;
  readonly server: Era;
  readonly serve?: Parameters<typeof script>[0];
  shown(talk: Talk): Promise<void>;
}

const gone = (method: string): Limit => ({
  what: `${method} of a client that should know better`,
  why: 'the modern revision has it no more, whatever the server speaks',
  client: 'modern',
  server: 'legacy',
  shown: (talk) => isUnknown(talk, method),
});

async function isUnknown({ ask }: Talk, method: string): Promise<void> {
  const { error } = await ask(method, { uri: 'memo://one', level: 'info' });
  expect(error).toMatchObject({ code: -32601 });
  expect(error?.message).toContain(method);
}

const limits: readonly Limit[] = [
  {
    what: 'the refusal of a question',
    why: 'the modern revision has only answers: accept, decline and cancel pass, an error does not',
    client: 'legacy',
    server: 'modern',
    serve: {
      'tools/call': () => ({
        resultType: 'input_required',
        inputRequests: { who: { method: 'elicitation/create', params: form } },
      }),
    },
    async shown({ pipe, ask }) {
      const question = await ask('tools/call', { name: 'ask', arguments: {} });
      expect(question).toMatchObject({ method: 'elicitation/create' });
      const error = { code: -1, message: 'User rejected it' };
      pipe.send({ jsonrpc: '2.0', id: question.id, error });
      const answer = await pipe.next();
      expect(answer.error).toMatchObject({ code: -32600 });
      expect(answer.error?.message).toContain('User rejected it');
    },
  },
  {
    what: 'that roots have changed',
    why: 'the modern revision has no word for it, and asks for roots whenever it needs them',
    client: 'legacy',
    server: 'modern',
    serve: { 'tools/call': () => ({ resultType: 'complete', ...text }) },
    async shown({ pipe, server, ask }) {
      pipe.send({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' });
      expect(await ask('tools/call', { name: 'any' })).toMatchObject({ result: text });
      expect(server.heard).not.toContain('notifications/roots/list_changed');
    },
  },
  {
    what: 'a question that belongs to no call',
    why: 'in the modern revision a question is the result of a call; the server is told so',
    client: 'modern',
    server: 'legacy',
    serve: { 'tools/list': () => ({ tools: [] }) },
    async shown({ server, ask }) {
      await ask('tools/list');
      server.peer.say({ id: 'q', method: 'elicitation/create', params: form });
      const { error } = await server.peer.answerTo('q');
      expect(error).toMatchObject({ code: -32600 });
      expect(error?.message).toContain('only during a call');
    },
  },
  {
    what: 'a question for which the modern revision has no word',
    why: 'only elicitation, sampling and roots can be asked there; the server is told so',
    client: 'modern',
    server: 'legacy',
    serve: { 'tools/call': () => undefined },
    async shown({ pipe, server }) {
      pipe.send(modern(7, 'tools/call', { name: 'ask', arguments: {} }));
      // The bridge finds out first which era the server speaks.
      await expect
        .poll(() => server.peers.some((peer) => peer.of('tools/call').length > 0))
        .toBe(true);
      server.peer.say({ id: 'q', method: 'odd/question', params: {} });
      const { error } = await server.peer.answerTo('q');
      expect(error).toMatchObject({ code: -32601 });
    },
  },
  {
    what: 'an array as structured content',
    why: 'the legacy server has wrapped it as an object, and nobody can tell it from one',
    client: 'modern',
    server: 'legacy',
    serve: { 'tools/call': () => ({ ...text, structuredContent: { result: [1, 2] } }) },
    async shown({ ask }) {
      const { result } = await ask('tools/call', { name: 'list', arguments: {} });
      expect(result).toMatchObject({ structuredContent: { result: [1, 2] } });
    },
  },
  {
    what: 'tasks of 2025-11-25',
    why: 'those of the modern revision are an extension with other methods: they are not offered',
    client: 'modern',
    server: 'legacy',
    serve: {
      initialize: () => ({
        protocolVersion: '2025-11-25',
        capabilities: { tools: {}, tasks: { list: {} } },
        serverInfo: { name: 'older', version: '1' },
      }),
    },
    async shown({ ask }) {
      const { result } = await ask('server/discover');
      expect(result).toMatchObject({ capabilities: { tools: {} } });
      expect(result?.['capabilities']).not.toHaveProperty('tasks');
    },
  },
  ...['ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe'].map(gone),
];

const _meta = {
  [metaKeys.protocolVersion]: modernVersion,
  [metaKeys.clientCapabilities]: { elicitation: { form: {} } },
  [metaKeys.clientInfo]: { name: 'limits', version: '1' },
};

const modern = (id: number, method: string, params: object = {}): object => ({
  jsonrpc: '2.0',
  id,
  method,
  params: { ...params, _meta },
});

async function greet(pipe: Pipe): Promise<void> {
  const capabilities = { elicitation: { form: {} }, roots: { listChanged: true } };
  const clientInfo = { name: 'limits', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities, clientInfo };
  pipe.send({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
  expect(await pipe.next()).toMatchObject({ id: 0, result: {} });
  pipe.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
}

async function show(
  { client, server: era, serve, shown }: Limit,
  bridged: (target: Target) => Pipe,
): Promise<void> {
  const server = script({ ...(era === 'legacy' ? older : newer), ...serve });
  await using pipe = bridged(server.target);
  if (client === 'legacy') await greet(pipe);
  let lastId = 0;
  const ask = async (method: string, params: object = {}): Promise<Message> => {
    const id = (lastId += 1);
    pipe.send(
      client === 'modern' ? modern(id, method, params) : { jsonrpc: '2.0', id, method, params },
    );
    return pipe.next();
  };
  await shown({ pipe, server, ask });
}

test.each(limits)(
  'A $client client and a $server server cannot exchange $what: $why',
  async (limit) => {
    const bridges: AsyncDisposable[] = [];
    try {
      await show(limit, (target) => {
        const bridge = createBridge(target, { era: limit.server });
        bridges.push(bridge);
        return openPipe(bridge);
      });
    } finally {
      for (const bridge of bridges) await bridge[Symbol.asyncDispose]();
    }
  },
);
