import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { requireBuild } from '../support/cli.ts';
import { Project, trusting } from '../support/project.ts';

beforeAll(requireBuild);

const secret = 'canary-secret-2d90';

const claude = {
  mcpServers: {
    github: {
      type: 'http',
      url: 'https://api.example.com/mcp',
      headers: { Authorization: 'Bearer ${TOKEN}', 'X-Other': '${UNSET_HERE}' },
    },
    files: {
      command: 'npx',
      args: ['-y', 'files-server@1.2.3', '--key', '${TOKEN}'],
      env: { A: 'b' },
    },
  },
};

function open(files: Readonly<Record<string, unknown>> = {}): Project {
  return new Project({ '.mcp.json': claude, ...files }, { TOKEN: secret });
}

describe('config explain', () => {
  test('says where a server comes from, what it shadows, and whether its variables are set', async () => {
    using project = open({
      '.vscode/mcp.json': { servers: { github: { type: 'http', url: 'https://other.example/' } } },
    });
    const { code, stdout } = await project.run('config', 'explain', 'github');
    expect(code).toBe(0);
    expect(stdout).toMatch(/from +\S+\.mcp\.json#\/mcpServers\/github \(Claude Code, project\)/);
    expect(stdout).toMatch(/shadows +\S+\.vscode\/mcp\.json#\/servers\/github/);
    expect(stdout).toMatch(/variable +TOKEN is set/);
    expect(stdout).toMatch(/variable +UNSET_HERE is NOT set/);
    expect(stdout).toMatch(/headers +Authorization, X-Other/);
    expect(stdout).not.toContain(secret);
  });

  test('knows that a variable with a default may be missing; so does the doctor', async () => {
    const far = { type: 'http', url: '${PLACE:-https://127.0.0.1:9}/mcp' };
    const near = { command: 'node', args: ['server.mjs', '--key', secret] };
    using project = new Project({ '.mcp.json': { mcpServers: { far, near } } });
    const { stdout } = await project.run('config', 'explain');
    expect(stdout).toMatch(/target +node server\.mjs$/m);
    expect(stdout).toMatch(/variable +PLACE is not set, so its default counts, at/);
    const json = await project.run('config', 'explain', 'far', '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({
      servers: [{ variables: [{ name: 'PLACE', isSet: false, hasDefault: true }] }],
    });
    const examined = await project.run('doctor', 'far', ...trusting);
    expect(examined.stdout).toMatch(/^ok +config /);
  });

  test('as JSON has all servers, and never a value', async () => {
    using project = open();
    const { code, stdout } = await project.run('config', 'explain', '--json', '--show-argv');
    expect(code).toBe(0);
    expect(stdout).not.toContain(secret);
    expect(JSON.parse(stdout)).toMatchObject({
      servers: [
        { name: 'files', argv: ['npx', '-y', 'files-server@1.2.3', '--key', '${TOKEN}'] },
        {
          name: 'github',
          variables: [
            { name: 'TOKEN', isSet: true },
            { name: 'UNSET_HERE', isSet: false },
          ],
        },
      ],
      sources: [{ servers: 2 }],
    });
  });

  test('a name that is not there is a mistake with the nearest one', async () => {
    using project = open();
    const { code, stderr } = await project.run('config', 'explain', 'githbu');
    expect(code).toBe(2);
    expect(stderr).toMatch(/Did you mean github\?/);
  });
});

describe('config lint', () => {
  test('ends with 0 when there is nothing to say, and counts files', async () => {
    using project = open();
    const { code, stdout, stderr } = await project.run('config', 'lint');
    expect(stdout).toBe('');
    expect(stderr).toMatch(/0 errors, 0 warnings in 1 file/);
    expect(code).toBe(0);
  });

  test('ends with 1 on errors, each with its place and what to do; --strict on warnings, too', async () => {
    using project = open({
      '.cursor/mcp.json': { mcpServers: { a: { url: `https://a.example/?api_key=${secret}` } } },
      '.vscode/mcp.json': '{ "servers": { "b": { "command": "sh", "args": ["x.sh"] } } }',
    });
    const { code, stdout } = await project.run('config', 'lint', '--json');
    expect(code).toBe(1);
    expect(stdout).not.toContain(secret);
    const file = path.join(project.folder, '.cursor/mcp.json');
    expect(JSON.parse(stdout)).toMatchObject({
      errors: 1,
      warnings: 1,
      findings: expect.arrayContaining([
        expect.objectContaining({ severity: 'warning', rule: 'shell' }),
        expect.objectContaining({ rule: 'plaintext-secret', file, pointer: '/mcpServers/a/url' }),
      ]) as unknown,
    });
    const text = await project.run('config', 'lint');
    expect(text.stdout).toContain(`${file}#/mcpServers/a/url\n  error: `);
    const only = path.join(project.folder, '.vscode/mcp.json');
    expect(await project.run('config', 'lint', '--config', only)).toMatchObject({ code: 0 });
    expect(await project.run('config', 'lint', '--config', only, '--strict')).toMatchObject({
      code: 1,
    });
  });

  test('advice is only counted, unless it is asked for, and never fails', async () => {
    const b = { command: 'npx', args: ['latest'] };
    using project = new Project({ '.mcp.json': { mcpServers: { b } } });
    const { code, stdout, stderr } = await project.run('config', 'lint', '--strict');
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toMatch(/0 errors, 0 warnings in 1 file; of advice 1, which --advice shows/);
    const shown = await project.run('config', 'lint', '--strict', '--advice');
    expect(shown.code).toBe(0);
    expect(shown.stdout).toMatch(/advice: whatever version .* \(unpinned-package\)/);
  });

  test('a file that cannot be read is an error with its line', async () => {
    using project = new Project({ '.mcp.json': `{\n  "mcpServers": { "a": "${secret}"\n` });
    const { code, stdout, stderr } = await project.run('config', 'lint');
    expect(code).toBe(1);
    expect(stdout).toMatch(/\.mcp\.json#\n +error: not valid JSON/);
    expect(stdout + stderr).not.toContain(secret);
  });
});

describe('config convert', () => {
  test('prints the servers in the words of another host, and names what is lost', async () => {
    using project = open();
    const { code, stdout } = await project.run('config', 'convert', '--to', 'vscode');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      servers: {
        files: {
          type: 'stdio',
          command: 'npx',
          args: ['-y', 'files-server@1.2.3', '--key', '${env:TOKEN}'],
          env: { A: 'b' },
        },
        github: {
          type: 'http',
          url: 'https://api.example.com/mcp',
          headers: { Authorization: 'Bearer ${env:TOKEN}', 'X-Other': '${env:UNSET_HERE}' },
        },
      },
    });
    const desktop = await project.run('config', 'convert', '--to', 'claude-desktop', '--json');
    expect(desktop.stderr).toMatch(/^lost: github: /m);
    expect(JSON.parse(desktop.stdout)).toMatchObject({
      to: 'claude-desktop',
      lost: expect.arrayContaining([expect.objectContaining({ server: 'github' })]) as unknown,
    });
  });

  test('writes into a file that exists, and leaves its comments and other settings alone', async () => {
    using project = open({
      '.vscode/mcp.json':
        '{\n  // Mine.\n  "inputs": [],\n  "servers": {\n    "old": { "command": "x" }, // Keep.\n  },\n}\n',
    });
    const convert = () =>
      project.run('config', 'convert', '--from', 'claude-code', '--to', 'vscode', '--write');
    const { code, stdout } = await convert();
    expect(code).toBe(0);
    const file = path.join(project.folder, '.vscode/mcp.json');
    expect(stdout).toBe(`${file}: wrote 2 servers for VS Code\n`);
    const text = project.read('.vscode/mcp.json').toString();
    expect(text).toContain('// Mine.');
    expect(text).toContain('// Keep.');
    expect(text).toContain('"${env:TOKEN}"');
    const again = await convert();
    expect(again.stdout).toMatch(/already has 2 servers/);
    expect(project.read('.vscode/mcp.json').toString()).toBe(text);
    // Only what was not there like this is counted as written.
    const { mcpServers } = claude;
    const files = { ...mcpServers.files, env: { A: 'c' } };
    project.write('.mcp.json', { mcpServers: { ...mcpServers, files } });
    const third = await convert();
    expect(third.stdout).toBe(`${file}: wrote 1 server for VS Code; 1 was there already\n`);
  });

  test('four that add to one file at once leave what all of them added', async () => {
    const names = ['a', 'b', 'c', 'd'];
    const files = names.map((name) => [
      `${name}.json`,
      { mcpServers: { [name]: { command: name } } },
    ]);
    using project = new Project(Object.fromEntries(files) as Record<string, unknown>);
    const runs = await Promise.all(
      names.map((name) =>
        project.runApart(
          'config',
          'convert',
          '--in',
          `${name}.json`,
          '--to',
          'cursor',
          '--out',
          'all.json',
        ),
      ),
    );
    expect(runs.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    const { mcpServers } = JSON.parse(project.read('all.json').toString()) as {
      mcpServers: object;
    };
    expect(Object.keys(mcpServers).toSorted()).toEqual(names);
    expect(project.has('all.json.busy')).toBe(false);
  });

  test('--out makes the file and its folder', async () => {
    using project = open();
    const out = ['config', 'convert', '--to', 'codex', '--out', '.codex/config.toml'];
    expect(await project.run(...out)).toMatchObject({ code: 0 });
    expect(project.read('.codex/config.toml').toString()).toMatch(/\[mcp_servers\.files\]/);
  });

  test('there and back again loses nothing', async () => {
    using project = open();
    for (const [from, to, file] of [
      ['claude-code', 'opencode', 'opencode.json'],
      ['opencode', 'cursor', '.cursor/mcp.json'],
      ['cursor', 'claude-code', 'back/.mcp.json'],
    ] as const) {
      const ran = await project.run('config', 'convert', '--from', from, '--to', to, '--out', file);
      expect(ran).toMatchObject({ code: 0, stderr: '' });
    }
    expect(JSON.parse(project.read('back/.mcp.json').toString())).toEqual(
      JSON.parse(
        JSON.stringify(claude).replace('"command":"npx"', '"type":"stdio","command":"npx"'),
      ),
    );
  });

  test('one broken server does not stop the others, and only what was written is counted', async () => {
    using project = new Project({
      'all.json': {
        mcpServers: {
          good: { command: 'x' },
          remote: { type: 'http', url: 'https://x.test' },
          broken: { command: 7 },
          empty: {},
        },
      },
    });
    const args = ['config', 'convert', '--in', 'all.json', '--from', 'claude-code'];
    const file = path.join(project.folder, 'out.json');
    const to = ['--to', 'claude-desktop', '--out', 'out.json'];
    const { code, stdout, stderr } = await project.run(...args, ...to);
    expect(code).toBe(0);
    expect(stdout).toBe(`${file}: wrote 1 server for Claude Desktop; 3 were left out\n`);
    expect(stderr).toMatch(/broken\/command: must be a text/);
    expect(stderr).toMatch(/empty: needs a command or a URL/);
    expect(stderr).toMatch(/^lost: remote: transport: /m);
    const { mcpServers } = JSON.parse(project.read('out.json').toString()) as {
      mcpServers: object;
    };
    expect(Object.keys(mcpServers)).toEqual(['good']);
    const json = await project.run(...args, '--to', 'vscode', '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({ servers: 2, leftOut: 2 });
    const again = await project.run(...args, ...to);
    expect(again.stdout).toBe(`${file} already has 1 server for Claude Desktop; 3 were left out\n`);
  });

  test('a file in which all servers are broken is an error', async () => {
    using project = new Project({ 'all.json': { mcpServers: { broken: { command: 7 } } } });
    const ran = await project.run('config', 'convert', '--in', 'all.json', '--to', 'vscode');
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(/must be a text/);
  });

  test('does not write through a link, nor out of the project', async () => {
    using project = open();
    const outside = path.join(project.home, 'precious');
    mkdirSync(outside);
    writeFileSync(path.join(outside, 'mcp.json'), '{}');
    symlinkSync(outside, path.join(project.folder, '.cursor'));
    const through = await project.run('config', 'convert', '--to', 'cursor', '--write');
    expect(through.code).toBe(1);
    expect(through.stderr).toMatch(/leads out of the project, by a link/);
    symlinkSync(path.join(outside, 'mcp.json'), path.join(project.folder, 'linked.json'));
    const linked = await project.run('config', 'convert', '--to', 'cursor', '--out', 'linked.json');
    expect(linked.code).toBe(1);
    expect(linked.stderr).toMatch(/is a link/);
    expect(existsSync(path.join(outside, 'mcp.json'))).toBe(true);
  });

  test('wrong options say what to type', async () => {
    using project = open();
    const run = (...args: readonly string[]) => project.run('config', 'convert', ...args);
    expect(await run()).toMatchObject({ code: 2 });
    const typo = await run('--to', 'vscod');
    expect(typo).toMatchObject({ code: 2 });
    expect(typo.stderr).toMatch(/Did you mean vscode\?/);
    expect((await run('--to', 'goose', '--write')).stderr).toMatch(/no file in a project/);
    expect((await run('--to', 'vscode', '--in', 'missing.json')).stderr).toMatch(/no such file/);
    const alike = await run('--to', 'trae', '--json');
    expect(JSON.parse(alike.stdout)).toMatchObject({ to: 'trae', servers: 2 });
    const listed = await run('--list', '--json');
    expect(JSON.parse(listed.stdout)).toMatchObject({
      dialects: expect.arrayContaining([
        { id: 'vscode', title: 'VS Code', alike: expect.arrayContaining(['visual-studio']) },
      ]) as unknown,
    });
  });
});

test('config files lists what is there and what is looked for', async () => {
  using project = open();
  const { code, stdout } = await project.run('config', 'files', '--json');
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    found: [{ file: path.join(project.folder, '.mcp.json'), scope: 'project', servers: 2 }],
    lookedFor: expect.arrayContaining([
      path.join(project.folder, '.vscode', 'mcp.json'),
      path.join(project.home, '.cursor', 'mcp.json'),
    ]) as unknown,
  });
  expect((await project.run('config', 'files')).stdout).toMatch(/^2 +project +Claude Code +\S+$/m);
});
