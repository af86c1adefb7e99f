import { existsSync } from 'node:fs';
import path from 'node:path';
import { isRecord } from 'mcp-kit/internal';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root } from '../support/child-process.ts';
import { requireBuild } from '../support/cli.ts';
import { fixture, mcpJson, Project, trusting, type Finished } from '../support/project.ts';
import { oneIn } from '../support/scale.ts';

beforeAll(requireBuild);

const todo = [process.execPath, path.join(root, 'examples/todo-store.mjs')];
const everything = path.join(
  root,
  'peers/node_modules/@modelcontextprotocol/server-everything/dist/index.js',
);

const project = new Project({ 'mcp.json': mcpJson({ todo, odd: fixture('odd') }) });
afterAll(() => project[Symbol.dispose]());

const manifest = (...args: readonly string[]): Promise<Finished> =>
  project.run('manifest', ...args);

/** A server that answers with this, by method. */
const blunt = (answers: object): readonly string[] => [
  '--env',
  `BLUNT=${JSON.stringify(answers)}`,
  '--',
  ...fixture('blunt'),
];

interface Written {
  readonly tools: readonly Record<string, unknown>[];
}

describe('manifest', () => {
  test('of a governed server has all that it tells', async () => {
    const { code, stdout, stderr } = await manifest('--', ...todo);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^6 tools · \d+ ms\n$/);
    const { tools } = JSON.parse(stdout) as Written;
    expect(tools.find(({ name }) => name === 'delete_todo_item')).toMatchObject({
      safety: 'destructive',
      riskLevel: 'medium',
      supportsDryRun: true,
      errors: expect.arrayContaining([expect.objectContaining({ code: 'E_NOT_FOUND' })]),
      examples: [{ input: { todoId: 'x' }, fails: 'E_NOT_FOUND' }],
      inputSchema: { properties: { dryRun: { type: 'boolean' } } },
      outputSchema: { type: 'object' },
    });
  });

  test('of another has as much as its list says', async () => {
    const listed = { name: 'echo', inputSchema: { type: 'object' } };
    const tools = [
      { ...listed, name: 'read', annotations: { readOnlyHint: true } },
      { ...listed, name: 'add', annotations: { destructiveHint: false, idempotentHint: true } },
      listed,
    ];
    const { stdout } = await manifest('--json', ...blunt({ 'tools/list': { result: { tools } } }));
    expect(JSON.parse(stdout)).toEqual({
      server: expect.any(String),
      tools: [
        { name: 'add', inputSchema: { type: 'object' }, safety: 'mutating', idempotent: true },
        { name: 'echo', inputSchema: { type: 'object' }, safety: 'destructive', idempotent: false },
        { name: 'read', inputSchema: { type: 'object' }, safety: 'readonly', idempotent: true },
      ],
    });
  });

  test('is written to a file, the same each time', async () => {
    const first = await manifest('todo', '--output', 'one.json', ...trusting, '--quiet');
    expect(first).toEqual({ code: 0, stdout: '', stderr: '' });
    await manifest('todo', '--output', 'two.json', ...trusting);
    expect(project.read('one.json')).toEqual(project.read('two.json'));
    expect(String(project.read('one.json'))).toMatch(/^\{\n {2}"tools": \[[^]*\}\n$/);
  });

  oneIn(3)([
    { content: [], isError: true, structuredContent: { error: { message: 'not now' } } },
    { content: [], structuredContent: { data: { tools: 'none' } } },
    { content: [] },
  ])('makes do with the list where a server does not tell, but %j', async (result) => {
    const tool = { inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } };
    const tools = [{ name: 'get_tool_manifest', ...tool }];
    const list = { 'tools/list': { result: { tools } } };
    const answers = { ...list, 'tools/call': { result } };
    const { code, stdout, stderr } = await manifest('--json', ...blunt(answers));
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ tools: [{ name: 'get_tool_manifest' }] });
    expect(stderr).toMatch(/get_tool_manifest does not tell, its list is used/);
  });

  test('does not call a tool of that name that may do something', async () => {
    const tools = [{ name: 'get_tool_manifest', inputSchema: { type: 'object' } }];
    const { stderr } = await manifest(
      '--quiet',
      '--trace',
      ...blunt({ 'tools/list': { result: { tools } } }),
    );
    expect(stderr).toContain('tools/list');
    expect(stderr).not.toContain('tools/call');
  });

  test('tells no more tools than may be used', async () => {
    project.write('denied.json', {
      mcpServers: {
        todo: { command: todo[0], args: todo.slice(1), disabledTools: ['delete_*'] },
      },
    });
    const { stdout } = await manifest('todo', '--config', 'denied.json', '--json', ...trusting);
    const names = (JSON.parse(stdout) as Written).tools.map(({ name }) => name);
    expect(names).toContain('create_todo_item');
    expect(names).not.toContain('delete_todo_item');
  });

  test('cannot be written where there is no place', async () => {
    const { code, stderr } = await manifest('--output', 'no/such/place.json', '--', ...todo);
    expect(code).toBe(2);
    expect(stderr).toMatch(/cannot write no\/such\/place\.json \(ENOENT\)/);
  });
});

const note = {
  name: 'get_note_text',
  description: 'Returns a note.',
  safety: 'readonly',
  idempotent: true,
  inputSchema: {
    type: 'object',
    properties: { noteName: { type: 'string' } },
    required: ['noteName'],
  },
};
const properties = { ...note.inputSchema.properties, limit: { type: 'integer' } };

describe('manifest diff', () => {
  const diff = (...args: readonly string[]): Promise<Finished> => manifest('diff', ...args);

  oneIn(2)<[string, object, string]>([
    ['cosmetic', { description: 'Gives a note.' }, 'description: '],
    ['compatible', { inputSchema: { ...note.inputSchema, properties } }, 'input.limit: new'],
    [
      'breaking',
      { inputSchema: { ...note.inputSchema, properties, required: ['noteName', 'limit'] } },
      'input.limit: new, and required',
    ],
    ['breaking', { safety: 'destructive' }, 'safety: "readonly" → "destructive"'],
  ])('tells what is %s', async (impact, change, message) => {
    project.write('a.json', { tools: [note] });
    project.write('b.json', { tools: [{ ...note, ...change }] });
    const finished = await diff('a.json', 'b.json');
    expect(finished.stdout).toContain(`${impact.padEnd(10)} get_note_text ${message}`);
    expect(finished.code).toBe(impact === 'breaking' ? 1 : 0);
    expect(finished.stderr).toMatch(new RegExp(`^1 change: .*1 ${impact}`));
    expect(await diff('a.json', 'b.json', '--allow-breaking')).toMatchObject({ code: 0 });
  });

  test('has a document for scripts', async () => {
    project.write('a.json', [note]);
    project.write('b.json', []);
    const { code, stdout } = await diff('a.json', 'b.json', '--json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toEqual({
      before: 'a.json',
      after: 'b.json',
      breaking: 1,
      compatible: 0,
      cosmetic: 0,
      changes: [{ impact: 'breaking', tool: 'get_note_text', message: 'it is gone' }],
    });
  });

  test('compares a file with a server that is typed, and with one that is configured', async () => {
    await manifest('todo', '--output', 'todo.json', ...trusting);
    const typed = await diff('todo.json', '--', ...todo);
    expect(typed).toMatchObject({ code: 0, stdout: '' });
    expect(typed.stderr).toMatch(/^no change · /);
    expect(await diff('todo.json', 'todo', ...trusting)).toMatchObject({ code: 0, stdout: '' });
  });

  test('compares two servers', async () => {
    const { code, stdout } = await diff('todo', 'odd', '--json', ...trusting);
    expect(code).toBe(1);
    const { before, after, changes }: Record<string, unknown> = JSON.parse(stdout);
    expect([before, after]).toEqual(['todo', 'odd']);
    expect(changes).toContainEqual({
      impact: 'breaking',
      tool: 'create_todo_item',
      message: 'it is gone',
    });
    expect(changes).toContainEqual({ impact: 'compatible', tool: 'echo', message: 'it is new' });
  });

  test('finds that servers of others are what their manifest says', async ({ skip }) => {
    skip(!existsSync(everything), 'peers are not installed');
    await manifest('--output', 'others.json', '--', process.execPath, everything);
    const finished = await diff('./others.json', '--', process.execPath, everything);
    expect(finished).toMatchObject({ code: 0, stdout: '' });
    const written: unknown = JSON.parse(String(project.read('others.json')));
    expect(isRecord(written) && Array.isArray(written['tools'])).toBe(true);
  });

  test('reads standard input once', async () => {
    project.write('a.json', [note]);
    const finished = await project.runWith(
      JSON.stringify([note]),
      'manifest',
      'diff',
      'a.json',
      '-',
    );
    expect(finished).toMatchObject({ code: 0, stdout: '' });
    expect(await diff('-', '-')).toMatchObject({ code: 2 });
  });

  oneIn(3)<[readonly string[], number, RegExp]>([
    [[], 2, /A is missing/],
    [['a.json'], 2, /B is missing/],
    [['a.json', 'missing.json'], 2, /missing\.json cannot be read \(ENOENT\)/],
    [['a.json', 'strange'], 2, /unknown mcp server: strange/],
    [['a.json', 'todo'], 3, /untrusted mode: todo/],
    [['a.json', 'b.json', '--', 'x'], 2, /unexpected argument "b\.json"/],
    [['a.json', '--', process.execPath, '-e', 'process.exit(3)'], 4, /exit code 3/],
  ])('%j ends with %i', async (args, exit, message) => {
    project.write('a.json', [note]);
    const { code, stdout, stderr } = await diff(...args);
    expect({ code, stdout }).toEqual({ code: exit, stdout: '' });
    expect(stderr).toMatch(message);
  });
});
