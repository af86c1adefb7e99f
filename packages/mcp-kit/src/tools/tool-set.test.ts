import { describe, expect, onTestFinished, test } from 'vitest';
import { createServer, type Server } from '#server';
import { connectInMemory, type InMemoryClient } from '#testing';
import { tool, type Tool } from './tool.ts';
import { governed } from './governed/index.ts';
import { toolSet } from './tool-set.ts';
import { defineWorkflow } from './workflow/index.ts';

const made = (name: string, more: Partial<Tool> = {}): Tool => ({
  name,
  description: `About ${name}.`,
  run: () => name,
  ...more,
});

async function connect(server: Server): Promise<InMemoryClient> {
  const client = connectInMemory(server);
  onTestFinished(() => client.close());
  await client.initialize();
  return client;
}

const serve = (features: Parameters<typeof createServer>[0]['features']): Server =>
  createServer({ name: 'set', version: '1.0.0', features });

describe('tools/list', () => {
  test('shows what the author said, in order, and nothing else', async () => {
    const full = tool({
      name: 'full',
      title: 'Full',
      description: 'Everything.',
      annotations: { readOnlyHint: true },
      icons: [{ src: 'data:,' }],
      _meta: { a: 1 },
      layer: 'internal',
      input: { type: 'object', properties: { a: { type: 'string' } } },
      output: { type: 'object', properties: { b: { type: 'string' } } },
      run: () => ({ b: 'x' }),
    });
    const client = await connect(serve([toolSet([full, made('bare')])]));
    expect(await client.request('tools/list')).toEqual({
      tools: [
        {
          name: 'full',
          title: 'Full',
          description: 'Everything.',
          annotations: { readOnlyHint: true },
          icons: [{ src: 'data:,' }],
          _meta: { a: 1 },
          inputSchema: { type: 'object', properties: { a: { type: 'string' } } },
          outputSchema: { type: 'object', properties: { b: { type: 'string' } } },
        },
        {
          name: 'bare',
          description: 'About bare.',
          inputSchema: { type: 'object', additionalProperties: false },
        },
      ],
    });
  });

  test('wraps outputs that are no objects for clients with a handshake only', async () => {
    const output = {
      type: 'array',
      items: { $ref: '#/$defs/n' },
      $defs: { n: { type: 'number' } },
    };
    const client = await connect(serve([toolSet([made('list', { output, run: () => [1] })])]));
    expect(await client.request('tools/list')).toMatchObject({
      tools: [
        {
          outputSchema: {
            type: 'object',
            properties: { result: { items: { $ref: '#/properties/result/$defs/n' } } },
          },
        },
      ],
    });
    expect(await client.requestModern('tools/list')).toMatchObject({
      tools: [{ outputSchema: output }],
    });
  });

  test('comes in pages', async () => {
    const set = toolSet(
      ['a', 'b', 'c'].map((name) => made(name)),
      { pageSize: 2 },
    );
    const client = await connect(serve([set]));
    const first = (await client.request('tools/list')) as { nextCursor: string };
    expect(first).toMatchObject({ tools: [{ name: 'a' }, { name: 'b' }] });
    const second = await client.request('tools/list', { cursor: first.nextCursor });
    expect(second).toMatchObject({ tools: [{ name: 'c' }] });
  });
});

describe('a set', () => {
  test('tells its clients what was added and removed', async () => {
    const set = toolSet([made('a')]);
    const client = await connect(serve([set]));
    set.add(made('b'));
    expect(set.remove('a')).toBe(true);
    expect(set.remove('a')).toBe(false);
    expect(await client.request('tools/list')).toMatchObject({ tools: [{ name: 'b' }] });
    await expect(client.request('tools/call', { name: 'a' })).rejects.toMatchObject({
      code: -32602,
      message: 'Unknown tool: a',
    });
    const changed = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };
    expect(client.notifications).toEqual([changed, changed]);
  });

  test('refuses two tools of one name', () => {
    expect(() => toolSet([made('a'), made('a')])).toThrow('tool a is defined twice');
    const set = toolSet([made('a')]);
    expect(() => set.add(made('a'))).toThrow('tool a is defined twice');
  });

  test('that refused a tool is as it was', async () => {
    const set = toolSet([made('a')]);
    const client = await connect(serve([set]));
    expect(() => set.add(made('b', { input: { type: 'string' } }))).toThrow('input of tool b');
    expect(await client.request('tools/list')).toMatchObject({ tools: [{ name: 'a' }] });
    expect(client.notifications).toEqual([]);
    set.add(made('b'));
  });

  test.each([0, -1, Number.NaN, '10' as unknown as number])(
    'refuses %j where an amount is meant, of a tool, of a set, of a workflow',
    (amount) => {
      const wrong = `must be a number above zero, not ${String(amount)}`;
      for (const [name, more] of [
        ['timeoutMs', { timeoutMs: amount }],
        ['limit.concurrent', { limit: { concurrent: amount } }],
        ['limit.perMinute', { limit: { perMinute: amount } }],
      ] as const) {
        expect(() => toolSet([made('a', more)])).toThrow(`tool a: ${name} ${wrong}`);
        expect(() => governed(more)).toThrow(`governed: ${name} ${wrong}`);
      }
      const { idempotency, plans } = {
        idempotency: { keepMs: amount },
        plans: { ttlMs: amount },
      };
      expect(() => governed({ idempotency })).toThrow(`idempotency.keepMs ${wrong}`);
      expect(() => governed({ plans })).toThrow(`plans.ttlMs ${wrong}`);
      const workflow = defineWorkflow({ name: 'w', description: 'W.' });
      const stage = { plan: () => ({ changes: [] }), apply: () => undefined, timeoutMs: amount };
      expect(() => workflow.stage('s', stage)).toThrow(`workflow w, stage s: timeoutMs ${wrong}`);
    },
  );

  test.each(['', 'with space', 'slash/ed', 'ünicode', 'a'.repeat(129), 'new\nline'])(
    'refuses the name %j',
    (name) => {
      expect(() => toolSet([made(name)])).toThrow('is not valid');
    },
  );

  test.each(['a', 'A.b-c_1', 'a'.repeat(128), 'constructor', '__proto__'])(
    'takes the name %j',
    async (name) => {
      const client = await connect(serve([toolSet([made(name)])]));
      expect(await client.request('tools/call', { name })).toMatchObject({
        content: [{ text: name }],
      });
    },
  );

  test.each(['constructor', '__proto__', 'toString'])('does not know the tool %s', async (name) => {
    const client = await connect(serve([toolSet([])]));
    await expect(client.request('tools/call', { name })).rejects.toMatchObject({ code: -32602 });
  });

  test.each([[undefined], [5], [{}], [null]])('does not know the tool %j', async (name) => {
    const client = await connect(serve([toolSet([])]));
    await expect(client.request('tools/call', { name })).rejects.toMatchObject({ code: -32602 });
  });
});

describe('x-mcp-header', () => {
  const header = { type: 'string', 'x-mcp-header': 'Region' };
  const withInput = (properties: object, more: object = {}): Tool =>
    made('t', { input: { type: 'object', properties, ...more } });

  test('names the headers of a tool', () => {
    const server = serve([
      toolSet([made('plain')]),
      toolSet([
        withInput({
          a: header,
          b: { type: 'object', properties: { c: { type: 'integer', 'x-mcp-header': 'Deep' } } },
        }),
      ]),
    ]);
    expect(server.mirroredHeaders('t')).toEqual([
      { header: 'mcp-param-region', path: ['a'], type: 'string' },
      { header: 'mcp-param-deep', path: ['b', 'c'], type: 'integer' },
    ]);
    expect(server.mirroredHeaders('plain')).toEqual([]);
    expect(server.mirroredHeaders('unknown')).toEqual([]);
  });

  test.each([
    ['on a number', { a: { type: 'number', 'x-mcp-header': 'A' } }, {}],
    ['on an object', { a: { type: 'object', 'x-mcp-header': 'A' } }, {}],
    ['on what has no type', { a: { 'x-mcp-header': 'A' } }, {}],
    ['without a name', { a: { type: 'string', 'x-mcp-header': '' } }, {}],
    ['with a name that is no token', { a: { type: 'string', 'x-mcp-header': 'a b' } }, {}],
    ['with a name that is no text', { a: { type: 'string', 'x-mcp-header': 5 } }, {}],
    ['twice with the same name', { a: header, b: { ...header, 'x-mcp-header': 'REGION' } }, {}],
    ['within items', { a: { type: 'array', items: header } }, {}],
    ['within anyOf', { a: { anyOf: [header] } }, {}],
    ['within a definition', { a: { type: 'string' } }, { $defs: { r: header } }],
    ['on all arguments', {}, { 'x-mcp-header': 'All' }],
  ])('is refused %s', (_where, properties, more) => {
    expect(() => toolSet([withInput(properties, more)])).toThrow('x-mcp-header');
  });

  test('may be the name of an argument', () => {
    expect(() => toolSet([withInput({ 'x-mcp-header': { type: 'string' } })])).not.toThrow();
  });
});
