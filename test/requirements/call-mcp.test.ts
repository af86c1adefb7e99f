import { describe, expect, test } from 'vitest';
import { modernVersion } from 'mcp-kit/protocol';
import { createServer } from 'mcp-kit/server';
import { tool, toolSet } from 'mcp-kit/tools';
import { callMcp } from 'mcp-kit/transport/http-client';
import { serving } from '../support/mcp-http.ts';
import { event, json, result, scripted, stream } from './http-client-fixture.ts';

const refusal = (id: unknown, code: number, message: string): object => ({
  jsonrpc: '2.0',
  id,
  error: { code, message },
});

describe('a direct call', () => {
  test('resolves with the whole response, from JSON and from a stream', async () => {
    await using server = await scripted((seen) => {
      const text = event(result(seen, { by: 'stream' }));
      if (seen.message.params?.['how'] === 'json') json(seen, result(seen, { by: 'json' }));
      else if (seen.message.params?.['how'] === 'stream') stream(seen).end(text);
      // Without the blank line, as some servers end.
      else stream(seen).end(`event: message\n${text.trimEnd()}`);
    });
    for (const how of ['json', 'stream', 'short']) {
      await expect(callMcp(server.url, 'tools/call', { how })).resolves.toEqual({
        jsonrpc: '2.0',
        id: 1,
        result: { by: how === 'json' ? 'json' : 'stream' },
      });
    }
    await server.deserted();
    expect(server.seen).toHaveLength(3);
  });

  test('may be allowed to take for ever', async () => {
    await using server = await scripted((seen) => {
      setTimeout(() => json(seen, result(seen, { late: true })), 50);
    });
    const options = { timeoutMs: Infinity };
    await expect(callMcp(server.url, 'tools/list', {}, options)).resolves.toMatchObject({
      result: { late: true },
    });
  });

  test('resolves with the error of the server', async () => {
    await using server = await scripted((seen) =>
      json(seen, refusal(seen.message.id, -32_601, 'no such method')),
    );
    await expect(callMcp(server.url, 'nothing')).resolves.toMatchObject({
      error: { code: -32_601, message: 'no such method' },
    });
  });

  const wants: readonly (readonly [number, string])[] = [
    [-32_602, 'params._meta is required'],
    [-32_020, 'headers'],
    [-32_021, 'capability'],
    [-32_022, 'version'],
    [-32_600, 'The MCP-Session-Id header is required: send initialize first'],
  ];
  test.each(wants)('is sent once more with the envelope after %i %s', async (code, message) => {
    await using server = await scripted((seen) => {
      if (seen.headers['mcp-method'] !== undefined) return json(seen, result(seen));
      seen.response.writeHead(400);
      seen.response.end(JSON.stringify(refusal(seen.message.id, code, message)));
    });
    await expect(callMcp(server.url, 'tools/call', { name: 'x' })).resolves.toMatchObject({
      result: {},
    });
    expect(server.seen).toHaveLength(2);
    expect(server.seen[1]?.headers).toMatchObject({
      'mcp-protocol-version': modernVersion,
      'mcp-method': 'tools/call',
      'mcp-name': 'x',
    });
  });

  test('is not sent again after any other error, nor a third time', async () => {
    await using server = await scripted((seen) =>
      json(
        seen,
        refusal(seen.message.id, Number(seen.message.params?.['code']), 'no _meta? session?'),
      ),
    );
    for (const code of [-32_603, -32_002, 1]) await callMcp(server.url, 'x', { code });
    expect(server.seen).toHaveLength(3);
    await expect(callMcp(server.url, 'x', { code: -32_022 })).resolves.toHaveProperty('error');
    expect(server.seen).toHaveLength(5);
  });

  test('reaches a server of this library', async () => {
    const echo = tool({
      name: 'get_echo',
      description: 'Echoes.',
      input: { type: 'object', properties: { text: { type: 'string' } } },
      run: ({ text }) => String(text),
    });
    const service = createServer({ name: 'test', version: '1', features: [toolSet([echo])] });
    await using server = await serving(service);
    const answer = await callMcp(server.url, 'tools/call', {
      name: 'get_echo',
      arguments: { text: 'hello' },
    });
    expect(answer.result).toMatchObject({ content: [{ type: 'text', text: 'hello' }] });
  });

  test('fails with what went wrong below', async () => {
    await using server = await scripted((seen) => {
      if (seen.message.method === 'status') seen.response.writeHead(502).end('bad gateway');
      else if (seen.message.method === 'ended') stream(seen).end();
      else if (seen.message.method === 'broken') json(seen, '{');
    });
    const call = (method: string, options = {}): Promise<unknown> =>
      callMcp(server.url, method, undefined, options);
    await expect(call('status')).rejects.toMatchObject({ code: 'http_status' });
    await expect(call('ended')).rejects.toMatchObject({ code: 'answer_lost' });
    await expect(call('broken')).rejects.toMatchObject({ code: 'invalid_answer' });
    await expect(call('silent', { timeoutMs: 50 })).rejects.toMatchObject({
      code: 'timeout',
      message: `silent: no answer from ${server.url} within 50 ms`,
    });
    await expect(call('x', { headers: { host: 'x' } })).rejects.toMatchObject({
      code: 'invalid_argument',
    });
    await expect(callMcp('nowhere', 'x')).rejects.toMatchObject({ code: 'invalid_argument' });
    await server.deserted();
  });

  test('can be given up, before and while it runs', async () => {
    await using server = await scripted(() => {});
    const aborted = { code: 'aborted', cause: 'enough' };
    const call = (signal: AbortSignal): Promise<unknown> =>
      callMcp(server.url, 'x', undefined, { signal });
    await expect(call(AbortSignal.abort('enough'))).rejects.toMatchObject(aborted);
    const controller = new AbortController();
    const running = call(controller.signal);
    await server.nth('x');
    controller.abort('enough');
    await expect(running).rejects.toMatchObject(aborted);
    await server.deserted();
  });
});
