import { Buffer } from 'node:buffer';
import { describe, expect, test } from 'vitest';
import { encodeHeaderValue } from 'mcp-kit/internal';
import { metaKeys } from 'mcp-kit/protocol';
import { createServer, defineResource, resources } from 'mcp-kit/server';
import { defineTool, toolSet } from 'mcp-kit/tools';
import { send, type Call } from '../support/http-client.ts';
import { modern, serving, type ModernOptions, type Served } from '../support/mcp-http.ts';

// Requests of 2026-07-28 over HTTP: the headers that repeat what the body says.

const odd = 'Hello, 世界';
const version = metaKeys.protocolVersion;

function start(): Promise<Served> {
  const tools = toolSet([
    defineTool({ name: 'say', description: 'Says hi.', run: () => 'hi' }),
    defineTool({
      name: 'route',
      description: 'Has arguments in headers.',
      input: {
        type: 'object',
        properties: {
          region: { type: 'string', 'x-mcp-header': 'Region' },
          shard: { type: 'integer', 'x-mcp-header': 'Shard' },
          dry: { type: 'boolean', 'x-mcp-header': 'Dry' },
          nested: {
            type: 'object',
            properties: { key: { type: 'string', 'x-mcp-header': 'Nested-Key' } },
          },
          free: { type: 'string' },
        },
      },
      run: (args) => args,
    }),
  ]);
  const known = defineResource({ uri: `note://${odd}`, name: 'odd', read: () => 'text' });
  const features = [tools, resources({ resources: [known] })];
  return serving(createServer({ name: 'headers', version: '1.0.0', features }));
}

describe('when several things are wrong, the first that is looked at is reported:', () => {
  const steps: readonly (readonly [string, number, ModernOptions])[] = [
    ['the envelope', -32602, { meta: { [metaKeys.clientCapabilities]: 1 } }],
    ['the version header', -32020, { headers: { 'mcp-protocol-version': '2025-11-25' } }],
    ['Mcp-Method', -32020, { headers: { 'mcp-method': 'x' } }],
    ['Mcp-Name', -32020, { headers: { 'mcp-name': 'x' } }],
    ['Mcp-Param', -32020, { headers: { 'mcp-param-region': 'x' } }],
  ];
  test.each(steps.map(([what, code], at) => [what, code, at] as const))(
    '%s: %i',
    async (_what, code, at) => {
      await using server = await start();
      const wrong = steps.slice(at).map(([, , options]) => options);
      const options: ModernOptions = {
        meta: Object.fromEntries(wrong.flatMap(({ meta = {} }) => Object.entries(meta))),
        headers: Object.fromEntries(wrong.flatMap((step) => Object.entries(step.headers ?? {}))),
      };
      const params = { name: 'route', arguments: {} };
      const answer = await send(server.url, modern('tools/call', params, options));
      expect(answer).toMatchObject({ status: 400, message: { error: { code } } });
    },
  );

  test('an unsupported version before any other header', async () => {
    await using server = await start();
    const headers = { 'mcp-protocol-version': '2030-01-01', 'mcp-method': undefined };
    const wrong = modern('tools/list', {}, { headers, meta: { [version]: '2030-01-01' } });
    expect((await send(server.url, wrong)).message).toMatchObject({ error: { code: -32022 } });
  });

  test('a header before the method', async () => {
    await using server = await start();
    const wrong = modern('nonsense', {}, { headers: { 'mcp-method': 'x' } });
    expect(await send(server.url, wrong)).toMatchObject({ status: 400 });
  });
});

describe('Mcp-Name', () => {
  test.each([
    ['in base64 where it must be', `note://${odd}`],
    ['in base64 where it need not be', 'say'],
  ])('may be %s', async (_how, name) => {
    await using server = await start();
    const base64 = `=?base64?${Buffer.from(name).toString('base64')}?=`;
    const [method, params] =
      name === 'say' ? ['tools/call', { name }] : ['resources/read', { uri: name }];
    const answer = await send(
      server.url,
      modern(method, params, { headers: { 'mcp-name': base64 } }),
    );
    expect(answer).toMatchObject({ status: 200, message: { result: {} } });
  });

  test('that looks like base64 is read as base64, also when the name itself looks so', async () => {
    await using server = await start();
    const name = '=?base64?c2F5?=';
    const raw = modern('tools/call', { name }, { headers: { 'mcp-name': name } });
    expect((await send(server.url, raw)).message).toMatchObject({ error: { code: -32020 } });
    const headers = { 'mcp-name': encodeHeaderValue(name) };
    const encoded = modern('tools/call', { name }, { headers });
    expect((await send(server.url, encoded)).message).toMatchObject({ error: { code: -32602 } });
  });
});

describe('Mcp-Param', () => {
  const args = { region: 'eu', shard: 42, dry: true, nested: { key: 'k' }, free: 'x' };
  const matching = {
    'mcp-param-region': 'eu',
    'mcp-param-shard': '42',
    'mcp-param-dry': 'true',
    'mcp-param-nested-key': 'k',
  };
  const route = (given: object, headers: ModernOptions['headers']): Call =>
    modern('tools/call', { name: 'route', arguments: given }, headers && { headers });

  test.each([
    ['that repeat every argument', args, matching],
    ['in any spelling of the same number', args, { ...matching, 'mcp-param-shard': '42.0' }],
    ['in base64', { region: odd }, { 'mcp-param-region': encodeHeaderValue(odd) }],
    ['with padding kept', { region: ' x ' }, { 'mcp-param-region': encodeHeaderValue(' x ') }],
    ['of an empty text', { region: '' }, { 'mcp-param-region': '=?base64??=' }],
    ['that nobody declared', { free: 'x' }, { 'mcp-param-other': 'y' }],
    ['absent with their arguments', {}, {}],
    ['absent with arguments that are null', { nested: null }, {}],
  ])('headers %s are served', async (_how, given, headers) => {
    await using server = await start();
    const answer = await send(server.url, route(given, headers));
    expect(answer).toMatchObject({ status: 200, message: { result: {} } });
  });

  test.each([
    ['missing', args, { ...matching, 'mcp-param-region': undefined }],
    ['different', args, { ...matching, 'mcp-param-region': 'us' }],
    ['different in case', args, { ...matching, 'mcp-param-region': 'EU' }],
    ['another number', args, { ...matching, 'mcp-param-shard': '43' }],
    ['no number', args, { ...matching, 'mcp-param-shard': 'many' }],
    ['another truth', args, { ...matching, 'mcp-param-dry': 'false' }],
    ['different deep down', args, { ...matching, 'mcp-param-nested-key': 'z' }],
    ['broken base64', args, { ...matching, 'mcp-param-region': '=?base64?ZXU?=' }],
    ['base64 of no text', args, { ...matching, 'mcp-param-region': '=?base64?/w==?=' }],
    ['there without its argument', {}, { 'mcp-param-region': 'eu' }],
  ])('a header that is %s is 400 with -32020', async (_how, given, headers) => {
    await using server = await start();
    expect(await send(server.url, route(given, headers))).toMatchObject({
      status: 400,
      message: { error: { code: -32020 } },
    });
  });
});
