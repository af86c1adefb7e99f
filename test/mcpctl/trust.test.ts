import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { echo, writePlainServer, writeTools } from '../security/plain-server.ts';
import { requireBuild } from '../support/cli.ts';
import { Project } from '../support/project.ts';

beforeAll(requireBuild);

const secret = 'canary-secret-77a1';
const plain = {
  command: './server',
  args: ['--level', 'a b'],
  env: { KEY: '${KEY}', MODE: secret },
};
const far = {
  type: 'http',
  url: `https://far.example/mcp?key=${secret}`,
  headers: { 'X-Key': secret },
};

/** A project with `plain`, which runs, and `far`, which is elsewhere. */
function open(): Project {
  const project = new Project({ '.mcp.json': { mcpServers: { plain, far } } }, { KEY: secret });
  writePlainServer(path.join(project.folder, 'server'), path.join(project.folder, 'tools.json'));
  writeTools(path.join(project.folder, 'tools.json'), [echo]);
  return project;
}

const approve = ['trust', 'approve', 'plain', '--yes'];

describe('trust list', () => {
  test('says of every server whether it is trusted, since when, and where it is written down', async () => {
    using project = open();
    await project.run(...approve);
    const { code, stdout } = await project.run('trust', 'list', '--json');
    expect(code).toBe(0);
    const file = path.join(project.folder, '.mcp.json');
    expect(JSON.parse(stdout)).toMatchObject({
      servers: [
        { name: 'far', trust: 'untrusted', file, pointer: '/mcpServers/far', enabled: true },
        { name: 'plain', trust: 'trusted', file, since: expect.stringMatching(/^20/) as unknown },
      ],
    });
    const text = await project.run('trust', 'list');
    expect(text.stdout).toMatch(/^far +untrusted +\S+mcp\.json$/m);
    expect(text.stdout).toMatch(/^plain +trusted +20\d\d-\d\d-\d\d +\S+mcp\.json$/m);
    expect(text.stderr).toMatch(/2 servers, 1 not trusted/);
  });

  test('has a word for a server that has changed', async () => {
    using project = open();
    await project.run(...approve);
    project.write('.mcp.json', { mcpServers: { plain: { ...plain, args: [] } } });
    expect((await project.run('trust', 'list')).stdout).toMatch(/^plain +changed/m);
  });

  test('believes nothing when the file of approvals cannot be believed', async () => {
    using project = open();
    await project.run(...approve);
    appendFileSync(path.join(project.home, '.local/state/mcp-kit/trust.json'), 'x');
    const { code, stderr } = await project.run('trust', 'list');
    expect(code).toBe(1);
    expect(stderr).toMatch(/trust\.json/);
  });
});

describe('trust show', () => {
  test('shows the values of variables that make a program load something else, and of no other', async () => {
    const env = { NODE_OPTIONS: '--require ./evil.cjs', MODE: secret };
    using project = new Project({ '.mcp.json': { mcpServers: { sly: { ...plain, env } } } });
    const { stdout } = await project.run('trust', 'show', 'sly');
    expect(stdout).toMatch(/loads +NODE_OPTIONS=--require \.\/evil\.cjs/);
    expect(stdout).not.toContain(secret);
  });

  test('shows what would run and which names it gets, and no value', async () => {
    using project = open();
    const { code, stdout } = await project.run('trust', 'show', 'plain');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^plain: not approved$/m);
    expect(stdout).toMatch(/^ +runs +\.\/server --level 'a b'$/m);
    expect(stdout).toMatch(/^ +env +KEY, MODE$/m);
    expect(stdout).not.toContain(secret);
    const other = await project.run('trust', 'show', 'far');
    expect(other.stdout).toMatch(/^ +connects +https:\/\/far\.example\/mcp\?…$/m);
    expect(other.stdout).toMatch(/^ +headers +X-Key$/m);
    expect(
      other.stdout + (await project.run('trust', 'show', 'far', '--json')).stdout,
    ).not.toContain(secret);
  });

  test('shows the receipt: who, when, and the fingerprints of entry, program and tools', async () => {
    using project = open();
    await project.run(...approve);
    const { stdout } = await project.run('trust', 'show', 'plain', '--json');
    expect(stdout).not.toContain(secret);
    expect(JSON.parse(stdout)).toMatchObject({
      server: 'plain',
      trust: 'trusted',
      changes: [],
      proposal: { argv: ['./server', '--level', 'a b'], env: ['KEY', 'MODE'], reads: ['KEY'] },
      receipt: {
        entryDigest: expect.stringMatching(/^sha256:/) as unknown,
        executable: { path: path.join(project.folder, 'server') },
        tools: { echo: { digest: expect.stringMatching(/^sha256:/) as unknown } },
      },
    });
    expect((await project.run('trust', 'show', 'plain')).stdout).toMatch(/^receipt:$/m);
  });

  test('says what an approval covers of what an interpreter runs, and what it cannot', async () => {
    const script = { command: process.execPath, args: ['server', '--level', '1'] };
    using project = open();
    project.write('.mcp.json', { mcpServers: { plain: script } });
    const before = await project.run('trust', 'show', 'plain');
    expect(before.stdout).toMatch(/^ +covers +the entry, its tools, and server, byte for byte$/m);
    expect(before.stdout).toMatch(/^ +not +the version of node, and what is imported or loaded$/m);
    await project.run(...approve, '--no-pin');
    const after = await project.run('trust', 'show', 'plain');
    expect(after.stdout).toMatch(/^ +covers +sha256:[0-9a-f]{64}  server$/m);
    expect(after.stdout).toMatch(/^ +not +what server imports or loads$/m);
    expect(after.stdout).toMatch(/^ +node: another version does not ask again$/m);
    appendFileSync(path.join(project.folder, 'server'), ' ');
    const diff = await project.run('trust', 'diff', 'plain');
    expect(diff.code).toBe(1);
    expect(diff.stdout).toMatch(/\/runs\/files\/server\/sha256/);
  });

  test('a name that is not there is a mistake with the nearest one', async () => {
    using project = open();
    const { code, stderr } = await project.run('trust', 'show', 'plian');
    expect(code).toBe(2);
    expect(stderr).toMatch(/Did you mean plain\?/);
  });
});

describe('trust diff', () => {
  test('ends with 0 while everything is as approved, and with 1 when the entry is not', async () => {
    using project = open();
    await project.run(...approve);
    expect(await project.run('trust', 'diff', 'plain')).toMatchObject({ code: 0 });
    project.write('.mcp.json', { mcpServers: { plain: { ...plain, args: ['--level', 'b'] } } });
    const { code, stdout } = await project.run('trust', 'diff', 'plain');
    expect(code).toBe(1);
    expect(stdout).toMatch(/\/entry\/transport\/args\/1\n +- "a b"\n +\+ "b"/);
    expect(stdout).not.toContain(secret);
  });

  test('shows a changed value as a changed fingerprint', async () => {
    using project = open();
    await project.run(...approve);
    const other = { ...plain, env: { ...plain.env, MODE: 'other-secret-19' } };
    project.write('.mcp.json', { mcpServers: { plain: other } });
    const { code, stdout } = await project.run('trust', 'diff', 'plain', '--json');
    expect(code).toBe(1);
    expect(stdout).not.toMatch(/other-secret|canary/);
    expect(JSON.parse(stdout)).toMatchObject({
      trust: 'changed',
      same: false,
      changes: [{ pointer: '/entry/transport/env/MODE' }],
    });
  });

  test('shows what changed in the program', async () => {
    using project = open();
    await project.run(...approve);
    appendFileSync(path.join(project.folder, 'server'), ' ');
    const { code, stdout } = await project.run('trust', 'diff', 'plain');
    expect(code).toBe(1);
    expect(stdout).toMatch(/\/executable\/sha256/);
  });

  test('shows tools that changed, came and went', async () => {
    using project = open();
    const tools = path.join(project.folder, 'tools.json');
    writeTools(tools, [echo, { ...echo, name: 'old' }]);
    await project.run(...approve);
    writeTools(tools, [
      { ...echo, description: 'Says\u202E it.' },
      { ...echo, name: 'new' },
    ]);
    const { code, stdout } = await project.run('trust', 'diff', 'plain');
    expect(code).toBe(1);
    expect(stdout).toMatch(/tool echo: changed\n +\/description\n/);
    expect(stdout).toContain(String.raw`\u{202e}`);
    expect(stdout).toMatch(/\+ tool new/);
    expect(stdout).toMatch(/- tool old/);
    expect(await project.run('trust', 'diff', 'plain', '--offline')).toMatchObject({ code: 0 });
  });
});

describe('trust approve', () => {
  test('shows what it is about, records it with the tools, and lets the server be used', async () => {
    using project = open();
    expect(await project.run('tools', 'plain')).toMatchObject({ code: 3 });
    const { code, stdout, stderr } = await project.run(...approve);
    expect(code).toBe(0);
    expect(stderr).toMatch(/runs +\.\/server --level 'a b'/);
    expect(stdout).toBe('approved plain, with 1 tool: echo\n');
    expect(stdout + stderr).not.toContain(secret);
    expect(await project.run('call', 'plain', 'echo', 'text=hi')).toMatchObject({
      code: 0,
      stdout: 'hi\n',
    });
  });

  test('without --yes and without a terminal nothing is approved', async () => {
    using project = open();
    const { code, stderr } = await project.runWith('y\n', 'trust', 'approve', 'plain');
    expect(code).toBe(3);
    expect(stderr).toMatch(/mcpctl trust approve plain --yes/);
    expect(existsSync(path.join(project.home, '.local/state/mcp-kit/trust.json'))).toBe(false);
  });

  test('--no-pin starts nothing; the tools are recorded when they are first seen', async () => {
    using project = open();
    const { stdout } = await project.run(...approve, '--no-pin', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ approved: [{ name: 'plain' }], failed: [] });
    expect(stdout).not.toContain('tools');
    expect(await project.run('tools', 'plain')).toMatchObject({ code: 0 });
    const shown = await project.run('trust', 'show', 'plain', '--json');
    expect(JSON.parse(shown.stdout)).toMatchObject({ receipt: { tools: { echo: {} } } });
  });

  test('--all goes on after one that cannot be approved, and says which', async () => {
    using project = open();
    project.write('.mcp.json', { mcpServers: { plain, gone: { command: 'no-such-program-x' } } });
    const { code, stdout, stderr } = await project.run('trust', 'approve', '--all', '--yes');
    expect(code).toBe(1);
    expect(stdout).toMatch(/^approved plain/);
    expect(stderr).toMatch(/gone is not approved: .*there is no program no-such-program-x/);
    const again = await project.run('trust', 'approve', 'plain', 'nobody', '--yes');
    expect(again).toMatchObject({ code: 2 });
  });

  test('--lock writes what was seen beside the configuration; it stops those who approved something else', async () => {
    using project = open();
    const { stdout } = await project.run(...approve, '--lock');
    const lock = path.join(project.folder, 'mcp.lock');
    expect(stdout).toContain(`locked in ${lock}`);
    const text = readFileSync(lock, 'utf8');
    expect(JSON.parse(text)).toMatchObject({
      version: 1,
      servers: { plain: { tools: { echo: {} } } },
    });
    expect(text).not.toContain(secret);
    expect(text).not.toContain(project.home);
    project.write('.mcp.json', { mcpServers: { plain: { ...plain, args: [] } } });
    const without = await project.run(...approve);
    expect(without.stderr).toMatch(/mcp\.lock has something else: approve it with --lock/);
    expect(await project.run('tools', 'plain')).toMatchObject({ code: 3 });
    expect(await project.run(...approve, '--lock')).toMatchObject({ code: 0 });
    expect(await project.run('tools', 'plain')).toMatchObject({ code: 0 });
  });

  test('names and --all exclude each other, and one of them is needed', async () => {
    using project = open();
    expect(await project.run('trust', 'approve')).toMatchObject({ code: 2 });
    expect(await project.run('trust', 'approve', 'plain', '--all')).toMatchObject({ code: 2 });
  });
});

test('an approval whose server has left its file is listed as gone, and can be taken back', async () => {
  using project = open();
  await project.run(...approve);
  const file = project.write('.mcp.json', { mcpServers: {} });
  const listed = await project.run('trust', 'list');
  expect(listed.stdout).toMatch(/^plain +gone +20\d\d-\d\d-\d\d +\S+mcp\.json$/m);
  expect(listed.stderr).toMatch(/0 servers, 0 not trusted, 1 gone/);
  const asJson = await project.run('trust', 'list', '--json');
  expect(JSON.parse(asJson.stdout)).toMatchObject({ servers: [], gone: [{ name: 'plain', file }] });
  expect(await project.run('trust', 'revoke', 'plain')).toMatchObject({
    code: 0,
    stdout: 'plain is no longer approved\n',
  });
  expect(await project.run('trust', 'list')).toMatchObject({ code: 2 });
  project.write('.mcp.json', { mcpServers: { plain } });
  expect((await project.run('trust', 'list')).stdout).toMatch(/^plain +untrusted/m);
});

test('trust revoke takes an approval back', async () => {
  using project = open();
  await project.run(...approve);
  const { code, stdout } = await project.run('trust', 'revoke', 'plain', 'far');
  expect(code).toBe(0);
  expect(stdout).toBe('plain is no longer approved\nfar was not approved\n');
  expect(await project.run('tools', 'plain')).toMatchObject({ code: 3 });
  expect(await project.run('trust', 'revoke', 'nobody')).toMatchObject({ code: 2 });
});
