import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { commands } from '../../packages/mcpctl/src/registry.ts';
import type { Child } from '../support/child-process.ts';
import { expectUsageError, requireBuild } from '../support/cli.ts';
import { fixture, mcpJson, Project, samples, trusting } from '../support/project.ts';
import { oneIn } from '../support/scale.ts';

beforeAll(requireBuild);

const project = new Project({
  'mcp.json': mcpJson({ odd: fixture('odd'), samples, stubborn: stubborn() }),
});
afterAll(() => project[Symbol.dispose]());

/** A server that tells its process id, and does not want to end. */
function stubborn(): readonly string[] {
  const code = `
    process.on('SIGTERM', () => {});
    process.on('SIGINT', () => {});
    process.stderr.write('pid ' + process.pid + '\\n');
    setInterval(() => {}, 1000);
  `;
  return [process.execPath, '-e', code];
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

describe('mcpctl watch', () => {
  const watchTwo = (...flags: readonly string[]) =>
    project.run('watch', 'odd', '--log', 'debug', '--count', '2', ...flags, ...trusting);

  test('prints what a server says by itself, as lines of JSON, and ends after --count', async () => {
    const { code, stdout } = await watchTwo('--json', '--quiet');
    expect(code).toBe(0);
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([
      { method: 'notifications/tools/list_changed' },
      { method: 'notifications/message', params: { level: 'error', data: 'logged' } },
    ]);
  });

  test('shows people the time, the method and the parameters', async () => {
    const { stdout } = await watchTwo();
    expect(stdout).toMatch(/^\d\d:\d\d:\d\d notifications\/message \{"level":"error"/m);
  });

  test('tells only what is selected', async () => {
    const ask = ['watch', 'odd', '--log', 'debug', '--json', '--quiet', ...trusting];
    const { stdout } = await project.run(...ask, '--prompts', '--count', '1');
    expect(JSON.parse(stdout)).toMatchObject({ method: 'notifications/message' });
  });

  test('ends after --for', async () => {
    const { code, stdout, stderr } = await project.run('watch', 'odd', '--for', '50', ...trusting);
    expect(code).toBe(0);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/watching odd; stop with Ctrl-C/);
  });

  test('tells of a resource that changes, in either era', async () => {
    using other = new Project();
    const socket = `${other.home}/s.sock`;
    await using serving = other.start('serve', '--unix', socket, '--json');
    await serving.until(() => (serving.stdout.includes('\n') ? true : undefined));
    for (const era of ['legacy', 'modern']) {
      await using child = other.start(
        'watch',
        '--resource',
        'demo://status',
        '--count',
        '1',
        '--json',
        '--era',
        era,
        '--unix',
        socket,
      );
      await child.until(() => (child.stderr.includes('watching') ? true : undefined));
      await other.run('call', 'get_time_now', '--unix', socket);
      expect(await child.ended).toMatchObject({ code: 0 });
      expect(JSON.parse(child.stdout)).toMatchObject({
        method: 'notifications/resources/updated',
        params: { uri: 'demo://status' },
      });
    }
  });

  test('ends with exit code 4 when the server goes away', async () => {
    using other = new Project();
    const socket = `${other.home}/s.sock`;
    await using serving = other.start('serve', '--unix', socket, '--json');
    await serving.until(() => (serving.stdout.includes('\n') ? true : undefined));
    await using child = other.start('watch', '--unix', socket);
    await child.until(() => (child.stderr.includes('watching') ? true : undefined));
    await serving.stop('SIGTERM');
    expect(await child.ended).toMatchObject({ code: 4 });
    expect(child.stderr).not.toMatch(/^\s+at /m);
  });
});

describe('a signal', () => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)(
    '%s ends a call in order, with exit code %i and no complaint',
    async (signal, code) => {
      await using child = project.start('call', 'odd', 'hang', '--trace', '--quiet', ...trusting);
      await child.until(() => (/→ odd .*"hang"/.test(child.stderr) ? true : undefined));
      expect(await child.stop(signal)).toMatchObject({ code });
      expect(child.stderr).not.toMatch(/^mcpctl: /m);
      expect(child.stderr).toMatch(/→ odd .*notifications\/cancelled/);
    },
  );

  test('ends watching', async () => {
    await using child = project.start('watch', 'odd', ...trusting);
    await child.until(() => (child.stderr.includes('watching') ? true : undefined));
    expect(await child.stop('SIGINT')).toMatchObject({ code: 130 });
  });

  test('ends waiting for standard input', async () => {
    await using child = project.start('call', 'odd', 'echo', '-', '--log-level', 'debug');
    await untilReading(child);
    expect(await child.stop('SIGINT')).toMatchObject({ code: 130 });
  });

  test('leaves no process behind, however stubborn', async () => {
    await using child = project.start(
      'tools',
      'stubborn',
      '--log-level',
      'info',
      '--quiet',
      ...trusting,
    );
    const pid = await child.until(() => /pid (\d+)/.exec(child.stderr)?.[1]);
    expect(await child.stop('SIGINT')).toMatchObject({ code: 130 });
    await expect.poll(() => isAlive(Number(pid))).toBe(false);
  });
});

/** Until the program has taken what was written: it says nothing while it waits for more. */
async function untilReading({ process: { stdin } }: Child): Promise<void> {
  // More than a pipe holds.
  await new Promise((resolve) => stdin.write(' '.repeat(1 << 20), resolve));
}

test('the commands are listed, and each has its help', async () => {
  const { stdout } = await project.run('--help');
  const names = [...stdout.matchAll(/^ {2}([a-z]+(?: [a-z]+)?) {2,}\S/gm)].map(([, name]) => name);
  const known = Object.entries(commands).flatMap(([name, { hidden }]) => (hidden ? [] : [name]));
  expect(names).toEqual(known);
  for (const name of ['call', 'config convert']) {
    const { code, stdout: help } = await project.run('help', ...name.split(' '));
    expect(code).toBe(0);
    expect(help.startsWith(`Usage: mcpctl ${name} `)).toBe(true);
  }
});

describe('what people get wrong', () => {
  oneIn(4)([
    [['toolz'], /unknown command "toolz"/, /Did you mean tools\?/],
    [['tools', '--jsn'], /unknown option --jsn/, /Did you mean --json\?/],
    [['--jsn', 'tools'], /unknown option --jsn/, /Did you mean --json\?/],
    [['call', 'odd'], /TOOL is missing/, /mcpctl call SERVER TOOL/],
    [['ping'], /SERVER is missing/, /mcpctl servers/],
    [['ping', 'od'], /unknown mcp server: od/, /Did you mean odd\? There are: odd, samples/],
    [['read', 'odd', 'a', 'b'], /unexpected argument "b"/, /help read/],
    [['tools', 'odd', '--timeout-ms'], /--timeout-ms needs a value/, /help tools/],
  ])('%j is a usage error that says what to type', async (args, what, next) => {
    expectUsageError(await project.run(...args), what, next);
  });

  test('a project without configuration is told where was looked and what to write', async () => {
    using empty = new Project();
    const { code, stderr } = await empty.run('tools');
    expect(code).toBe(2);
    expect(stderr).toMatch(/Looked for .*\.mcp\.json.*\.vscode\/mcp\.json/);
    expect(stderr).toMatch(/Add one: mcpctl add NAME/);
    expect(stderr).toMatch(/mcpctl tools -- npx/);
  });

  test('a program that is not there is named, with exit code 4', async () => {
    const { code, stderr } = await project.run('tools', '--', 'no-such-program');
    expect(code).toBe(4);
    expect(stderr).toMatch(/no-such-program: ENOENT\n.*Install no-such-program/);
  });
});
