import * as fc from 'fast-check';
import {
  adHocEntry,
  createManager,
  modelTools,
  type ModelApi,
  type ServerTool,
} from '@mcp-kit/host';
import { textOf } from 'mcp-kit/client';
import { describe, expect, test } from 'vitest';
import {
  placeOfName,
  qualifiedName,
} from '../../packages/host/src/manager/tools/qualified-name.ts';
import { failure, older, script, text } from './client-script.ts';

/** The strictest of what the APIs document: letters, digits, _ and -, a letter or _ first, 63 of them (Gemini). */
const valid = /^[A-Za-z_][A-Za-z0-9_-]{0,62}$/;

describe('A qualified name', () => {
  test.each([
    ['github', 'search_issues', 'github__search_issues'],
    ['a', '_b', 'a___b'],
    ['a', 'b__c', 'a__b__c'],
  ])('of %s and %s is %s, and says where its tool is', (server, tool, name) => {
    expect(qualifiedName({ server, tool })).toBe(name);
    expect(placeOfName(name)).toEqual({ server, tool });
  });

  test('is valid in every model API, and belongs to one tool only', () => {
    const name = fc.oneof(
      fc.string({ minLength: 1, maxLength: 80 }),
      fc.stringMatching(/^[ab_]{1,6}$/),
      fc.stringMatching(/^[a-c]{1,4}_[0-9a-f]{10}$/),
    );
    const place = fc.record({ server: name, tool: name });
    fc.assert(
      fc.property(place, place, (one, other) => {
        const first = qualifiedName(one);
        expect(first).toMatch(valid);
        const isSame = one.server === other.server && one.tool === other.tool;
        expect(qualifiedName(other) === first).toBe(isSame);
        const said = placeOfName(first);
        expect(said ?? one).toEqual(one);
      }),
    );
  });
});

const odd = 'read file/äöü';
const serving = (names: readonly string[]) =>
  script({
    ...older,
    'tools/list': () => ({
      tools: names.map((name) => ({ name, inputSchema: { $schema: 'x', type: 'object' } })),
    }),
    'tools/call': ({ name, arguments: args }) => text(`${String(name)} ${JSON.stringify(args)}`),
  });

describe('A manager', () => {
  async function open(onToolsChanged?: (server: string) => void) {
    const manager = createManager({
      entries: [],
      trust: 'trusted',
      toolCache: false,
      era: 'legacy',
      onToolsChanged,
    });
    const [one, two] = [serving(['get', odd]), serving(['get'])];
    await manager.attach('one', await one.target.dial());
    await manager.attach('two', await two.target.dial());
    return { manager, one };
  }

  test('calls tools by their qualified names', async () => {
    const { manager } = await open();
    await using _ = manager;
    const { tools } = await manager.tools({ waitMs: 60_000 });
    expect(new Set(tools.map((tool) => tool.qualifiedName)).size).toBe(3);
    for (const { qualifiedName: name, tool } of tools) {
      expect(textOf(await manager.callTool(name, { a: 1 }))).toBe(`${tool.name} {"a":1}`);
    }
    expect(await failure(manager.callTool('nobody__get'))).toMatchObject({
      code: 'invalid_argument',
      message: 'there is no tool nobody__get',
    });
  });

  test('finds a name that only a list can explain, without one having been asked for', async () => {
    const { manager } = await open();
    await using _ = manager;
    const name = qualifiedName({ server: 'one', tool: odd });
    expect(textOf(await manager.callTool(name))).toBe(`${odd} {}`);
  });

  test('tells when tools may be others', async () => {
    const told: string[] = [];
    const { manager, one } = await open((server) => told.push(server));
    await using _ = manager;
    expect(told).toEqual(['one', 'two']);
    one.peer.notify('notifications/tools/list_changed');
    await expect.poll(() => told).toEqual(['one', 'two', 'one']);
  });

  test('tells the process of a server while there is one', async () => {
    const command = process.execPath;
    const entry = adHocEntry({ command, args: ['examples/first-tool.mjs'] }, 'numbers');
    await using manager = createManager({ entries: [entry], trust: 'trusted', toolCache: false });
    expect(manager.status('numbers').pid).toBeUndefined();
    const session = await manager.server('numbers').connect();
    const { pid = 0 } = manager.status('numbers');
    expect(session.pid).toBe(pid);
    expect(process.kill(pid, 0)).toBe(true);
    await manager.disconnect('numbers');
    expect(manager.status('numbers').pid).toBeUndefined();
  });
});

test('every shape has a name, a description and the schema of an object', () => {
  const tools: readonly ServerTool[] = [
    {
      server: 's',
      qualifiedName: 's__t',
      from: 'live',
      tool: { name: 't', title: 'T', inputSchema: { $schema: 'x', required: [] } },
    },
  ];
  const schema = { type: 'object', properties: {}, required: [] };
  const named = { name: 's__t', description: 'T' };
  const expected: Record<ModelApi, unknown> = {
    'openai-chat': [{ type: 'function', function: { ...named, parameters: schema } }],
    openai: [{ type: 'function', ...named, parameters: schema, strict: false }],
    anthropic: [{ ...named, input_schema: schema }],
    gemini: [{ functionDeclarations: [{ ...named, parametersJsonSchema: schema }] }],
    'ai-sdk': { s__t: { description: 'T', inputSchema: schema } },
    langchain: [{ ...named, schema }],
  };
  for (const [api, shape] of Object.entries(expected)) {
    expect(modelTools(tools, api as ModelApi)).toEqual(shape);
  }
});
