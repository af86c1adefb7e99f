import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { expectUsageError, requireBuild } from '../support/cli.ts';
import { mcpJson, Project, samples } from '../support/project.ts';
import { oneIn } from '../support/scale.ts';

beforeAll(requireBuild);

const secret = 'canary-value-77';

describe('add', () => {
  test('writes a command that can be used at once, and nothing else changes', async () => {
    const text =
      '{\n  // mine\n  "mcpServers": {\n    "old": { "command": "x" }, // keep\n  },\n}\n';
    using project = new Project({ 'mcp.json': text });
    const added = await project.run(
      'add',
      'demo',
      '--yes',
      '--approve',
      '--env',
      `KEY=${secret}`,
      '--',
      ...samples,
    );
    expect(added).toMatchObject({ code: 0 });
    expect(added.stdout).toContain('+     "demo": {');
    expect(added.stderr).toContain('Next: mcpctl tools demo');
    expect(added.stdout + added.stderr).not.toContain(secret);
    const written = project.read('mcp.json').toString();
    expect(written).toContain(secret);
    expect(written.startsWith(text.slice(0, text.indexOf(' // keep') + 8))).toBe(true);
    const called = await project.run('call', 'demo', 'get_text_statistics', 'text=a b');
    expect(called).toMatchObject({ code: 0 });
    const removed = await project.run('remove', 'demo', '--yes');
    expect(removed).toMatchObject({ code: 0 });
    expect(project.read('mcp.json').toString()).toBe(text);
  });

  test('shows what it would write, and writes nothing, without a word that it may', async () => {
    using project = new Project();
    const asked = await project.run('add', 'docs', 'https://docs.example/mcp');
    expect(asked.code).toBe(2);
    expect(asked.stdout).toContain('"url": "https://docs.example/mcp"');
    expect(asked.stderr).toMatch(/nobody can be asked here\n.*--yes/);
    const dry = await project.run('add', 'docs', 'https://docs.example/mcp', '--dry-run');
    expect(dry).toMatchObject({ code: 0 });
    expect(project.has('mcp.json')).toBe(false);
    const said = await project.run('add', 'docs', 'https://docs.example/mcp', '--yes');
    expect(said.stderr).toContain('Next: mcpctl trust approve docs');
  });

  oneIn(3)([
    ['a map', '{"mcpServers":{"a":{"command":"x"}}}'],
    ['what VS Code has', '{"servers":{"a":{"type":"stdio","command":"x"}}}'],
    ['a bare map', '{"a":{"command":"x"}}'],
    ['a member without braces', '"a": { "command": "x" },'],
    ['a server that says its name', '{"name":"a","command":"x"}'],
    ['TOML', '[mcp_servers.a]\ncommand = "x"\n'],
    ['comments and a trailing comma', '{ // this\n "mcpServers": {"a":{"command":"x"},}}'],
  ])('takes %s, as an argument and from standard input', async (_, text) => {
    using project = new Project();
    expect(await project.run('add', text, '--yes', '--json')).toMatchObject({ code: 0 });
    const first = JSON.parse(project.read('mcp.json').toString()) as unknown;
    expect(first).toEqual({ mcpServers: { a: { type: 'stdio', command: 'x' } } });
    const again = await project.runWith(text, 'add', '-', '--yes', '--json', '--user');
    expect(again).toMatchObject({ code: 0 });
    const own = readFileSync(path.join(project.home, '.config/mcp-kit/mcp.json'), 'utf8');
    expect(JSON.parse(own)).toEqual(first);
  });

  test('gives a single server the name that is typed', async () => {
    using project = new Project();
    const { stdout } = await project.run(
      'add',
      'b',
      '{"url":"https://b.example/mcp"}',
      '--yes',
      '--json',
    );
    expect(JSON.parse(stdout)).toMatchObject({ servers: ['b'], written: true });
    const listed = await project.run('servers', '--json');
    expect(JSON.parse(listed.stdout)).toMatchObject({
      servers: [{ name: 'b', url: 'https://b.example/mcp' }],
    });
  });

  test('writes in the words that the file has', async () => {
    using project = new Project({
      'mcp.json': { version: 1, servers: {} },
      '.codex/config.toml': '# mine\n',
    });
    await project.run('add', 'a', '--yes', '--', 'x', 'y');
    expect(JSON.parse(project.read('mcp.json').toString())).toEqual({
      version: 1,
      servers: { a: { transport: 'stdio', argv: ['x', 'y'] } },
    });
    await project.run('add', 'a', '--yes', '--config', '.codex/config.toml', '--', 'x', 'y');
    expect(project.read('.codex/config.toml').toString()).toBe(
      '# mine\n\n[mcp_servers.a]\ncommand = "x"\nargs = [ "y" ]\n',
    );
  });

  const one = { 'mcp.json': { mcpServers: { a: { command: 'x' } } } };

  oneIn(3)<[readonly string[], RegExp, RegExp]>([
    [['a', '--yes', '--', 'y'], /already has a server named a/, /--replace/],
    [['b', 'npx', '--yes'], /"npx" is neither a URL/, /put -- before it/],
    [['b', '--yes'], /what is b\?/, /mcpctl add b https:/],
    [['a b', 'https://x.example', '--yes'], /cannot be the name/, /letters/],
    [['{"command":"x"}', '--yes'], /without a name/, /add NAME JSON/],
    [['n', '{"a":{"command":"x"},"b":{"command":"y"}}', '--yes'], /has 2 servers/, /a, b/],
    [['b', 'ftp://x.example/mcp', '--yes'], /not an http or https URL/, /https:\/\/example/],
    [['b', 'https://x.example', '--env', 'A=b', '--yes'], /--env is not for a URL/, /--header/],
    [['b', '--type', 'sse', '--', 'y'], /--type is not for a command/, /--env, --cwd/],
    [['b', '{"command":"y"}', '--env', 'A=b'], /--env is not for what is pasted/, /Leave it out/],
    [['b', '--user', '--config', 'b.json', '--', 'y'], /exclude each other/, /Leave out one/],
  ])('%j is a usage error that says what to type', async (args, what, next) => {
    using project = new Project(one);
    expectUsageError(await project.run('add', ...args), what, next);
  });

  test('says what is wrong with what is pasted, and replaces where that is said', async () => {
    using project = new Project(one);
    const run = (...args: string[]) => project.run('add', ...args);
    const broken = await run('{"mcpServers":{"a":', '--yes');
    expect(broken).toMatchObject({ code: 1 });
    expect(broken.stderr).toMatch(
      /^mcpctl: what was pasted: not valid JSON.*\nCorrect it, and paste it again\.\n$/,
    );
    const nothing = await run('x', '{"mcpServers":{"a":{"args":[]}}}', '--yes');
    expect(nothing.stderr).toMatch(/what was pasted: .*needs a command or a URL/);
    const replaced = await run('a', '--yes', '--replace', '--', 'y');
    expect(replaced).toMatchObject({ code: 0 });
    expect(project.read('mcp.json').toString()).toContain('"y"');
  });
});

describe('remove', () => {
  test('takes servers out of whichever file they count from', async () => {
    const toml =
      '# top\n[mcp_servers.b]\ncommand = "x"\n\n# next\n[mcp_servers.c]\ncommand = "y"\n';
    using project = new Project({
      '.mcp.json':
        '{\n  "mcpServers": {\n    "a": {"command": "x"},\n    "z": {"command": "x"}\n  }\n}\n',
      '.codex/config.toml': toml,
    });
    expect(await project.run('remove', 'a', 'b', '--yes')).toMatchObject({ code: 0 });
    expect(project.read('.mcp.json').toString()).toBe(
      '{\n  "mcpServers": {\n    "z": {"command": "x"}\n  }\n}\n',
    );
    expect(project.read('.codex/config.toml').toString()).toBe(
      '# top\n\n# next\n[mcp_servers.c]\ncommand = "y"\n',
    );
    expectUsageError(
      await project.run('remove', 'zz', '--yes'),
      /unknown mcp server: zz/,
      /Did you mean|There are/,
    );
  });
});

describe('connect', () => {
  test('writes into the files of hosts, shows it first, and one command undoes everything', async () => {
    const cursor = '{\n  // mine\n  "mcpServers": {}\n}';
    using project = new Project({
      'mcp.json': { mcpServers: { demo: { command: 'npx', env: { TOKEN: secret } } } },
      '.cursor/mcp.json': cursor,
    });
    const dry = await project.run('connect', 'cursor', 'codex', '--dry-run');
    expect(dry).toMatchObject({ code: 0 });
    expect(dry.stdout).toContain('[mcp_servers.demo]');
    expect(dry.stdout).not.toContain(secret);
    expect(project.read('.cursor/mcp.json').toString()).toBe(cursor);
    const done = await project.run('connect', 'cursor', 'codex', '--yes');
    expect(done).toMatchObject({ code: 0 });
    expect(done.stdout + done.stderr).not.toContain(secret);
    expect(project.read('.cursor/mcp.json').toString()).toContain('// mine');
    const list = await project.run('connect', '--list');
    expect(list.stdout).toMatch(/cursor .*yes .*\(connected\)/);
    const undone = await project.run('disconnect', '--all', '--yes');
    expect(undone).toMatchObject({ code: 0 });
    expect(project.read('.cursor/mcp.json').toString()).toBe(cursor);
    expect(project.has('.codex')).toBe(false);
    const again = await project.run('disconnect', '--all', '--yes');
    expectUsageError(again, /nothing to undo/, /connect --list/);
    const unknown = await project.run('disconnect', 'cursr');
    expectUsageError(unknown, /no host is named cursr/, /Did you mean cursor\?/);
  });

  test('leads every host that is there to a gateway', async () => {
    using project = new Project({ '.cursor/mcp.json': '{}', '.kiro/settings/mcp.json': '{}' });
    const url = 'http://127.0.0.1:7420/mcp';
    const { stdout } = await project.run('connect', '--all', '--gateway', url, '--yes', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      hosts: [
        { host: 'cursor', servers: ['mcp-kit'], written: true },
        { host: 'kiro', servers: ['mcp-kit'], written: true },
      ],
    });
    expect(JSON.parse(project.read('.kiro/settings/mcp.json').toString())).toEqual({
      mcpServers: { 'mcp-kit': { url } },
    });
  });

  test('puts what a repository brought into the files of its user only when they name it', async () => {
    using project = new Project({
      'mcp.json': { mcpServers: { demo: { command: './run.sh' } } },
      'run.sh': '',
    });
    expectUsageError(
      await project.run('connect', 'cursor', '--user', '--yes'),
      /no servers of your own/,
      /--server/,
    );
    const named = await project.run('connect', 'cursor', '--user', '--server', 'demo', '--yes');
    expect(named).toMatchObject({ code: 0 });
    const own = readFileSync(path.join(project.home, '.cursor/mcp.json'), 'utf8');
    expect(JSON.parse(own)).toEqual({
      mcpServers: { demo: { command: path.join(project.folder, 'run.sh') } },
    });
  });

  test('changes nothing when what is there cannot be kept first, and says so', async () => {
    const before = { mcpServers: { mine: { command: 'x' } } };
    using project = new Project({ 'mcp.json': mcpJson({ demo: samples }) });
    // A file, where a folder belongs.
    const state = path.join(project.home, '.local/state/mcp-kit');
    mkdirSync(state, { recursive: true });
    writeFileSync(path.join(state, 'backups'), '');
    project.write('.cursor/mcp.json', before);
    const { code, stderr } = await project.run('connect', 'cursor', '--yes');
    expect(code).toBe(1);
    expect(stderr).toMatch(/cannot be written \(E\w+\)\nCheck its folder, then try again\.\n/);
    expect(JSON.parse(project.read('.cursor/mcp.json').toString())).toEqual(before);
  });

  test('leaves alone what it did not write, and says so', async () => {
    const theirs = '{"mcpServers":{"demo":{"command":"theirs"}}}';
    using project = new Project({
      'mcp.json': { mcpServers: { demo: { command: 'ours' } } },
      '.roo/mcp.json': theirs,
    });
    const { code, stderr } = await project.run('connect', 'roo', '--yes');
    expect(code).toBe(1);
    expect(stderr).toMatch(/already has demo, which was not written by mcpctl/);
    expect(project.read('.roo/mcp.json').toString()).toBe(theirs);
  });

  oneIn(3)<[readonly string[], RegExp, RegExp]>([
    [['--yes'], /which hosts\?/, /--list/],
    [['cursr'], /no host is named cursr/, /Did you mean cursor\?/],
    [['goose'], /Goose has no file in a project/, /connect goose --user/],
    [['visual-studio', '--user'], /Visual Studio has no file of the user/, /Leave out --user/],
    [['--all', 'cursor'], /exclude each other/, /Leave out one/],
    [['cursor', '--server', 'dmo'], /unknown mcp server: dmo/, /Did you mean demo\?/],
    [['cursor', '--gateway', 'x'], /not an http or https URL/, /in full/],
    [['cursor', '--name', 'x'], /--name needs --gateway/, /--gateway URL/],
    [['cursor', '--gateway', 'http://[::1]/', '--name', 'a b'], /cannot be the name/, /letters/],
  ])('%j is a usage error that says what to type', async (args, what, next) => {
    using project = new Project({ 'mcp.json': { mcpServers: { demo: { command: 'x' } } } });
    expectUsageError(await project.run('connect', ...args), what, next);
  });
});
