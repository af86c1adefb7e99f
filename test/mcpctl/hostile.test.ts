import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import path from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mcpctl } from '../support/child-process.ts';
import { requireBuild } from '../support/cli.ts';
import { fixture, Project, samples, type Finished } from '../support/project.ts';
import { oneIn } from '../support/scale.ts';

beforeAll(requireBuild);

const project = new Project();
afterAll(() => project[Symbol.dispose]());

type Answers = Readonly<Record<string, unknown>>;

const result = (value: unknown): unknown => ({ result: value });

/** The arguments that make mcpctl use a server that answers so. */
const blunt = (answers: Answers): readonly string[] => [
  '--env',
  `BLUNT=${JSON.stringify(answers)}`,
  '--',
  ...fixture('blunt'),
];

const ask = (answers: Answers, ...words: readonly string[]): Promise<Finished> =>
  project.run(...words, ...blunt(answers));

const tools = (...list: readonly unknown[]): Answers => ({
  'tools/list': result({ tools: list }),
  'tools/call': result({ content: [{ type: 'text', text: 'done' }] }),
});

describe('an answer that no server should give', () => {
  const plain = { name: 'plain', inputSchema: { type: 'object' } };
  const prompt = { name: 'p', arguments: [{ name: 'a' }] };
  const prompts = (...list: readonly unknown[]): Answers => ({
    'prompts/list': result({ prompts: list }),
    'prompts/get': result({ messages: [] }),
  });

  oneIn(3)<[string, Answers, [readonly string[], RegExp]]>([
    ['a tool without a schema', tools({ name: 'bare' }), [['tools'], /^bare\(\)$/m]],
    ['its call', tools({ name: 'bare' }), [['call', 'bare', 'a=1'], /^done$/m]],
    [
      'a tool whose title and description are numbers',
      tools({ ...plain, title: 1, description: 2 }),
      [['tools', '--verbose'], /^plain\(\)$/m],
    ],
    [
      'a reference that is no URI',
      tools({ name: 't', inputSchema: { properties: { x: { $ref: '#/%zz' } } } }),
      [['tools'], /^t\(x\?: any\)$/m],
    ],
    [
      'properties that are a word',
      tools({ name: 't', inputSchema: { properties: 'x' } }),
      [['call', 't'], /^done$/m],
    ],
    [
      'content that is nothing',
      { ...tools(plain), 'tools/call': result({ content: [null, { type: 'image' }] }) },
      [['call', 'plain'], /^null\n\{\n {2}"type": "image"\n\}$/m],
    ],
    ['prompts that are nothing', prompts(null, 5, {}, prompt), [['prompts'], /^p\(a\?\)\n$/]],
    [
      'arguments of a prompt that are nothing',
      prompts({ name: 'p', arguments: [null, {}] }),
      [['prompts'], /^p\(\)$/m],
    ],
    [
      'resources that are nothing',
      { 'resources/list': result({ resources: [null, {}, { uri: 'a:b', name: 'n' }] }) },
      [['resources'], /^a:b$/m],
    ],
  ])('%s is shown as far as it goes', async (_, answers, [words, shown]) => {
    const { code, stdout, stderr } = await ask(answers, ...words);
    expect(stderr).not.toContain('bug');
    expect(stdout).toMatch(shown);
    expect(code).toBe(0);
  });

  oneIn(3)<[string, Answers, readonly string[]]>([
    ['a resource of no parts', { 'resources/read': result({ contents: [null] }) }, ['read', 'a:b']],
    [
      'a resource whose text is a number',
      { 'resources/read': result({ contents: [{ uri: 'a:b', text: 5 }] }) },
      ['read', 'a:b', '--output', 'file'],
    ],
    [
      'a prompt whose message is nothing',
      { ...prompts(prompt), 'prompts/get': result({ messages: [null] }) },
      ['prompt', 'p'],
    ],
  ])('%s is an error that says so', async (_, answers, words) => {
    const { code, stderr } = await ask(answers, ...words);
    expect(stderr).toMatch(/^mcpctl: .*(neither text nor bytes|not an object)\n.*MCP server/);
    expect(code).toBe(1);
  });
});

describe('words of others', () => {
  const forged = 'no\nmcpctl: everything is fine\nok       tools    5 tools';

  test('cannot begin a line of a complaint', async () => {
    const answers = { 'tools/list': { error: { code: -32000, message: forged } } };
    const { code, stderr } = await ask(answers, 'tools');
    expect(stderr).toContain('    mcpctl: everything is fine');
    expect(stderr).not.toMatch(/^mcpctl: everything/m);
    expect(code).toBe(1);
  });

  test('cannot add a step to what the doctor says', async () => {
    const serverInfo = { name: forged, version: '1' };
    const initialize = result({ protocolVersion: '2025-11-25', capabilities: {}, serverInfo });
    const { stdout } = await ask({ initialize }, 'doctor');
    expect(stdout).toContain(String.raw`no\nmcpctl: everything is fine\nok`);
    expect(stdout).not.toMatch(/^(mcpctl:|ok +tools +5)/m);
  });

  test('cannot add a line to what somebody is asked to approve', async () => {
    using repository = new Project({
      '.mcp.json': { mcpServers: { 'a\nb': { command: 'node', args: ['-e', 'x\n  runs  true'] } } },
    });
    const shown = await repository.run('trust', 'show', 'a\nb');
    const lines = shown.stdout.trimEnd().split('\n');
    expect(lines[0]).toBe(String.raw`a\nb: not approved`);
    expect(lines.filter((line) => line.startsWith('  runs'))).toEqual([
      String.raw`  runs    node -e 'x\n  runs  true'`,
    ]);
    const refused = await repository.run('tools', 'a\nb');
    expect(refused.stderr).not.toMatch(/^b/m);
    expect(refused.code).toBe(3);
  });

  test('are one word of a command to type, also with quotes in them', async () => {
    const uri = "a:b'; touch owned; '";
    const link = { type: 'resource_link', name: 'n', uri };
    const answers = {
      ...tools({ name: 't', inputSchema: {} }),
      'tools/call': result({ content: [link] }),
    };
    const { stdout } = await ask(answers, 'call', 't');
    expect(stdout).toContain(String.raw`mcpctl read 'a:b'\''; touch owned; '\''' -- `);
  });

  test('in a stack, for those who ask for one, are harmless', async () => {
    const answers = { 'tools/list': { error: { code: 1, message: '\u001B[2Jgone' } } };
    const { stderr } = await ask(answers, 'tools', '--log-level', 'debug');
    expect(stderr).toMatch(/^ +at /m);
    expect(stderr).not.toContain('\u001B');
  });

  test('an option of the server is none of ours', async () => {
    const { stderr } = await project.run('tools', '--', 'no-such-program', '--log-level', 'debug');
    expect(stderr).not.toMatch(/^ +at /m);
  });
});

describe('--json', () => {
  oneIn(4)([
    [['frobnicate']],
    [['tools', '--frob']],
    [['call']],
    [['tools', '--timeout-ms', 'soon']],
    [['trust', 'frob']],
    [['serve', '--port', 'x']],
    [['tools', '--root', 'missing']],
  ])('%j is a mistake that a script can read', async (words) => {
    const { code, stdout } = await project.run(...words, '--json');
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'invalid_argument' } });
    expect(stdout).toMatch(/^[^\n]+\n$/);
    expect(code).toBe(2);
  });

  test('after -- is for the server', async () => {
    const { code, stdout } = await project.run('frobnicate', '--', 'server', '--json');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  });

  oneIn(3)([[['tools']], [['servers']], [['config', 'explain']]])(
    'says of %j what is wrong with the only file there is',
    async (words) => {
      using other = new Project({ 'mcp.json': '{"version":1,' });
      const { code, stdout, stderr } = await other.run(...words, '--json');
      expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'invalid_config' } });
      expect(stderr.match(/mcp\.json#/g)).toHaveLength(1);
      expect(code).toBe(1);
    },
  );
});

describe('a mistake', () => {
  test('a server without a command asks what to do with it', async () => {
    const { code, stderr } = await project.run('--url', 'http://127.0.0.1:1/mcp');
    expect(stderr).toMatch(/^mcpctl: no command\nSay what to do: mcpctl tools --url/);
    expect(code).toBe(2);
  });

  test('a proxy that does not answer is named by the doctor, without its password', async () => {
    using other = new Project({}, { HTTPS_PROXY: 'http://me:hunter2@127.0.0.1:1' });
    const { stdout } = await other.run('doctor', '--url', 'https://server.example/mcp');
    expect(stdout).toContain('through the proxy http://127.0.0.1:1/');
    expect(stdout).not.toContain('hunter2');
    // What is on this machine is reached without it.
    const near = await other.run('doctor', '--url', 'http://127.0.0.1:1/mcp');
    expect(near.stdout).not.toContain('proxy');
  });

  test('no server anywhere is no dead end', async () => {
    expect((await project.run('servers')).stderr).toContain('mcpctl config files');
  });

  test('a HOME that is no absolute path is not taken for a folder of the project', async () => {
    for (const HOME of ['', 'relative']) {
      using other = new Project({}, { HOME });
      const { stdout } = await other.run('config', 'files', '--json');
      const { lookedFor } = JSON.parse(stdout) as { lookedFor: readonly string[] };
      expect(lookedFor.length).toBeGreaterThan(10);
      expect(lookedFor.filter((file) => !path.isAbsolute(file))).toEqual([]);
    }
  });
});

describe('standard output', () => {
  test.skipIf(!existsSync('/dev/full'))('that is full is a failure', async () => {
    const full = openSync('/dev/full', 'w');
    try {
      const child = spawn(process.execPath, [mcpctl, 'tools', '--', ...samples], {
        stdio: ['ignore', full, 'pipe'],
      });
      const closed = once(child, 'close');
      const stderr = child.stderr === null ? '' : await readAll(child.stderr);
      const [code] = await closed;
      expect(stderr).toContain('cannot write to standard output (ENOSPC)');
      expect(code).toBe(1);
    } finally {
      closeSync(full);
    }
  });

  test('that nobody reads any more ends a watch', async () => {
    const chatter = { method: 'notifications/tools/list_changed' };
    await using child = project.start('watch', ...blunt({ chatter }));
    await child.until(() => (child.stdout.includes('list_changed') ? true : undefined));
    child.process.stdout.destroy();
    expect(await child.ended).toMatchObject({ code: 0 });
  });
});

test('a subscription is taken back at the end, so that no server waits for it', async () => {
  const { code, stderr } = await project.run('tools', '--trace', '--', ...samples);
  expect(stderr).toMatch(/→ .*"id":"listen-1"/);
  expect(stderr).toMatch(/→ .*"notifications\/cancelled".*"requestId":"listen-1"/);
  expect(code).toBe(0);
});
