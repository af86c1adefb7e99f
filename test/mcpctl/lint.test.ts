import { existsSync } from 'node:fs';
import path from 'node:path';
import { lintRules } from 'mcp-kit/tools/inspect';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root } from '../support/child-process.ts';
import { requireBuild } from '../support/cli.ts';
import { fixture, Project, samples, type Finished } from '../support/project.ts';
import { oneIn } from '../support/scale.ts';

beforeAll(requireBuild);

const project = new Project();
afterAll(() => project[Symbol.dispose]());

const example = (name: string): readonly string[] => [
  process.execPath,
  path.join(root, 'examples', name),
];
const everything = path.join(
  root,
  'peers/node_modules/@modelcontextprotocol/server-everything/dist/index.js',
);

/** A server that lists these tools, whatever they are. */
const listing = (tools: readonly unknown[]): readonly string[] => {
  const answers = JSON.stringify({ 'tools/list': { result: { tools } } });
  return ['--env', `BLUNT=${answers}`, '--', ...fixture('blunt')];
};

const lint = (...args: readonly string[]): Promise<Finished> =>
  project.run('lint', '--style', ...args);

const good = {
  name: 'get_note_text',
  description: 'Returns a note.',
  inputSchema: { type: 'object' },
};
const described = { type: 'string', description: 'What it is.' };
const wordy = { ...good, inputSchema: { type: 'object', properties: { noteName: {} } } };

interface Report {
  readonly errors: number;
  readonly warnings: number;
  readonly tools: number;
  readonly findings: readonly { readonly tool: string; readonly rule: string }[];
}

const report = ({ stdout }: Finished): Report => JSON.parse(stdout) as Report;

describe('lint of a live server', () => {
  test.each([
    ['the samples', samples],
    ['a governed server', example('todo-store.mjs')],
  ])('finds nothing wrong with %s', async (_, command) => {
    const { code, stdout, stderr } = await lint('--max-warnings', '0', '--', ...command);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toMatch(/^0 errors, 0 warnings in \d tools · \d+ ms\n$/);
  });

  test('says what is wrong, where, by which rule, and what to do', async () => {
    const properties = { filter: { ...described, properties: { 'is-open': described } } };
    const tool = { name: 'getNoteText', inputSchema: { type: 'object', properties } };
    const { code, stdout, stderr } = await lint(...listing([tool]));
    expect(code).toBe(1);
    expect(stdout).toBe(
      [
        'getNoteText',
        '  error: the name "getNoteText" is not <verb>_<domain>_<object> (name-format)',
        '    Use "get_note_text".',
        '  error: argument "is-open" is not in camelCase at filter.is-open (parameter-case)',
        '    For example nodeUuid.',
        '  error: it has no description (description-there)',
        '    A model chooses by it: say what the tool does.',
        '',
      ].join('\n'),
    );
    expect(stderr).toMatch(/^3 errors, 0 warnings in 1 tool · /);
  });

  test('holds tools of others to the protocol only, and says that style has more', async () => {
    const tools = [
      { ...wordy, name: 'getNoteText' },
      { ...good, name: 'a tool', inputSchema: {} },
      { ...good, name: 'getNoteText' },
    ];
    const { code, stdout, stderr } = await project.run(
      'lint',
      '--manifest',
      project.write('odd.json', tools),
    );
    expect(code).toBe(1);
    expect(stdout.match(/\(([\w-]+)\)$/gm)).toEqual([
      '(name-valid)',
      '(input-object)',
      '(name-unique)',
    ]);
    expect(stderr).toMatch(/^3 errors, 0 warnings in 3 tools; of style 5, which --style shows · /);
    const harmless = await project.run('lint', ...listing([{ ...wordy, name: 'getNoteText' }]));
    expect(harmless).toMatchObject({ code: 0, stdout: '' });
    expect(harmless.stderr).toMatch(/^0 errors, 0 warnings in 1 tool; of style 2/);
  });

  test('looks at governed tools by all that they tell', async () => {
    const { code, stdout } = await lint('--json', '--', ...samples, '--profile', 'v2');
    expect(code).toBe(1);
    const rules = new Set((JSON.parse(stdout) as Report).findings.map(({ rule }) => rule));
    expect([...rules]).toEqual(['core-output', 'write-changes']);
  });

  test('works with servers of others', async ({ skip }) => {
    skip(!existsSync(everything), 'peers are not installed');
    const finished = await lint('--json', '--', process.execPath, everything);
    expect(finished.code).toBe(1);
    const { findings, errors, warnings } = report(finished);
    expect(errors + warnings).toBe(findings.length);
    expect(findings).toContainEqual(
      expect.objectContaining({ tool: 'get-tiny-image', rule: 'name-format', level: 'error' }),
    );
    expect(findings).not.toContainEqual(
      expect.objectContaining({ tool: 'get-tiny-image', rule: 'name-verb' }),
    );
  });

  test('survives tools that are none, and shows nothing that a terminal would obey', async () => {
    const tools = [
      { name: 'get_\u001B[31m_x', description: 7, inputSchema: 'no', outputSchema: [], _meta: 1 },
      { name: 'get_a_b', description: 'A tool.', inputSchema: { properties: { a: null } } },
      { name: 'get_a_c', _meta: { layer: 'core' }, annotations: null },
    ];
    const { code, stdout } = await lint(...listing(tools));
    expect(code).toBe(1);
    expect(stdout).toContain(String.raw`get_\u001b[31m_x`);
    expect(stdout).not.toContain('\u001B');
  });

  test('says that a server cannot be reached', async () => {
    const { code, stdout, stderr } = await lint('--', process.execPath, '-e', 'process.exit(3)');
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
    expect(stderr).toMatch(/exit code 3/);
  });
});

describe('lint of a file', () => {
  const file = (content: unknown): string => project.write('tools.json', content);

  oneIn(2)([
    ['a manifest', { tools: [good] }],
    ['a list', [good]],
    ['what mcpctl tools --json prints', { server: 'x', tools: [good], denied: [] }],
  ])('takes %s', async (_, content) => {
    file(content);
    expect(report(await lint('--manifest', 'tools.json', '--json'))).toEqual({
      source: 'tools.json',
      tools: 1,
      errors: 0,
      warnings: 0,
      findings: [],
    });
  });

  test('takes standard input', async () => {
    const finished = await project.runWith(JSON.stringify([good]), 'lint', '--manifest', '-');
    expect(finished).toMatchObject({ code: 0, stdout: '' });
  });

  test('fails at more warnings than are allowed', async () => {
    file([wordy]);
    expect(await lint('--manifest', 'tools.json')).toMatchObject({ code: 0 });
    expect(await lint('--manifest', 'tools.json', '--max-warnings', '1')).toMatchObject({
      code: 0,
    });
    expect(await lint('--manifest', 'tools.json', '--max-warnings', '0')).toMatchObject({
      code: 1,
    });
  });

  test('leaves out what is disabled', async () => {
    file([{ ...wordy, name: 'remove_note' }]);
    const disabled = ['name-format', 'name-verb', 'parameter-described'].flatMap((rule) => [
      '--disable',
      rule,
    ]);
    expect(report(await lint('--manifest', 'tools.json', '--json')).findings).toHaveLength(3);
    expect(report(await lint('--manifest', 'tools.json', '--json', ...disabled)).findings).toEqual(
      [],
    );
  });

  test('prints SARIF, with the file and the tool', async () => {
    file([wordy]);
    const { code, stdout } = await lint('--manifest', 'tools.json', '--sarif');
    expect(code).toBe(0);
    const { version, runs } = JSON.parse(stdout) as { version: string; runs: unknown };
    expect(version).toBe('2.1.0');
    expect(runs).toMatchObject([
      {
        tool: { driver: { rules: Object.keys(lintRules).map((id) => ({ id })) } },
        results: [
          {
            ruleId: 'parameter-described',
            ruleIndex: Object.keys(lintRules).indexOf('parameter-described'),
            level: 'warning',
            message: { text: expect.stringContaining('get_note_text: argument "noteName"') },
            locations: [
              {
                physicalLocation: { artifactLocation: { uri: 'tools.json' } },
                logicalLocations: [{ fullyQualifiedName: 'get_note_text.noteName' }],
              },
            ],
          },
        ],
      },
    ]);
  });

  oneIn(3)<[unknown, RegExp]>([
    ['{', /tools\.json is not JSON/],
    [{}, /tools\.json has no list of tools/],
    [[good, null], /tools\[1\] is not a tool/],
    [[{ description: 'nameless' }], /tools\[0\] is not a tool/],
  ])('%j is a usage error', async (content, message) => {
    file(content);
    const { code, stdout, stderr } = await lint('--manifest', 'tools.json');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
  });
});

test('lint --rules lists every rule', async () => {
  const { code, stdout } = await lint('--rules', '--json');
  expect(code).toBe(0);
  const { rules } = JSON.parse(stdout) as { rules: readonly { rule: string; level: string }[] };
  expect(rules.map(({ rule, level }) => [rule, level])).toEqual(
    Object.entries(lintRules).map(([rule, { level }]) => [rule, level]),
  );
  expect((await lint('--rules')).stdout.split('\n')).toHaveLength(rules.length + 2);
});

describe('lint is not understood', () => {
  oneIn(3)<[readonly string[], RegExp]>([
    [[], /nothing to look at/],
    [['demo', '--manifest', 'x.json'], /--manifest and demo exclude each other/],
    [['--manifest', 'missing.json'], /missing\.json cannot be read \(ENOENT\)/],
    [['demo', '--disable', 'name-fromat'], /no rule "name-fromat"\nDid you mean name-format\?/],
    [['demo', '--max-warnings', 'few'], /--max-warnings cannot be "few"/],
    [['demo', '--json', '--sarif'], /--json and --sarif exclude each other/],
  ])('with %j', async (args, message) => {
    const { code, stderr } = await lint(...args);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });
});
