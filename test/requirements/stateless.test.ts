import { describe, expect, test } from 'vitest';
import { createServer, resources } from 'mcp-kit/server';
import { tool, toolSet } from 'mcp-kit/tools';
import { metaKeys } from 'mcp-kit/protocol';
import type { HttpOptions } from 'mcp-kit/transport/http';
import { send } from '../support/http-client.ts';
import {
  modern,
  notification,
  postHeaders,
  request,
  serving,
  type ModernOptions,
  type Served,
} from '../support/mcp-http.ts';

// Requests of 2026-07-28 over HTTP: which are served, and with which status the others are refused.

function start(options: HttpOptions = {}): Promise<Served> {
  const tools = toolSet([
    tool({ name: 'say', description: 'Says hi.', run: () => 'hi' }),
    tool({
      name: 'roots',
      description: 'Needs roots.',
      run(_args, context) {
        context.requireClient({ roots: {} });
        return 'ok';
      },
    }),
  ]);
  const features = [tools, resources({})];
  return serving(createServer({ name: 'stateless', version: '1.0.0', features }), options);
}

const version = metaKeys.protocolVersion;
const without = (header: string): ModernOptions => ({ headers: { [header]: undefined } });

describe('status', () => {
  test.each([
    ['a result', 'tools/list', {}],
    ['a call', 'tools/call', { name: 'say' }],
  ])('%s is 200', async (_what, method, params) => {
    await using server = await start();
    const answer = await send(server.url, modern(method, params));
    expect(answer).toMatchObject({
      status: 200,
      message: { jsonrpc: '2.0', id: 1, result: { resultType: 'complete' } },
    });
  });

  test.each([
    ['an unknown tool', 'tools/call', { name: 'nothing' }],
    ['a bad cursor', 'tools/list', { cursor: 'x' }],
    ['a missing resource', 'resources/read', { uri: 'note://lost' }],
    ['a listen without its filter', 'subscriptions/listen', {}],
  ])('%s is 200 with -32602', async (_what, method, params) => {
    await using server = await start();
    expect(await send(server.url, modern(method, params))).toMatchObject({
      status: 200,
      message: { id: 1, error: { code: -32602 } },
    });
  });

  test.each([
    ['no protocol version', { [version]: undefined }],
    ['a protocol version that is no text', { [version]: 2026 }],
    ['no client capabilities', { [metaKeys.clientCapabilities]: undefined }],
    ['client capabilities that are no object', { [metaKeys.clientCapabilities]: [] }],
    ['an unknown log level', { [metaKeys.logLevel]: 'loud' }],
  ])('an envelope with %s is 400 with -32602', async (_what, meta) => {
    await using server = await start();
    expect(await send(server.url, modern('tools/list', {}, { meta }))).toMatchObject({
      status: 400,
      message: { id: 1, error: { code: -32602 } },
    });
  });

  test.each([{}, { params: {} }, { params: { _meta: {} } }])(
    'a header that names this revision over the body %o is 400 with -32602',
    async (fields) => {
      await using server = await start();
      const { headers = {} } = modern('tools/list');
      const body = { ...request(1, 'tools/list'), ...fields };
      expect(await send(server.url, { headers, body })).toMatchObject({
        status: 400,
        message: { id: 1, error: { code: -32602 } },
      });
    },
  );

  const call = (headers: ModernOptions['headers'], name = 'say'): Parameters<typeof send>[1] =>
    modern('tools/call', { name }, headers && { headers });
  test.each([
    ['no version header', call({ 'mcp-protocol-version': undefined })],
    ['another version header', call({ 'mcp-protocol-version': '2025-11-25' })],
    ['no Mcp-Method', call({ 'mcp-method': undefined })],
    ['another Mcp-Method', call({ 'mcp-method': 'tools/list' })],
    ['Mcp-Method in capitals', call({ 'mcp-method': 'Tools/Call' })],
    ['no Mcp-Name', call({ 'mcp-name': undefined })],
    ['another Mcp-Name', call({ 'mcp-name': 'roots' })],
    ['Mcp-Name without a name', modern('tools/call', {}, { headers: { 'mcp-name': 'say' } })],
    ['neither Mcp-Name nor a name', modern('tools/call', {})],
    ['Mcp-Name in broken base64', call({ 'mcp-name': '=?base64?c2F5=?=' })],
    [
      'broken base64 without a name',
      modern('tools/call', {}, { headers: { 'mcp-name': '=?base64?!?=' } }),
    ],
    ['no Mcp-Name of a resource', modern('resources/read', { uri: 'a:b' }, without('mcp-name'))],
    ['no Mcp-Name of a prompt', modern('prompts/get', { name: 'p' }, without('mcp-name'))],
  ])('%s is 400 with -32020', async (_what, wrong) => {
    await using server = await start();
    expect(await send(server.url, wrong)).toMatchObject({
      status: 400,
      message: { id: 1, error: { code: -32020 } },
    });
  });

  test.each(['1900-01-01', '2025-11-25', '2027-01-01'])(
    'the version %s is 400 with -32022 and says which are supported',
    async (requested) => {
      await using server = await start();
      const headers = { 'mcp-protocol-version': requested };
      const wrong = modern('tools/list', {}, { headers, meta: { [version]: requested } });
      expect(await send(server.url, wrong)).toMatchObject({
        status: 400,
        message: { error: { code: -32022, data: { supported: ['2026-07-28'], requested } } },
      });
    },
  );

  test('a capability the client lacks is 400 with -32021 and says which', async () => {
    await using server = await start();
    expect(await send(server.url, call(undefined, 'roots'))).toMatchObject({
      status: 400,
      message: { error: { code: -32021, data: { requiredCapabilities: { roots: {} } } } },
    });
    const capable = modern('tools/call', { name: 'roots' }, { capabilities: { roots: {} } });
    expect(await send(server.url, capable)).toMatchObject({ status: 200 });
  });

  test.each([
    ['unknown', 'nonsense'],
    ['removed', 'initialize'],
    ['removed', 'ping'],
    ['removed', 'logging/setLevel'],
    ['removed', 'resources/subscribe'],
    ['removed', 'resources/unsubscribe'],
    ['not offered', 'prompts/list'],
  ])('a method that is %s, %s, is 404 with -32601', async (_why, method) => {
    await using server = await start();
    expect(await send(server.url, modern(method))).toMatchObject({
      status: 404,
      message: { id: 1, error: { code: -32601 } },
    });
  });

  test('a foreign origin is 403', async () => {
    await using server = await start();
    const foreign = modern('tools/list', {}, { headers: { origin: 'http://evil.example' } });
    expect(await send(server.url, foreign)).toMatchObject({ status: 403 });
  });

  test.each(['GET', 'DELETE'])('%s is 405', async (method) => {
    await using server = await start();
    const headers = { accept: 'text/event-stream', 'mcp-protocol-version': '2026-07-28' };
    expect(await send(server.url, { method, headers })).toMatchObject({ status: 405 });
  });

  test('a session id and a last event id are ignored', async () => {
    await using server = await start();
    const headers = { 'mcp-session-id': 'whatever', 'last-event-id': '1.1' };
    const answer = await send(server.url, modern('tools/list', {}, { headers }));
    expect(answer).toMatchObject({ status: 200, message: { result: {} } });
    expect(answer.headers).not.toHaveProperty('mcp-session-id');
  });

  const { headers = {}, body } = modern('tools/list');
  test.each([
    ['a body that is no JSON', 400, -32700, { headers, body: '{' }],
    ['a batch', 400, -32600, { headers, body: [body] }],
    ['a response', 400, -32600, { headers, body: { jsonrpc: '2.0', id: 1, result: {} } }],
    ['another jsonrpc', 400, -32600, { headers, body: { ...(body as object), jsonrpc: '1' } }],
    ['another content type', 415, -32600, { headers: { ...headers, 'content-type': 'a/b' }, body }],
    ['nothing acceptable', 406, -32600, { headers: { ...headers, accept: 'text/html' }, body }],
  ] as const)('%s is %i with %i', async (...[, status, code, wrong]) => {
    await using server = await start();
    const answer = await send(server.url, wrong);
    expect(answer).toMatchObject({ status, message: { error: { code } } });
  });

  test('a body over the limit is 413', async () => {
    await using server = await start({ limits: { maxBytes: 100 } });
    expect(await send(server.url, modern('tools/list'))).toMatchObject({ status: 413 });
  });

  test('a notification is 202 without a body', async () => {
    await using server = await start();
    const message = notification('notifications/cancelled', { requestId: 1 });
    const all = { ...postHeaders, 'mcp-protocol-version': '2026-07-28' };
    expect(await send(server.url, { headers: all, body: message })).toMatchObject({
      status: 202,
      text: '',
    });
  });
});
