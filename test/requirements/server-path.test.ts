import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { metaKeys, modernVersion } from 'mcp-kit/protocol';
import { createServer } from 'mcp-kit/server';
import { tool, toolSet } from 'mcp-kit/tools';
import { serveChannel, StreamChannel } from 'mcp-kit/transport';
import { serveHttp } from 'mcp-kit/transport/http';
import { expect, test } from 'vitest';
import { allModulesOf, modulesOf } from '../support/modules-of.ts';

const add = tool({
  name: 'add_number_pair',
  description: 'Adds two numbers.',
  input: {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a', 'b'],
    additionalProperties: false,
  },
  run: ({ a, b }) => String(a + b),
});
const service = () => createServer({ name: 'path', version: '1', features: [toolSet([add])] });

const params = { name: 'add_number_pair', arguments: { a: 1, b: 2 } };
const envelope = { [metaKeys.protocolVersion]: modernVersion, [metaKeys.clientCapabilities]: {} };
const initialize = {
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {} },
};
const calls = {
  legacy: { id: 2, method: 'tools/call', params },
  modern: { id: 2, method: 'tools/call', params: { ...params, _meta: envelope } },
};

test.each([
  ['legacy', 20],
  ['modern', 20],
] as const)('a %s call over HTTP passes %i modules at most', async (era, most) => {
  const listening = await serveHttp(service());
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': era === 'legacy' ? '2025-11-25' : modernVersion,
  };
  const post = async (message: object): Promise<Response> => {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    return fetch(listening.url, { method: 'POST', headers, body });
  };
  if (era === 'legacy') {
    const opened = await post(initialize);
    headers['mcp-session-id'] = opened.headers.get('mcp-session-id') ?? '';
    await post({ method: 'notifications/initialized' });
  } else {
    Object.assign(headers, { 'mcp-method': 'tools/call', 'mcp-name': params.name });
  }
  await (await post(calls[era])).text();
  const modules = await modulesOf(async () => {
    expect(await (await post(calls[era])).json()).toMatchObject({
      result: { content: [{ text: '3' }] },
    });
  });
  await listening.close();
  expect(modules).toContain('tools/call.ts');
  expect(modules.slice(most)).toEqual([]);
});

test.each([
  ['legacy', 14, 18],
  ['modern', 15, 17],
] as const)(
  'a %s call over stdio passes %i modules at most, %i with closures',
  async (era, most, all) => {
    const input = new PassThrough();
    const output = new PassThrough();
    const connection = serveChannel(service(), new StreamChannel(input, output));
    const say = async (message: object): Promise<string> => {
      input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
      const [line] = await once(output, 'data');
      return String(line);
    };
    if (era === 'legacy') {
      await say(initialize);
      input.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
    }
    await say(calls[era]);
    const modules = await modulesOf(async () => {
      expect(JSON.parse(await say(calls[era]))).toMatchObject({
        result: { content: [{ text: '3' }] },
      });
    });
    const withClosures = await allModulesOf(() => say(calls[era]));
    await connection.close();
    expect(modules).toContain('tools/call.ts');
    expect(modules.slice(most)).toEqual([]);
    expect(withClosures).toContain('protocol/layers.ts');
    expect(withClosures.slice(all)).toEqual([]);
  },
);
