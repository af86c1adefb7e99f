import { afterAll, beforeAll, expect, test } from 'vitest';
import { requireBuild } from '../support/cli.ts';
import { fixture, Project, type Finished } from '../support/project.ts';

beforeAll(requireBuild);

const project = new Project();
afterAll(() => project[Symbol.dispose]());

/** Runs mcpctl with a server that has this one tool, and always gives this result. */
function runWith(tool: object, result: object, ...words: readonly string[]): Promise<Finished> {
  const answers = {
    'tools/list': { result: { tools: [{ name: 't', inputSchema: { type: 'object' }, ...tool }] } },
    'tools/call': { result: { content: [{ type: 'text', text: 'done' }], ...result } },
  };
  const env = ['--env', `BLUNT=${JSON.stringify(answers)}`];
  return project.runApart(...words, ...env, '--', ...fixture('blunt'));
}

function nested(depth: number): object {
  let value = {};
  for (let level = 0; level < depth; level += 1) value = { a: value };
  return value;
}

const twice = { allOf: [{ $ref: '#' }, { $ref: '#' }] };
const exponential = { type: 'object', properties: { a: twice } };

test('a result whose schema would take for ever is shown, and said not to be checked', async () => {
  const { code, stdout, stderr } = await runWith(
    { outputSchema: exponential },
    { structuredContent: nested(60) },
    'call',
    't',
  );
  expect(stdout).toContain('done');
  expect(stderr).toContain('a result of tool t is not checked: its schema takes too many steps');
  expect(code).toBe(0);
});

test('a schema that leads to itself is said not to be checked, and the call is made', async () => {
  const { code, stdout, stderr } = await runWith(
    { outputSchema: { type: 'object', $ref: '#' } },
    { structuredContent: {} },
    'call',
    't',
  );
  expect(stdout).toContain('done');
  expect(stderr).not.toContain('call stack');
  expect(code).toBe(0);
});

test('arguments whose schema would take for ever are sent, and said not to be checked', async () => {
  const given = JSON.stringify(nested(60));
  const { code, stderr } = await runWith(
    { inputSchema: exponential },
    {},
    'call',
    't',
    '--args',
    given,
  );
  expect(stderr).toContain(
    'arguments are not checked: input of t: its schema takes too many steps',
  );
  expect(code).toBe(0);
});

test('a tool with five thousand arguments can be called', async () => {
  const names = Array.from({ length: 5000 }, (_, at) => `a${at}`);
  const inputSchema = {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, {}])),
    required: ['a7'],
  };
  const called = await runWith({ inputSchema }, {}, 'call', 't', 'a7=1');
  expect(called).toMatchObject({ code: 0, stdout: expect.stringContaining('done') as unknown });
  const missing = await runWith({ inputSchema }, {}, 'call', 't', 'a8=1');
  expect(missing.stderr).toContain('a7: required but missing');
  expect(missing.stderr).toContain('… 4900 more)');
});

test('a schema of alternatives of alternatives is shown at once', async () => {
  const many = Array.from({ length: 6 }, () => ({ $ref: '#/properties/a' }));
  const inputSchema = { type: 'object', properties: { a: { anyOf: many, allOf: many } } };
  const { code, stdout } = await runWith({ inputSchema }, {}, 'tools');
  expect(stdout).toMatch(/^t\(a\?: any\)$/m);
  expect(code).toBe(0);
});
