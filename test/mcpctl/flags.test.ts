import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requireBuild, serveSamples } from '../support/cli.ts';
import { fixture, mcpJson, Project, samples, trusting } from '../support/project.ts';
import { oneIn } from '../support/scale.ts';

beforeAll(requireBuild);

const project = new Project({ 'mcp.json': mcpJson({ odd: fixture('odd') }) });
afterAll(() => project[Symbol.dispose]());

/** A project whose one server is at a URL. */
function remote(url: string, more: object = {}): Project {
  const server = { transport: 'streamable_http', url, ...more };
  return new Project({ 'mcp.json': { version: 1, servers: { remote: server } } });
}

describe('global flags', () => {
  oneIn(3)([
    [['--json', ...trusting, 'tools', 'odd', 'echo']],
    [['tools', 'odd', 'echo', '--json', ...trusting]],
    [['--json', 'tools', ...trusting, 'odd', 'echo']],
  ])('work before and after the command: %j', async (args) => {
    const { code, stdout } = await project.run(...args);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ server: 'odd', tool: { name: 'echo' } });
  });

  test('--json prints one document on one line; without, people are shown lines', async () => {
    const { stdout } = await project.run('servers', '--json');
    expect(stdout).toMatch(/^\{.*\}\n$/);
    const { stdout: shown } = await project.run('servers');
    expect(shown).toMatch(/^NAME +KIND +TRUST/);
  });

  test('--json prints failures as a document, too', async () => {
    const { code, stdout, stderr } = await project.run('tools', 'odd', '--json');
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'refused_by_policy' } });
    expect(stderr).toMatch(/^mcpctl: refusing to spawn/);
  });

  test('--root names the folder of the project', async () => {
    using other = new Project({ 'sub/mcp.json': mcpJson({ inner: ['x'] }) });
    const { stdout } = await other.run('servers', '--json', '--root', 'sub');
    expect(JSON.parse(stdout)).toMatchObject({
      config_path: path.join(other.folder, 'sub/mcp.json'),
      servers: [{ name: 'inner' }],
    });
  });

  test('--config reads that file and no other, relative to the root', async () => {
    using other = new Project({
      'mcp.json': mcpJson({ one: ['x'] }),
      'sub/b.json': mcpJson({ two: ['x'] }),
    });
    const { stdout } = await other.run('servers', '--json', '--config', 'sub/b.json');
    expect(JSON.parse(stdout)).toMatchObject({ servers: [{ name: 'two' }] });
  });

  test('--config outside of --root is refused, also when the file is missing', async () => {
    using other = new Project({ 'outer.json': mcpJson({ one: ['x'] }) });
    mkdirSync(path.join(other.folder, 'inner'));
    for (const name of ['outer.json', 'missing.json']) {
      const file = path.join(other.folder, name);
      const { code, stderr } = await other.run('servers', '--root', 'inner', '--config', file);
      expect(code).toBe(2);
      expect(stderr).toContain(
        `--config must be within --root (pass --allow-config-outside-root to override): ${file}`,
      );
    }
  });

  test('--allow-config-outside-root allows it, with a warning', async () => {
    using other = new Project({ 'outer.json': mcpJson({ one: ['x'] }) });
    mkdirSync(path.join(other.folder, 'inner'));
    const file = path.join(other.folder, 'outer.json');
    const { code, stdout, stderr } = await other.run(
      'servers',
      '--json',
      '--root',
      'inner',
      '--config',
      file,
      '--allow-config-outside-root',
    );
    expect(code).toBe(0);
    expect(stderr).toContain(`WARNING: --config points outside --root: ${file}\n`);
    expect(JSON.parse(stdout)).toMatchObject({ servers: [{ name: 'one' }] });
  });

  test('--show-argv shows whole command lines, which are else only counted', async () => {
    const argv = [...fixture('odd'), '--secret-ish'];
    using own = new Project({ 'mcp.json': mcpJson({ odd: argv }) });
    const hidden = await own.run('servers', '--json');
    expect(JSON.parse(hidden.stdout)).toMatchObject({
      servers: [{ argv_program: process.execPath, argv_argc: 3 }],
    });
    expect(hidden.stdout).not.toContain('--secret-ish');
    const shown = await own.run('servers', '--json', '--show-argv');
    expect(JSON.parse(shown.stdout)).toMatchObject({ servers: [{ argv }] });
    expect((await own.run('servers', '--show-argv')).stdout).toContain('--secret-ish');
    expect((await own.run('servers')).stdout).not.toContain('--secret-ish');
  });

  test('servers shows which script, package or image is run, not only by what', async () => {
    const lines: Readonly<Record<string, readonly string[]>> = {
      script: ['node', '--no-warnings', 'src/server.mjs', '--token', 'x'],
      package: ['npx', '-y', '@acme/mcp@1.2.3', '--root', '/'],
      python: ['uvx', '--from', 'acme==1', 'acme-mcp'],
      image: ['docker', 'run', '-i', '--rm', 'acme/mcp:2'],
      program: ['/opt/acme/bin/acme-mcp', 'stdio'],
    };
    using own = new Project({ 'mcp.json': mcpJson(lines) });
    const { stdout } = await own.run('servers', '--json');
    const { servers } = JSON.parse(stdout) as { servers: { name: string; target: string }[] };
    expect(Object.fromEntries(servers.map(({ name, target }) => [name, target]))).toEqual({
      script: 'node src/server.mjs',
      package: 'npx @acme/mcp@1.2.3',
      python: 'uvx acme==1',
      image: 'docker acme/mcp:2',
      program: '/opt/acme/bin/acme-mcp',
    });
  });

  test('--timeout-ms bounds the start of a server', async () => {
    const { code, stderr } = await project.run(
      'tools',
      '--timeout-ms',
      '300',
      '--',
      process.execPath,
      '-e',
      'setInterval(() => {}, 1e3)',
    );
    expect(code).toBe(4);
    expect(stderr).toMatch(/300 ms/);
  });

  test('--era decides which protocol is spoken', async () => {
    for (const [era, version] of [
      ['legacy', '2025-11-25'],
      ['modern', '2026-07-28'],
    ] as const) {
      const { stdout } = await project.run('ping', '--json', '--era', era, '--', ...samples);
      expect(JSON.parse(stdout)).toMatchObject({ ok: true, era, protocolVersion: version });
    }
  });

  test('--trace shows what crosses the wire on standard error', async () => {
    const { stdout, stderr } = await project.run('ping', '--trace', '--', ...samples);
    expect(stderr).toMatch(/→ node \{.*server\/discover/);
    expect(stderr).toMatch(/← node \{.*supportedVersions/);
    expect(stdout).not.toContain('jsonrpc');
  });

  test('--quiet leaves only errors on standard error', async () => {
    const { stderr } = await project.run('tools', 'odd', '--quiet', ...trusting);
    expect(stderr).toBe('');
    expect((await project.run('tools', 'odd', '--quiet')).stderr).toMatch(/^mcpctl: refusing/);
  });

  test('--no-color wins over FORCE_COLOR', async () => {
    using other = new Project({}, { FORCE_COLOR: '1' });
    const coloured = await other.run('tools', '--', ...fixture('odd'));
    expect(coloured.stdout).toContain('\u001B[1mecho');
    const plain = await other.run('tools', '--no-color', '--', ...fixture('odd'));
    expect(plain.stdout).not.toContain('\u001B');
  });

  test('--log-level info shows what a server says on its standard error', async () => {
    const { stderr } = await project.run(
      'call',
      'crash',
      '--log-level',
      'info',
      '--',
      ...fixture('odd'),
    );
    expect(stderr).toMatch(/^\[node\] last words$/m);
  });
});

describe('trust', () => {
  test('is refused by default, with the way to approve', async () => {
    const { code, stderr, stdout } = await project.run('tools', 'odd');
    expect(code).toBe(3);
    expect(stdout).toBe('');
    expect(stderr).toMatch(
      /^mcpctl: refusing to spawn mcp server in untrusted mode: odd\n.*mcpctl trust approve odd/,
    );
  });

  test('--trust needs --yes-trust', async () => {
    const { code, stderr } = await project.run('tools', 'odd', '--trust');
    expect(code).toBe(2);
    expect(stderr).toMatch(/--trust needs --yes-trust\n.*add --yes-trust/);
  });

  test('--trust --yes-trust lets servers run, and says what that means', async () => {
    const { code, stdout, stderr } = await project.run('tools', 'odd', '--json', ...trusting);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ server: 'odd' });
    const [first, ...rest] = stderr.split('\n');
    expect(first).toBe('WARNING: --trust disables the default safety restrictions.');
    expect(rest.filter((line) => line.startsWith('  '))).toHaveLength(3);
  });

  test('--yes-trust alone trusts nobody', async () => {
    expect(await project.run('tools', 'odd', '--yes-trust')).toMatchObject({ code: 3 });
  });

  test('--trust warns of inherited environments and of logs', async () => {
    using other = new Project({
      'mcp.json': {
        version: 1,
        servers: {
          b: { transport: 'stdio', argv: fixture('odd'), inherit_env: true },
          a: { transport: 'stdio', argv: fixture('odd'), inherit_env: true },
          c: { transport: 'stdio', argv: fixture('odd'), stdout_log: { path: 'c.log' } },
        },
      },
    });
    const { stderr } = await other.run('ping', 'c', ...trusting);
    expect(stderr).toContain(
      'WARNING: stdio servers with inherit_env=true may inherit host secrets: a, b\n',
    );
    expect(stderr).toContain(
      'WARNING: stdout_log writes protocol data to disk and may contain secrets.\n',
    );
    expect(other.read('c.log').toString()).toContain('serverInfo');
  });

  test('--allow-stdout-log-outside-root lets a log be elsewhere', async () => {
    using other = new Project();
    const log = path.join(other.home, 'odd.log');
    const server = { transport: 'stdio', argv: fixture('odd'), stdout_log: { path: log } };
    other.write('mcp.json', { version: 1, servers: { odd: server } });
    const refused = await other.run('ping', 'odd', ...trusting);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toMatch(/odd\.log/);
    const allowed = await other.run('ping', 'odd', '--allow-stdout-log-outside-root', ...trusting);
    expect(allowed.code).toBe(0);
    expect(readFileSync(log, 'utf8')).toContain('serverInfo');
  });
});

describe('what untrusted servers may reach', () => {
  const url = serveSamples();

  test('--allow-http and --allow-localhost each loosen one thing', async () => {
    using other = remote(url());
    const ask = (...flags: readonly string[]) => other.run('tools', 'remote', '--json', ...flags);
    expect(await ask()).toMatchObject({ code: 3, stderr: expect.stringMatching(/non-https/) });
    expect(await ask('--allow-localhost')).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/non-https/),
    });
    expect((await ask('--allow-http')).code).toBe(3);
    const allowed = await ask('--allow-http', '--allow-localhost');
    expect(allowed).toMatchObject({ code: 0 });
    expect(JSON.parse(allowed.stdout)).toMatchObject({ server: 'remote' });
  });

  test('--allow-private-ip lets private addresses be tried', async () => {
    using other = remote('https://10.255.255.1/mcp');
    const refused = await other.run('tools', 'remote');
    expect(refused).toMatchObject({ code: 3, stderr: expect.stringMatching(/non-global ip/) });
    const tried = await other.run('tools', 'remote', '--allow-private-ip', '--timeout-ms', '300');
    expect(tried.code).toBe(4);
  });

  test('--allow-host is the only host that may be reached, and may be repeated', async () => {
    using other = remote('https://elsewhere.example/mcp');
    const { code, stderr } = await other.run(
      'tools',
      'remote',
      '--allow-host',
      'one.example',
      '--allow-host',
      'two.example',
    );
    expect(code).toBe(3);
    expect(stderr).toMatch(/host not in allowlist/);
  });

  test('--dns-timeout-ms and --dns-fail-open are taken; a name that does not exist is unreachable', async () => {
    using other = remote('https://no-such-name.invalid/mcp');
    for (const flags of [[], ['--dns-timeout-ms', '1000'], ['--dns-fail-open']]) {
      const { code, stderr } = await other.run('tools', 'remote', ...flags);
      expect(code).toBe(4);
      expect(stderr).toMatch(/no-such-name\.invalid/);
    }
  });

  test('--no-dns-check warns, twice with --allow-host', async () => {
    const { stderr } = await project.run('servers', '--no-dns-check', '--allow-host', 'a.example');
    expect(stderr).toContain('WARNING: DNS checks are disabled (--no-dns-check).\n');
    expect(stderr).toContain(
      'WARNING: --allow-host is set with DNS checks disabled (--no-dns-check).\n',
    );
  });

  test('--dns-check is taken, with a note', async () => {
    const { code, stderr } = await project.run('servers', '--dns-check');
    expect(code).toBe(0);
    expect(stderr).toContain(
      'NOTE: --dns-check is already the default in untrusted mode; the flag is kept for compatibility.\n',
    );
  });

  oneIn(3)([['--dns-check'], ['--dns-fail-open'], ['--dns-timeout-ms=5']])(
    '--no-dns-check and %s exclude each other',
    async (flag) => {
      const { code, stderr } = await project.run('servers', '--no-dns-check', flag);
      expect(code).toBe(2);
      expect(stderr).toMatch(/--no-dns-check and --dns-[a-z-]+ exclude each other\nLeave out one/);
    },
  );

  oneIn(3)([
    [['--timeout-ms', '0']],
    [['--timeout-ms', 'soon']],
    [['--dns-timeout-ms=-1']],
    [['--era', 'old']],
    [['--allow-host', 'a/b']],
  ])('%j is a usage error', async (args) => {
    const { code, stderr } = await project.run('servers', ...args);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^mcpctl: --[a-z-]+ cannot be "\S+"\n.*\n$/);
  });
});

test('a configuration that is a link out of the project is refused', async () => {
  using other = new Project();
  writeFileSync(path.join(other.home, 'real.json'), JSON.stringify(mcpJson({ x: ['x'] })));
  const { symlinkSync } = await import('node:fs');
  symlinkSync(path.join(other.home, 'real.json'), path.join(other.folder, 'mcp.json'));
  const { code, stderr } = await other.run('servers');
  expect(code).toBe(1);
  expect(stderr).toMatch(/must be a regular file \(got symlink\)/);
});
