import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectUsageError, requireBuild, serveSamples } from '../support/cli.ts';
import { fixture, mcpJson, Project } from '../support/project.ts';
import { oneIn } from '../support/scale.ts';

beforeAll(requireBuild);

const project = new Project({ 'mcp.json': mcpJson({ odd: fixture('odd') }) });
afterAll(() => project[Symbol.dispose]());

const url = serveSamples();

describe('a target that is typed', () => {
  test('with --url is reached as typed, with --header, which is never printed', async () => {
    using other = new Project();
    const { code, stdout, stderr } = await other.run(
      'ping',
      '--url',
      url(),
      '--header',
      'X-Key: hunter2',
      '--header',
      'X-B: 2',
      '--trace',
    );
    expect(code).toBe(0);
    expect(stdout + stderr).not.toContain('hunter2');
  });

  test('keeps query and credentials of its URL to itself', async () => {
    using other = new Project();
    const secret = url().replace('http://', 'http://user:hunter2@').replace('/mcp', '/nowhere');
    const { stdout, stderr, code } = await other.run('ping', '--url', `${secret}?key=hunter3`);
    expect(code).not.toBe(0);
    expect(stdout + stderr).not.toMatch(/hunter[23]/);
  });

  test('with -- is started with a minimal environment, --env and --cwd', async () => {
    using other = new Project({}, { SECRET: 'hunter2' });
    const { stdout, code } = await other.run(
      'call',
      'environment',
      '--env',
      'GIVEN=1',
      '--cwd',
      other.home,
      '--',
      ...fixture('odd'),
    );
    expect(code).toBe(0);
    const told = JSON.parse(stdout) as { names: readonly string[]; cwd: string };
    expect(told.names).toContain('GIVEN');
    expect(told.names).not.toContain('SECRET');
    expect(path.basename(told.cwd)).toBe('home');
  });

  test('with -- is started where the user is, not in --root', async () => {
    using other = new Project();
    mkdirSync(path.join(other.folder, 'sub'));
    const { stdout } = await other.run(
      'call',
      'environment',
      '--root',
      'sub',
      '--',
      ...fixture('odd'),
    );
    expect(JSON.parse(stdout)).toMatchObject({ cwd: expect.stringMatching(/work$/) });
  });

  test('needs no configuration, and reads none', async () => {
    using other = new Project({ 'mcp.json': '{ broken' });
    const { code, stderr } = await other.run('ping', '--quiet', '--', ...fixture('odd'));
    expect(code).toBe(0);
    expect(stderr).toBe('');
  });

  test('with --unix is connected to', async () => {
    using other = new Project();
    const socket = path.join(other.home, 's.sock');
    await using serving = other.start('serve', '--unix', socket, '--json');
    await serving.until(() => (serving.stdout.includes('\n') ? true : undefined));
    const { code, stdout } = await other.run('ping', '--json', '--unix', socket);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ server: 's.sock', ok: true });
  });

  oneIn(4)([
    [['ping', 'odd', '--', 'x'], /unexpected argument "odd"/, /the command after --/],
    [['ping', 'odd', '--url', 'http://x'], /unexpected argument "odd"/, /by --url/],
    [
      ['ping', '--url', 'http://x', '--', 'x'],
      /--url and a command after -- exclude/,
      /one server/,
    ],
    [['ping', '--url', 'example.com'], /not an http or https URL/, /in full/],
    [['ping', '--header', 'a: b'], /--header needs --url/, /--url URL/],
    [['ping', '--url', 'http://x', '--header', 'hunter2'], /--header number 1/, /'Name: value'/],
    [['ping', '--env', 'A=1', 'odd'], /--env needs a command/, /after --/],
    [['ping', '--cwd', 'x', 'odd'], /--cwd needs a command/, /after --/],
    [['ping', '--env', 'hunter2', '--', 'x'], /--env number 1 has no "="/, /NAME=VALUE/],
    [['ping', '--'], /nothing follows --/, /npx/],
    [['--', 'x'], /no command before --/, /mcpctl tools --/],
    [['servers', '--', 'x'], /servers takes nothing after --/, /help servers/],
    [['servers', '--url', 'http://x'], /unknown option --url/, /help servers/],
  ])('%j is a usage error that says what to type', async (args, what, next) => {
    const finished = await project.run(...args);
    expectUsageError(finished, what, next);
    expect(finished.stderr).not.toContain('hunter2');
  });
});
