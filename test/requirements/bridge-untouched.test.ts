import { createBridge } from 'mcp-kit/bridge';
import { RpcError } from 'mcp-kit/jsonrpc';
import { metaKeys, modernVersion, type Era } from 'mcp-kit/protocol';
import { describe, expect, test } from 'vitest';
import type { Message } from '../support/http-client.ts';
import { answerTo, openPipe, type Pipe } from '../support/pipe.ts';
import {
  discovered,
  newer,
  older,
  script,
  settle,
  type Script,
  type Serve,
} from './client-script.ts';

/** What nobody here has heard of. */
const odd = { odd: [1, null, { deep: 'é\u2028', none: {} }], 'x-odd': false, type: 'odder' };
const oddMeta = {
  'com.example/odd': odd,
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
};

interface Talk extends AsyncDisposable {
  readonly pipe: Pipe;
  readonly server: Script;
  /** Asks, and gives back the answer; what comes before it stays in `told`. */
  ask(method: string, params?: object): Promise<Message>;
  readonly told: Message[];
}

let lastId = 0;

function talk(serve: Readonly<Record<string, Serve>>, era: Era): Talk {
  const server = script(serve);
  const bridge = createBridge(server.target, { era });
  const pipe = openPipe(bridge);
  const told: Message[] = [];
  return {
    pipe,
    server,
    told,
    async ask(method, params) {
      const id = `odd-${(lastId += 1)}`;
      pipe.send({ jsonrpc: '2.0', id, method, ...(params && { params }) });
      return answerTo(pipe, id, told);
    },
    async [Symbol.asyncDispose]() {
      await pipe[Symbol.asyncDispose]();
      await bridge.close();
    },
  };
}

const refusing: Serve = () => {
  throw new RpcError(-31_999, 'odd refusal', odd);
};

describe('between a legacy client and a legacy server', () => {
  const greeting = {
    protocolVersion: '2025-11-25',
    capabilities: { tools: { odd }, experimental: { odd }, extensions: { 'com.example/x': odd } },
    clientInfo: {
      name: 'host',
      version: '1',
      timeoutMs: 1,
      era: 'modern',
      breaker: 'none',
      ...odd,
    },
    ...odd,
    _meta: oddMeta,
  };
  const said = {
    protocolVersion: '2025-11-25',
    capabilities: { tools: { odd }, tasks: odd, extensions: { 'com.example/x': odd } },
    serverInfo: { name: 'older', version: '1', ...odd },
    ...odd,
    _meta: oddMeta,
  };

  async function greeted(serve: Readonly<Record<string, Serve>> = {}): Promise<Talk> {
    const open = talk({ ...older, initialize: () => said, ...serve }, 'legacy');
    const { result } = await open.ask('initialize', greeting);
    expect(result).toEqual(said);
    open.pipe.send({ jsonrpc: '2.0', method: 'notifications/initialized', params: odd });
    return open;
  }

  test('the handshake arrives as it was said, whatever a client calls itself', async () => {
    await using open = await greeted();
    expect(open.server.peer.of('initialize')[0]?.params).toEqual(greeting);
  });

  test.each(['tools/call', 'resources/read', 'tasks/get', 'odd/method'])(
    'parameters and results of %s arrive as they were said',
    async (method) => {
      await using open = await greeted({
        [method]: () => ({ ...odd, resultType: 'odd', _meta: oddMeta }),
      });
      const params = { ...odd, name: 'x', uri: 'x:y', _meta: { ...oddMeta, progressToken: 'p' } };
      const { result } = await open.ask(method, params);
      expect(result).toEqual({ ...odd, resultType: 'odd', _meta: oddMeta });
      const [heard] = open.server.peer.of(method);
      const progressToken: unknown = expect.anything();
      expect(heard?.params).toEqual({ ...params, _meta: { ...oddMeta, progressToken } });
    },
  );

  test('a question outside any call reaches the client, and its answer the server', async () => {
    await using open = await greeted();
    await settle();
    open.server.peer.say({ id: 'q', method: 'odd/question', params: { ...odd, _meta: oddMeta } });
    const question = await open.pipe.next();
    expect(question).toEqual({
      jsonrpc: '2.0',
      id: question.id,
      method: 'odd/question',
      params: { ...odd, _meta: oddMeta },
    });
    open.pipe.send({ jsonrpc: '2.0', id: question.id, result: odd });
    expect((await open.server.peer.answerTo('q')).result).toEqual(odd);
  });

  test('progress on a question arrives under the name that the server gave it', async () => {
    await using open = await greeted();
    await settle();
    const asked = { id: 'q', method: 'odd/question', params: { _meta: { progressToken: 'own' } } };
    open.server.peer.say(asked);
    const { id, params = {} } = await open.pipe.next();
    const { progressToken } = params['_meta'] as { progressToken: unknown };
    const progress = { progress: 1, ...odd, _meta: oddMeta };
    const method = 'notifications/progress';
    open.pipe.send({ jsonrpc: '2.0', method, params: { ...progress, progressToken } });
    open.pipe.send({ jsonrpc: '2.0', id, result: {} });
    await open.server.peer.answerTo('q');
    expect(open.server.peer.of(method)).toMatchObject([
      { params: { ...progress, progressToken: 'own' } },
    ]);
  });

  test('a request without parameters has none', async () => {
    await using open = await greeted({ 'odd/method': () => ({}) });
    expect((await open.ask('odd/method')).result).toEqual({});
    expect(open.server.peer.of('odd/method')[0]).not.toHaveProperty('params');
  });

  test('errors arrive as they were said', async () => {
    await using open = await greeted({ 'odd/method': refusing });
    const { error } = await open.ask('odd/method', odd);
    expect(error).toEqual({ code: -31_999, message: 'odd refusal', data: odd });
  });

  test('progress arrives as it was said, under the name that the client gave it', async () => {
    await using open = await greeted({
      'odd/method': ({ _meta }, { peer }) => {
        const { progressToken } = _meta as { progressToken: unknown };
        peer.notify('notifications/progress', {
          progressToken,
          progress: 1,
          ...odd,
          _meta: oddMeta,
        });
        return {};
      },
    });
    await open.ask('odd/method', { _meta: { progressToken: 'mine' } });
    expect(open.told).toEqual([
      {
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken: 'mine', progress: 1, ...odd, _meta: oddMeta },
      },
    ]);
  });

  test.each([
    'notifications/message',
    'notifications/tools/list_changed',
    'notifications/tasks/status',
    'odd/told',
  ])('%s of the server arrives as it was said', async (method) => {
    await using open = await greeted();
    await settle();
    open.server.peer.notify(method, { ...odd, _meta: oddMeta });
    expect(await open.pipe.next()).toEqual({
      jsonrpc: '2.0',
      method,
      params: { ...odd, _meta: oddMeta },
    });
  });

  test.each(['notifications/roots/list_changed', 'notifications/tasks/status', 'odd/told'])(
    '%s of the client arrives as it was said',
    async (method) => {
      await using open = await greeted();
      open.pipe.send({ jsonrpc: '2.0', method, params: { ...odd, _meta: oddMeta } });
      expect((await open.server.peer.nth(method)).params).toEqual({ ...odd, _meta: oddMeta });
    },
  );

  test.each([
    'elicitation/create',
    'sampling/createMessage',
    'roots/list',
    'tasks/get',
    'odd/asked',
  ])('the question %s and what is answered arrive as they were said', async (method) => {
    await using open = await greeted();
    await settle();
    open.server.peer.say({ id: 'q', method, params: { ...odd, _meta: oddMeta } });
    const question = await open.pipe.next();
    expect(question).toMatchObject({ method });
    expect(question.params).toEqual({ ...odd, _meta: oddMeta });
    open.pipe.send({ jsonrpc: '2.0', id: question.id, result: { ...odd, _meta: oddMeta } });
    expect((await open.server.peer.answerTo('q')).result).toEqual({ ...odd, _meta: oddMeta });
    open.server.peer.say({ id: 'r', method });
    const error = { code: -31_998, message: 'odd no', data: odd };
    open.pipe.send({ jsonrpc: '2.0', id: (await open.pipe.next()).id, error });
    expect((await open.server.peer.answerTo('r')).error).toEqual(error);
  });
});

describe('between a modern client and a modern server', () => {
  const envelope = {
    [metaKeys.protocolVersion]: modernVersion,
    [metaKeys.clientCapabilities]: {
      elicitation: { form: {} },
      extensions: { 'com.example/x': odd },
    },
    [metaKeys.clientInfo]: { name: 'host', version: '1', era: 'legacy', watchLists: true, ...odd },
    ...oddMeta,
  };

  test.each(['server/discover', 'tools/call', 'tools/list', 'tasks/get', 'odd/method'])(
    'parameters and results of %s arrive as they were said',
    async (method) => {
      const result = {
        ...discovered([modernVersion], { tools: [{ name: 'x', ...odd }], ...odd }),
        requestState: 'kept',
        _meta: oddMeta,
      };
      await using open = talk(
        { ...newer, 'server/discover': () => result, [method]: () => result },
        'modern',
      );
      const params = { ...odd, name: 'x', requestState: 'mine', _meta: envelope };
      expect((await open.ask(method, params)).result).toEqual(result);
      expect(open.server.peer.of(method).at(-1)?.params).toEqual(params);
    },
  );

  test('questions, answers and states pass as they are', async () => {
    const wanted = {
      resultType: 'input_required',
      requestState: 's',
      inputRequests: { a: odd },
      ...odd,
    };
    await using open = talk({ ...newer, 'tools/call': () => wanted }, 'modern');
    const params = { name: 'x', inputResponses: { a: odd }, requestState: 's', _meta: envelope };
    expect((await open.ask('tools/call', params)).result).toEqual(wanted);
    expect(open.server.peer.of('tools/call')[0]?.params).toEqual(params);
  });

  test('errors arrive as they were said', async () => {
    await using open = talk({ ...newer, 'odd/method': refusing }, 'modern');
    const { error } = await open.ask('odd/method', { _meta: envelope });
    expect(error).toEqual({ code: -31_999, message: 'odd refusal', data: odd });
  });

  test('what is told during a call arrives as it was said', async () => {
    await using open = talk(
      {
        ...newer,
        'tools/call': (_params, { peer }) => {
          peer.notify('odd/told', { ...odd, _meta: oddMeta });
          return { resultType: 'complete', content: [] };
        },
      },
      'modern',
    );
    await open.ask('tools/call', { name: 'x', _meta: envelope });
    expect(open.told).toEqual([
      { jsonrpc: '2.0', method: 'odd/told', params: { ...odd, _meta: oddMeta } },
    ]);
  });

  test('a subscription is asked for, and tells, as it was said', async () => {
    const notifications = { toolsListChanged: true, 'com.example/odd': odd };
    await using open = talk(newer, 'modern');
    open.pipe.send({
      jsonrpc: '2.0',
      id: 'sub',
      method: 'subscriptions/listen',
      params: { notifications, _meta: envelope },
    });
    expect((await open.pipe.next()).params).toMatchObject({ notifications });
    const asked = await open.server.peer.nth('subscriptions/listen');
    expect(asked.params).toMatchObject({ notifications });
    const params = { ...odd, _meta: { ...oddMeta, [metaKeys.subscriptionId]: asked.id } };
    for (const method of ['notifications/tools/list_changed', 'odd/changed']) {
      open.server.peer.notify(method, params);
      expect(await open.pipe.next()).toEqual({
        jsonrpc: '2.0',
        method,
        params: { ...odd, _meta: { ...oddMeta, [metaKeys.subscriptionId]: 'sub' } },
      });
    }
  });
});
