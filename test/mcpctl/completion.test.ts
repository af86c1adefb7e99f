import { lintRules } from 'mcp-kit/tools/inspect';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  complete,
  type Candidate,
  type Completion,
  type Place,
} from '../../packages/mcpctl/src/completion/complete.ts';
import { shells } from '../../packages/mcpctl/src/completion/scripts.ts';
import { globalOptions } from '../../packages/mcpctl/src/global-options.ts';
import { commands } from '../../packages/mcpctl/src/registry.ts';
import { requireBuild } from '../support/cli.ts';
import { FreshUser, hasTerminal, isInstalled } from '../support/fresh-user.ts';
import { mcpJson } from '../support/project.ts';
import { sample } from '../support/scale.ts';

beforeAll(requireBuild);

/** Completes with the real commands; which place would be filled is told instead of filling it. */
async function completed(
  ...words: readonly string[]
): Promise<{ readonly completion: Completion; readonly words: readonly string[]; place?: Place }> {
  let asked: Place | undefined;
  const fill = async (place: Place): Promise<readonly Candidate[]> => {
    asked = place;
    return [];
  };
  const completion = await complete(words, { commands, fill });
  const offered = completion.kind === 'words' ? completion.candidates : [];
  return {
    completion,
    words: offered.map(({ word }) => word),
    ...(asked !== undefined && { place: asked }),
  };
}

describe('what may come next', () => {
  test('at first is a command, with what it does', async () => {
    const { completion, words } = await completed('');
    const first = Object.entries(commands).filter(([, { hidden }]) => !hidden);
    expect(new Set(words)).toEqual(new Set([...first.map(([name]) => name.split(' ')[0]), 'help']));
    expect(completion).toMatchObject({
      candidates: expect.arrayContaining([{ word: 'tools', about: commands['tools']?.summary }]),
    });
  });

  test('after a group is the rest of a command', async () => {
    expect((await completed('trust', '')).words).toEqual(
      Object.keys(commands)
        .filter((name) => name.startsWith('trust '))
        .map((name) => name.slice('trust '.length)),
    );
  });

  test('after help is a command', async () => {
    expect((await completed('help', '')).words).toContain('tools');
    expect((await completed('help', 'config', '')).words).toContain('explain');
  });

  test('after a dash is an option of the command or of all', async () => {
    const { words } = await completed('call', 'x', 'y', '-');
    expect(words).toEqual(expect.arrayContaining(['--args', '--json', '--url', '--help']));
    expect(words).not.toContain('--verbose');
    expect((await completed('--')).words).toEqual(
      expect.arrayContaining(Object.keys(globalOptions).map((name) => `--${name}`)),
    );
  });

  test('is no option that is given, unless it may be repeated', async () => {
    const { words } = await completed('tools', '--json', '--allow-host', 'a', '--');
    expect(words).not.toContain('--json');
    expect(words).toContain('--allow-host');
  });

  test('is a value of the option before', async () => {
    expect((await completed('tools', '--era', '')).words).toEqual(['auto', 'legacy', 'modern']);
    expect((await completed('--era', '')).words).toEqual(['auto', 'legacy', 'modern']);
    expect((await completed('tools', '--era=')).words).toContain('--era=legacy');
    expect((await completed('tools', '--config', '')).completion.kind).toBe('files');
    expect((await completed('--root', '')).completion.kind).toBe('folders');
    expect((await completed('tools', '--timeout-ms', '')).words).toEqual([]);
  });

  test('is the place that the words before have left', async () => {
    expect((await completed('tools', '')).place).toMatchObject({ name: 'SERVER' });
    expect((await completed('--json', 'list-tools', 'x', '')).place).toMatchObject({
      name: 'TOOL',
      filled: { SERVER: ['x'] },
    });
    expect((await completed('call', 'x', '--args', '{}', 'y', 'a=1', '')).place).toMatchObject({
      name: 'NAME=VALUE',
      filled: { SERVER: ['x'], TOOL: ['y'], 'NAME=VALUE': ['a=1'] },
    });
    expect((await completed('--config', 'c.json', 'tools', '--root=r', '')).place).toMatchObject({
      where: { root: 'r' },
    });
    expect((await completed('servers', '')).place).toBeUndefined();
  });

  test('after a command that others begin with is one of these, or what it takes', async () => {
    const { words, place } = await completed('manifest', '');
    expect(words).toEqual(['diff']);
    expect(place).toMatchObject({ name: 'SERVER' });
    expect((await completed('manifest', 'x', '')).words).toEqual([]);
    expect((await completed('manifest', 'diff', 'x', '')).completion.kind).toBe('files');
  });

  test('after an option whose value may be left out is not its value', async () => {
    expect((await completed('call', '--retry', '')).place).toMatchObject({ name: 'SERVER' });
    expect((await completed('trace', '--last', '')).place).toMatchObject({
      name: 'ID',
      given: new Set(['last']),
    });
  });

  test('is one of the rules where one is to be left out', async () => {
    expect((await completed('lint', '--disable', '')).words).toEqual(Object.keys(lintRules));
    expect((await completed('lint', '--disable=')).words).toContain('--disable=name-verb');
    expect((await completed('lint', '--manifest', '')).completion.kind).toBe('files');
  });

  test('after -- is a program and then files', async () => {
    expect((await completed('tools', '--', '')).completion.kind).toBe('programs');
    expect((await completed('tools', '--', 'npx', '')).completion.kind).toBe('files');
  });

  test('is nothing where the words make no sense, or nothing is known', async () => {
    expect((await completed('tolls', '')).words).toEqual([]);
    expect((await completed('tools', '--url', 'https://example.com', '')).place).toBeUndefined();
  });

  test('never is a word that a shell or a terminal could take for more', async () => {
    const hostile = ['a\nb', 'a\u001B[2J', '', ' x', 'a\tb', 'a\u202Eb', 'good'];
    const fill = async (): Promise<readonly Candidate[]> =>
      hostile.map((word) => ({ word, about: `about\n${word}` }));
    const completion = await complete(['tools', ''], { commands, fill });
    expect(completion).toEqual({
      kind: 'words',
      candidates: [{ word: 'good', about: 'about good' }],
    });
  });
});

/** What bash would offer for a line with the cursor at its end. */
async function inBash(user: FreshUser, line: string): Promise<readonly string[]> {
  // Readline's splitting, which knows = and : as well.
  const words = line.split(/\s+|(?=[=:])|(?<=[=:])/);
  const array = words.map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(' ');
  const { stdout, stderr, code } = await user.run(`
    set +e
    source <(mcpctl completion bash)
    complete -p mcpctl >&2
    COMP_WORDS=(${array}) COMP_CWORD=${words.length - 1}
    COMP_LINE='${line.replaceAll("'", String.raw`'\''`)}' COMP_POINT=${line.length}
    _mcpctl 2>/dev/null
    printf '%s\\n' "\${COMPREPLY[@]}"`);
  expect({ code, stderr }).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('-F _mcpctl'),
  });
  return stdout.split('\n').filter((word) => word !== '');
}

describe('in bash', () => {
  const lines: readonly (readonly [string, readonly string[]])[] = [
    ['mcpctl ser', ['servers', 'serve']],
    ['mcpctl trust a', ['approve']],
    ['mcpctl tools --er', ['--era']],
    ['mcpctl tools --era=le', ['legacy']],
    ['mcpctl tools --era le', ['legacy']],
    ['mcpctl tools --config .m', ['.mcp.json']],
    ['mcpctl trace --slow de', ['demo']],
    ['mcpctl completion ', [...shells]],
    ['mcpctl trace de', []],
    ['mcpctl manifest d', ['diff', 'demo']],
  ];
  const { tried, share } = sample(lines, 3);

  test(`commands, options, values and servers are completed, ${share} lines tried`, async () => {
    const entry = { command: 'mcpctl', args: ['serve', '--stdio'] };
    const mcpServers = { demo: entry, 'it$(touch canary)': entry, other: entry };
    using user = new FreshUser({ '.mcp.json': { mcpServers } });
    for (const [line, offered] of tried) expect(await inBash(user, line)).toEqual(offered);
    // A name that a shell would run is offered quoted.
    expect(await inBash(user, 'mcpctl tools ')).toEqual([
      'demo',
      String.raw`it\$\(touch\ canary\)`,
      'other',
    ]);
    expect((await user.run('ls -A')).stdout).toBe('.mcp.json\n');
  });

  test('tools are those that were seen, and no server is started', async () => {
    const counting = 'echo started >> starts; exec mcpctl serve --stdio';
    using user = new FreshUser({ 'mcp.json': mcpJson({ demo: ['sh', '-c', counting] }) });
    expect(await inBash(user, 'mcpctl call demo ')).toEqual([]);
    const seen = await user.run('mcpctl trust approve demo --yes >&2; mcpctl tools demo');
    expect(seen).toMatchObject({ code: 0 });
    const before = await user.run('cat starts');
    expect(await inBash(user, 'mcpctl call demo get_t')).toEqual([
      'get_text_statistics',
      'get_time_now',
    ]);
    expect(await inBash(user, 'mcpctl call demo find_text_matches text=x p')).toEqual(['phrase=']);
    expect((await user.run('cat starts')).stdout).toBe(before.stdout);
  });

  test.skipIf(!hasTerminal)('Tab completes on a terminal', async () => {
    using user = new FreshUser();
    await using bash = user.terminal('bash --norc --noprofile -i', { PS1: 'ready> ' });
    const type = (text: string): void => void bash.process.stdin.write(text);
    type('source <(mcpctl completion bash); echo lear"ned"\n');
    await bash.until(() => (bash.stdout.includes('learned') ? true : undefined));
    type('mcpctl servers --js\t');
    await bash.until(() => (bash.stdout.includes('servers --json ') ? true : undefined));
    // A shell that is only killed with its terminal still writes its history.
    type('\u0015exit\n');
    await bash.ended;
  });
});

describe('the script for', () => {
  test.each(shells)('%s is accepted by it', async (shell) => {
    using user = new FreshUser();
    const { code, stdout } = await user.run(`mcpctl completion ${shell}`);
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('mcpctl') });
    const check = isInstalled(shell)
      ? `mcpctl completion ${shell} | ${shell} -n /dev/stdin`
      : 'true';
    expect((await user.run(check)).stderr).toBe('');
  });

  test('any other shell says which there are', async () => {
    using user = new FreshUser();
    const { code, stderr } = await user.run('mcpctl completion tcsh');
    expect(code).toBe(2);
    expect(stderr).toContain('bash, zsh, fish');
  });
});
