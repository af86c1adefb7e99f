import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { isOwn, serviceFor } from '../../packages/mcpctl/src/service/unit.ts';
import { requireBuild } from '../support/cli.ts';
import { isInstalled } from '../support/fresh-user.ts';
import { Project } from '../support/project.ts';

beforeAll(requireBuild);

/** Every character that means something to a service manager. */
const odd = 'a b%h $HOME "q" \\ \'s\' <&> é';
const program = {
  name: 'mcpctl-up-odd',
  argv: [process.execPath, '-e', odd],
  folder: '/tmp',
  path: '/usr/bin:/odd %h "dir"',
};

test('a unit of systemd says the command as it is', ({ skip }) => {
  skip(!isInstalled('systemd-analyze'), 'systemd is not installed');
  using place = new Project();
  const env = { XDG_CONFIG_HOME: place.folder };
  const { file, text } = serviceFor(program, { platform: 'linux', home: place.home, env });
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  const verify = ['--user', 'verify', file];
  const runtime = { ...process.env, XDG_RUNTIME_DIR: place.home };
  expect(execFileSync('systemd-analyze', verify, { env: runtime, encoding: 'utf8' })).toBe('');
  const [line = ''] = /^ExecStart=.*$/m.exec(text) ?? [];
  // Undone in the order in which systemd does it.
  const words = [...line.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, word = '']) =>
    word.replaceAll('%%', '%').replaceAll('$$', '$').replaceAll(/\\(.)/g, '$1'),
  );
  expect(words).toEqual(program.argv);
  expect(isOwn(text)).toBe(true);
  expect(isOwn(text.replace('RestartSec=2', 'RestartSec=3'))).toBe(false);
});

test('a property list of launchd says the command as it is', ({ skip }) => {
  skip(!isInstalled('python3'), 'python3, which reads property lists, is not installed');
  const { file, text } = serviceFor(program, { platform: 'darwin', home: '/Users/ann', env: {} });
  expect(file).toBe('/Users/ann/Library/LaunchAgents/dev.mcp-kit.mcpctl-up-odd.plist');
  const script =
    'import plistlib,json,sys; print(json.dumps(plistlib.loads(sys.stdin.buffer.read())))';
  const read = execFileSync('python3', ['-c', script], { input: text, encoding: 'utf8' });
  expect(JSON.parse(read)).toMatchObject({
    Label: 'dev.mcp-kit.mcpctl-up-odd',
    ProgramArguments: program.argv,
    WorkingDirectory: '/tmp',
    EnvironmentVariables: { PATH: program.path },
    RunAtLoad: true,
    KeepAlive: { SuccessfulExit: false },
  });
  expect(isOwn(text)).toBe(true);
});

describe.skipIf(process.platform !== 'linux')('mcpctl up --install', () => {
  test('writes what it shows, and takes back exactly that', async () => {
    using place = new Project();
    const file = path.join(place.home, '.config/systemd/user/mcpctl-up-one.service');
    // What it installs is the program that this process runs.
    const run = (...args: string[]) =>
      place.runApart('up', ...args, '--name', 'one', '--port', '7421');
    const shown = await run('--install', '--dry-run');
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining('+ ExecStart=') });
    expect(existsSync(file)).toBe(false);
    const unasked = await run('--install');
    expect(unasked).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
    const written = await run('--install', '--yes');
    expect(written.code).toBe(0);
    expect(written.stdout).toContain('systemctl --user enable --now mcpctl-up-one.service');
    const text = readFileSync(file, 'utf8');
    expect(text).toContain('"up" "--name" "one" "--port" "7421"\n');
    expect(await run('--install')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('there already'),
    });

    // What somebody has changed is theirs.
    writeFileSync(file, `${text}# mine\n`);
    for (const what of ['--install', '--uninstall']) {
      const refused = await run(what, '--yes');
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('Move it away') });
    }
    expect(readFileSync(file, 'utf8')).toBe(`${text}# mine\n`);
    writeFileSync(file, text);
    expect(await run('--uninstall', '--yes')).toMatchObject({ code: 0 });
    expect(existsSync(file)).toBe(false);
  });

  test('is not for a host that starts programs', async () => {
    using place = new Project();
    const { code, stderr } = await place.run('up', '--install', '--stdio');
    expect(code).toBe(2);
    expect(stderr).toContain('--stdio and --install exclude each other');
  });
});
