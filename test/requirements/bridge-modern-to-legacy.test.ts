import { createBridge } from 'mcp-kit/bridge';
import { RpcError } from 'mcp-kit/jsonrpc';
import { metaKeys, modernVersion } from 'mcp-kit/protocol';
import { serveHttp } from 'mcp-kit/transport/http';
import { describe, expect, test } from 'vitest';
import { send } from '../support/http-client.ts';
import { modern as modernCall, request, startSession } from '../support/mcp-http.ts';
import { capabilities, clientInfo, envelope, extensions, newToOld, text } from './bridge-talk.ts';
import { metaOf, newer, older, script } from './client-script.ts';

describe('a modern client at a legacy server', () => {
  test('server/discover is answered from initialize', async () => {
    await using open = newToOld({
      initialize: () => ({
        protocolVersion: '2025-11-25',
        capabilities: { tools: {}, extensions },
        serverInfo: { name: 'older', version: '1' },
        instructions: 'Be kind.',
      }),
    });
    expect((await open.ask('server/discover')).result).toEqual({
      resultType: 'complete',
      supportedVersions: [modernVersion, '2025-11-25'],
      capabilities: { tools: {}, extensions },
      instructions: 'Be kind.',
      ttlMs: 0,
      cacheScope: 'private',
      _meta: { [metaKeys.serverInfo]: { name: 'older', version: '1' } },
    });
    expect(open.server.peer.of('initialize')[0]?.params).toMatchObject({
      capabilities,
      clientInfo,
    });
  });

  test('the envelope is taken off; keys of others and traces stay', async () => {
    await using open = newToOld({ 'tools/call': () => text });
    await open.ask('tools/call', { name: 'x', _meta: { 'com.example/a': 1, traceparent: '00-a' } });
    const [heard] = open.server.peer.of('tools/call');
    expect(heard?.params).toEqual({
      name: 'x',
      _meta: { 'com.example/a': 1, traceparent: '00-a' },
    });
    await open.ask('tools/call', { name: 'y' });
    expect(open.server.peer.of('tools/call')[1]?.params).toEqual({ name: 'y' });
  });

  test('schemas of arguments that do not say so are said to be of objects, as modern clients want it', async () => {
    const inputSchema = { $schema: 'http://json-schema.org/draft-07/schema#' };
    const typed = { type: 'object', properties: {} };
    const tools = [
      { name: 'bare', inputSchema },
      { name: 'typed', inputSchema: typed },
      { name: 'none' },
    ];
    await using open = newToOld({ 'tools/list': () => ({ tools }) });
    expect((await open.ask('tools/list')).result).toMatchObject({
      tools: [
        { name: 'bare', inputSchema: { ...inputSchema, type: 'object' } },
        { name: 'typed', inputSchema: typed },
        { name: 'none', inputSchema: { type: 'object' } },
      ],
    });
  });

  test('results gain what the modern era requires', async () => {
    await using open = newToOld({ 'tools/list': () => ({ tools: [] }), 'tools/call': () => text });
    const _meta = { [metaKeys.serverInfo]: { name: 'older', version: '1' } };
    expect((await open.ask('tools/list')).result).toEqual({
      resultType: 'complete',
      ttlMs: 0,
      cacheScope: 'private',
      tools: [],
      _meta,
    });
    const { result } = await open.ask('tools/call', { name: 'x' });
    expect(result).toEqual({ resultType: 'complete', ...text, _meta });
  });

  test('what a server of 2024 says as toolResult becomes content', async () => {
    await using open = newToOld({ 'tools/call': () => ({ toolResult: { degrees: 21 } }) });
    const { result } = await open.ask('tools/call', { name: 'weather' });
    expect(result).toMatchObject({
      resultType: 'complete',
      content: [{ type: 'text', text: '{"degrees":21}' }],
    });
  });

  test('a question parks the call, whose sealed state is good for it, once', async () => {
    await using open = newToOld({
      'tools/call': async (_params, { peer }) => {
        const params = { message: 'Who?', requestedSchema: { type: 'object', properties: {} } };
        peer.say({ id: 'q', method: 'elicitation/create', params });
        const { result } = await peer.answerTo('q');
        return { ...text, structuredContent: { result } };
      },
    });
    const call = { name: 'x', arguments: { a: 1 } };
    const { result: asked } = await open.ask('tools/call', call);
    expect(asked).toMatchObject({ resultType: 'input_required' });
    const { inputRequests, requestState } = asked as {
      inputRequests: Record<string, { method: string }>;
      requestState: string;
    };
    const [[key, question] = ['', undefined]] = Object.entries(inputRequests);
    expect(question).toMatchObject({ method: 'elicitation/create' });
    const answer = { action: 'accept', content: { name: 'Ada' } };
    const inputResponses = { [key]: answer };
    const other = { ...call, arguments: { a: 2 }, inputResponses, requestState };
    expect((await open.ask('tools/call', other)).error).toMatchObject({ code: -32_602 });
    const { result } = await open.ask('tools/call', { ...call, inputResponses, requestState });
    expect(result).toMatchObject({ structuredContent: { result: answer } });
    expect(open.server.peer.of('tools/call')).toHaveLength(1);
    const again = await open.ask('tools/call', { ...call, inputResponses, requestState });
    expect(again.error).toMatchObject({ code: -32_602 });
  });

  test('a page that must be visited first is asked for, and the call is made once more', async () => {
    let calls = 0;
    const visit = { mode: 'url', message: 'Go', url: 'https://a.example/' };
    await using open = newToOld({
      'tools/call': () => {
        calls += 1;
        if (calls > 1) return text;
        const elicitations = [{ ...visit, elicitationId: 'e' }];
        throw new RpcError(-32_042, 'visit first', { elicitations });
      },
    });
    const { result: asked } = await open.ask('tools/call', { name: 'x' });
    const { inputRequests, requestState } = asked as {
      inputRequests: object;
      requestState: string;
    };
    expect(Object.values(inputRequests)).toEqual([{ method: 'elicitation/create', params: visit }]);
    const inputResponses = { [String(Object.keys(inputRequests)[0])]: { action: 'accept' } };
    const done = await open.ask('tools/call', { name: 'x', inputResponses, requestState });
    expect(done.result).toMatchObject(text);
    expect(calls).toBe(2);
  });

  test.each([7, '7'])('a subscription keeps the name %j and its type', async (id) => {
    await using open = newToOld();
    const params = { notifications: { toolsListChanged: true }, _meta: envelope };
    open.pipe.send({ jsonrpc: '2.0', id, method: 'subscriptions/listen', params });
    const [acknowledged, changed] = [open.pipe.next(), open.pipe.next()];
    expect((await acknowledged).params?.['_meta']).toEqual({ [metaKeys.subscriptionId]: id });
    open.server.peer.notify('notifications/tools/list_changed');
    expect(await changed).toMatchObject({ params: { _meta: { [metaKeys.subscriptionId]: id } } });
  });

  test('progress of calls under the same name is told apart at the server', async () => {
    await using open = newToOld({ 'tools/call': () => undefined });
    for (const name of ['a', 'b'])
      open.begin('tools/call', { name, _meta: { progressToken: 'p' } });
    // The bridge finds out first which era the server speaks.
    await expect.poll(() => open.server.heard.filter((one) => one === 'tools/call').length).toBe(2);
    const tokens = open.server.peer.of('tools/call').map((one) => metaOf(one)['progressToken']);
    expect(new Set(tokens).size).toBe(2);
    for (const [at, progressToken] of tokens.entries()) {
      open.server.peer.notify('notifications/progress', { progressToken, progress: at + 1 });
    }
    for (const progress of [1, 2]) {
      expect((await open.pipe.next()).params).toEqual({ progressToken: 'p', progress });
    }
  });

  test('a missing resource is -32602', async () => {
    await using open = newToOld({
      'resources/read': () => {
        throw new RpcError(-32_002, 'not there', { uri: 'a:b' });
      },
    });
    const { error } = await open.ask('resources/read', { uri: 'a:b' });
    expect(error).toEqual({ code: -32_602, message: 'not there', data: { uri: 'a:b' } });
  });

  test('hanging up cancels, in the words of the legacy era', async () => {
    const server = script({ ...older, 'tools/call': () => undefined });
    await using bridge = createBridge(server.target, { era: 'legacy' });
    const front = await serveHttp(bridge);
    try {
      const stop = new AbortController();
      const call = modernCall('tools/call', { name: 'x', arguments: {} });
      const gone = send(front.url, { ...call, signal: stop.signal }).catch(() => 'gone');
      await expect.poll(() => server.heard.includes('tools/call')).toBe(true);
      stop.abort();
      expect(await gone).toBe('gone');
      await expect.poll(() => server.heard.includes('notifications/cancelled')).toBe(true);
    } finally {
      await front.close();
    }
  });
});

describe('over HTTP', () => {
  test('an unknown method is status 404 in the modern era, and 200 in the legacy one', async () => {
    for (const era of ['legacy', 'modern'] as const) {
      const server = script(era === 'legacy' ? older : newer);
      await using bridge = createBridge(server.target, { era });
      const front = await serveHttp(bridge);
      try {
        const unknown = await send(front.url, modernCall('odd/method'));
        expect(unknown).toMatchObject({ status: 404, message: { error: { code: -32_601 } } });
        const session = await startSession(front.url);
        const known = await session.request('odd/method');
        expect(known).toMatchObject({ status: 200, message: { error: { code: -32_601 } } });
      } finally {
        await front.close();
      }
    }
  });

  test('a legacy client that hangs up cancels nothing, and fetches its answer later', async () => {
    let answer = (): void => {};
    const server = script({
      ...newer,
      'tools/call': async ({ _meta }, { peer }) => {
        const { progressToken } = _meta as { progressToken: unknown };
        peer.notify('notifications/progress', { progressToken, progress: 1 });
        await new Promise<void>((resolve) => (answer = resolve));
        return { resultType: 'complete', ...text };
      },
    });
    await using bridge = createBridge(server.target, { era: 'modern' });
    const front = await serveHttp(bridge);
    try {
      const session = await startSession(front.url);
      const call = request(9, 'tools/call', { name: 'x', _meta: { progressToken: 'p' } });
      const stream = await session.stream(call);
      let id: string | undefined;
      for (let message: string | undefined; message === undefined;) {
        const event = await stream.nextEvent();
        id = event.id ?? id;
        message = event.data === '' ? undefined : event.data;
      }
      stream.close();
      answer();
      const accept = 'text/event-stream';
      const fetched = await session.get({ accept, 'last-event-id': String(id) });
      expect(fetched.messages).toMatchObject([{ id: 9, result: text }]);
      expect(server.heard).not.toContain('notifications/cancelled');
    } finally {
      await front.close();
    }
  });

  test('the headers that tools want of their arguments are checked by the last list that crossed', async () => {
    const properties = { region: { type: 'string', 'x-mcp-header': 'Region' } };
    const tools = [{ name: 'x', inputSchema: { type: 'object', properties } }];
    const server = script({
      ...newer,
      'tools/list': () => ({ resultType: 'complete', tools, ttlMs: 0, cacheScope: 'private' }),
      'tools/call': () => ({ resultType: 'complete', ...text }),
    });
    await using bridge = createBridge(server.target);
    const front = await serveHttp(bridge);
    try {
      const call = (headers: Record<string, string>): Promise<{ status: number }> =>
        send(
          front.url,
          modernCall('tools/call', { name: 'x', arguments: { region: 'eu' } }, { headers }),
        );
      await send(front.url, modernCall('tools/list'));
      expect(await call({})).toMatchObject({ status: 400, message: { error: { code: -32_020 } } });
      expect((await call({ 'mcp-param-region': 'us' })).status).toBe(400);
      expect((await call({ 'mcp-param-region': 'eu' })).status).toBe(200);
      expect(server.peer.of('tools/call')).toHaveLength(1);
    } finally {
      await front.close();
    }
  });
});
