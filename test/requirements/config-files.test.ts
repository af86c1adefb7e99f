import { execFile } from 'node:child_process';
import { mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { convertConfig, dialectIds, explainConfig, lintConfig, loadConfig } from '@mcp-kit/host';
import { describe, expect, test } from 'vitest';
import { entryOf, problemsOf, samples, temporaryFolder } from './config-fixture.ts';

const v1 = (...names: string[]): object => ({
  version: 1,
  servers: Object.fromEntries(names.map((name) => [name, { transport: 'stdio', argv: [name] }])),
});
const common = (...names: string[]): object => ({
  mcpServers: Object.fromEntries(names.map((name) => [name, { command: name }])),
});

describe('discovery', () => {
  test('a folder without configuration has an empty one', async () => {
    await using folder = await temporaryFolder();
    expect(await loadConfig({ root: folder.path })).toEqual({
      entries: [],
      shadowed: [],
      warnings: [],
      errors: [],
      client: {},
      gateway: {},
      sources: [],
    });
  });

  test('.mcp.json is read, and mcp.json only where there is none', async () => {
    await using folder = await temporaryFolder();
    await folder.write('mcp.json', v1('b'));
    const second = await loadConfig({ root: folder.path });
    expect(second.entries.map(({ name }) => name)).toEqual(['b']);
    await folder.write('.mcp.json', v1('a'));
    const first = await loadConfig({ root: folder.path });
    expect(first.entries.map(({ name }) => name)).toEqual(['a']);
    expect(first.sources).toEqual([
      {
        file: path.join(folder.path, '.mcp.json'),
        scope: 'project',
        dialects: ['mcp-kit'],
        servers: 1,
      },
    ]);
  });

  test('one broken file does not hide the others', async () => {
    await using folder = await temporaryFolder();
    await folder.write('.mcp.json', '{"mcpServers": {');
    await folder.write('.cursor/mcp.json', common('a'));
    await folder.write('.codex/config.toml', 'x = = 1');
    const { entries, errors } = await loadConfig({ root: folder.path });
    expect(entries.map(({ name }) => name)).toEqual(['a']);
    expect(
      errors.map(({ details }) => path.relative(folder.path, String(details?.['file']))),
    ).toEqual(['.mcp.json', path.join('.codex', 'config.toml')]);
  });

  test('one broken server does not hide the others of its file', async () => {
    await using folder = await temporaryFolder();
    await folder.write('.cursor/mcp.json', {
      mcpServers: { a: { command: 1 }, b: { command: 'b' } },
    });
    const { entries, errors } = await loadConfig({ root: folder.path });
    expect(entries.map(({ name }) => name)).toEqual(['b']);
    expect(errors[0]?.details?.['pointer']).toBe('/mcpServers/a/command');
  });

  test('what a user keeps for a project wins over the project, and that over what the user keeps for all', async () => {
    await using folder = await temporaryFolder();
    const root = path.join(folder.path, 'project');
    const home = path.join(folder.path, 'home');
    await folder.write('project/.mcp.json', common('x', 'y'));
    await folder.write('project/.cursor/mcp.json', common('x'));
    await folder.write('home/.claude.json', {
      mcpServers: { x: { command: 'user' }, y: { command: 'user' }, z: { command: 'user' } },
      projects: {
        [root]: { mcpServers: { x: { command: 'local' } } },
        '/other': { mcpServers: { q: {} } },
      },
    });
    const loaded = await loadConfig({ root, home, env: {} });
    expect(loaded.errors).toEqual([]);
    expect(loaded.entries.map(({ name }) => name)).toEqual(['x', 'y', 'z']);
    const { provenance, shadows } = entryOf(loaded, 'x');
    const key = root.replaceAll('~', '~0').replaceAll('/', '~1');
    expect(provenance).toMatchObject({ scope: 'user', pointer: `/projects/${key}/mcpServers/x` });
    expect(shadows.map(({ file, pointer }) => [path.relative(folder.path, file), pointer])).toEqual(
      [
        [path.join('project', '.mcp.json'), '/mcpServers/x'],
        [path.join('project', '.cursor', 'mcp.json'), '/mcpServers/x'],
        [path.join('home', '.claude.json'), '/mcpServers/x'],
      ],
    );
    expect(entryOf(loaded, 'y').provenance.scope).toBe('project');
    expect(loaded.shadowed).toHaveLength(4);
  });

  test('files that are named are the only ones read, in their order', async () => {
    await using folder = await temporaryFolder();
    await folder.write('.mcp.json', common('a', 'b'));
    const one = await folder.write('one.json', common('c'));
    await folder.write('two.json', { mcpServers: { c: { command: 'other' } } });
    const loaded = await loadConfig({ root: folder.path, files: [one, 'two.json'] });
    expect(loaded.entries.map(({ name, provenance }) => [name, provenance.scope])).toEqual([
      ['c', 'explicit'],
    ]);
    expect(entryOf(loaded, 'c').shadows[0]?.file).toBe(path.join(folder.path, 'two.json'));
    const { errors } = await loadConfig({ root: folder.path, files: ['none.json'] });
    expect(errors[0]?.message).toMatch(/none\.json#: there is no such file$/);
  });

  test('names that become one where only plain names are possible are pointed out', async () => {
    await using folder = await temporaryFolder();
    await folder.write('.cursor/mcp.json', common('my server', 'my.server'));
    const { entries, warnings } = await loadConfig({ root: folder.path });
    expect(entries).toHaveLength(2);
    expect(warnings.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^"my\.server" and "my server" \(.*\) both become my_server$/),
    ]);
  });

  test('a map under the key of another host is pointed out', async () => {
    await using folder = await temporaryFolder();
    await folder.write('.vscode/mcp.json', common('a'));
    const { entries, warnings } = await loadConfig({ root: folder.path });
    expect(entries).toEqual([]);
    expect(warnings[0]?.message).toBe('VS Code reads `servers`, and does not see `mcpServers`');
  });
});

/** Grows to ten to the ninth texts when it is expanded. */
const aliases = Array.from({ length: 10 }, (_, level) =>
  level === 0 ? 'a0: &a0 x' : `a${level}: &a${level} [${`*a${level - 1},`.repeat(10)}]`,
).join('\n');

describe('a configuration file', () => {
  test('must not be a link, a folder or a pipe', async () => {
    await using folder = await temporaryFolder();
    const file = await folder.write('real.json', v1('a'));
    const link = path.join(folder.path, 'link.json');
    await symlink(file, link);
    const pipe = path.join(folder.path, 'pipe.json');
    await promisify(execFile)('mkfifo', [pipe]);
    for (const [name, kind] of [
      [link, 'symlink'],
      [folder.path, 'directory'],
      [pipe, 'fifo'],
    ]) {
      const { errors } = await loadConfig({ root: folder.path, files: [String(name)] });
      expect(errors[0]?.message).toBe(
        `${name}#: mcp config must be a regular file (got ${kind}): ${name}`,
      );
    }
  });

  test('of a project must be in it, links to folders followed', async () => {
    await using folder = await temporaryFolder();
    await folder.write('outside/mcp.json', common('a'));
    const root = path.join(folder.path, 'project');
    await mkdir(root);
    await symlink(path.join(folder.path, 'outside'), path.join(root, '.cursor'));
    const { entries, errors } = await loadConfig({ root });
    expect(entries).toEqual([]);
    const file = path.join(root, '.cursor', 'mcp.json');
    expect(errors[0]?.message).toBe(`${file}#: path escapes root: ${file} (root=${root})`);
  });

  test('of a user may be a link', async () => {
    await using folder = await temporaryFolder();
    const file = await folder.write('dotfiles/claude.json', common('a'));
    await mkdir(path.join(folder.path, 'home'));
    await symlink(file, path.join(folder.path, 'home', '.claude.json'));
    await mkdir(path.join(folder.path, 'project'));
    const { entries } = await loadConfig({
      root: path.join(folder.path, 'project'),
      home: path.join(folder.path, 'home'),
    });
    expect(entries).toHaveLength(1);
  });

  test('is at most 4 MiB', async () => {
    const max = 4 * 1024 * 1024;
    const document = JSON.stringify(v1('a'));
    expect(await problemsOf(document.padEnd(max))).toEqual([]);
    const [problem] = await problemsOf(document.padEnd(max + 1));
    expect(problem).toMatch(/^#: mcp config too large: 4194305 bytes \(max 4194304\): /);
  });

  test('must be UTF-8, and may begin with a byte order mark', async () => {
    expect(await problemsOf(`\uFEFF${JSON.stringify(v1('a'))}`)).toEqual([]);
  });

  test.each([
    ['{"version":1,"servers":{},"servers":{}}', '#/servers: the key "servers" is there twice'],
    [
      String.raw`{"version":1,"servers":{"a":{"transport":"unix","unix_path":"/a","unix\u005fpath":"/b"}}}`,
      '#/servers/a/unix_path: the key "unix_path" is there twice',
    ],
    [
      '{"mcpServers":{"a":{"command":"a"},/* again */"a":{"command":"b"}}}',
      '#/mcpServers/a: the key "a" is there twice',
    ],
    ['{"servers":[{},{"a":",","a":1}],"version":1}', '#/servers/1/a: the key "a" is there twice'],
  ])('must not say a thing twice: %s', async (text, problem) => {
    expect(await problemsOf(text)).toEqual([problem]);
  });

  test.each([
    [
      'mcp.json',
      '{"version":1,"servers":{} // comment\n}',
      '#: not valid JSON: unexpected text at line 1, column 27',
    ],
    ['mcp.json', '{"servers": {,}}', '#: not valid JSON: value expected at line 1, column 14'],
    [
      'config.toml',
      '\nkey = ',
      expect.stringMatching(/^#: not valid TOML: .* at line 2, column \d+$/),
    ],
    ['config.yaml', 'a: 1\na: 2\n', '#: not valid YAML: duplicate key at line 2, column 1'],
    [
      'mcp.json',
      `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
      expect.stringMatching(/nested deeper than 64 levels$/),
    ],
    ['mcp.json', `/**/${'['.repeat(100_000)}`, expect.stringMatching(/^#/)],
    ['mcp.json', '[]', '#: must be an object, not a list'],
    ['config.yaml', aliases, '#: not valid YAML: bad alias at line 1, column 1'],
  ])('that cannot be parsed says where: %s', async (name, text, problem) => {
    const [first] = await problemsOf(text, { name });
    expect(first).toEqual(problem);
  });

  test('never shows its content in an error', async () => {
    for (const name of ['mcp.json', 'config.toml', 'config.yaml']) {
      const problems = await problemsOf('{"env": "hunter2" = hunter2: [hunter2', { name });
      expect(problems).toHaveLength(1);
      expect(problems.join()).not.toContain('hunter2');
    }
    const wrong = { mcpServers: { a: { command: 'a', env: { KEY: ['hunter2'] } } } };
    expect((await problemsOf(wrong)).join()).not.toContain('hunter2');
  });
});

describe('the common form', () => {
  test('may name another file that has the servers', async () => {
    const loaded = await loadConfig({ root: path.join(samples, 'compat') });
    expect(loaded.errors).toEqual([]);
    expect(loaded.entries.map(({ name, enabled }) => [name, enabled])).toEqual([
      ['list', true],
      ['off', false],
      ['web', true],
    ]);
    expect(entryOf(loaded, 'list')).toMatchObject({
      transport: { command: 'node', args: ['a.js'], env: { A: '${A}' } },
      provenance: {
        file: path.join(samples, 'compat', 'parts', 'servers.json'),
        pointer: '/list',
        dialect: 'compat',
      },
    });
    expect(entryOf(loaded, 'web')).toMatchObject({
      transport: { flavour: 'http' },
      timeouts: { requestMs: 2500 },
      tools: { allow: ['get_*'] },
    });
  });

  test.each([
    ['../other.json'],
    ['/etc/passwd'],
    ['a/../../other.json'],
    [String.raw`..\other.json`],
  ])('must not name a file outside: %s', async (target) => {
    const [problem] = await problemsOf({ mcpServers: target });
    expect(problem).toMatch(/^#\/mcpServers: path escapes root: /);
  });

  test('must not get outside by a link either', async () => {
    await using folder = await temporaryFolder();
    await folder.write('outside/servers.json', common('a'));
    await folder.write('project/mcp.json', { mcpServers: './in/servers.json' });
    const root = path.join(folder.path, 'project');
    await symlink(path.join(folder.path, 'outside'), path.join(root, 'in'));
    const { entries, errors } = await loadConfig({ root });
    expect(entries).toEqual([]);
    expect(errors[0]?.message).toContain('path escapes root');
  });

  test('is followed over 16 files, and never in a circle', async () => {
    await using folder = await temporaryFolder();
    await folder.write('mcp.json', { mcpServers: './1.json' });
    for (let index = 1; index < 20; index += 1) {
      await folder.write(`${index}.json`, { mcpServers: `./${index + 1}.json` });
    }
    const far = await loadConfig({ root: folder.path });
    expect(far.errors[0]?.message).toContain('more than 16 files refer to each other');
    await folder.write('16.json', common('a'));
    expect((await loadConfig({ root: folder.path })).entries).toHaveLength(1);
    await folder.write('3.json', { mcpServers: './mcp.json' });
    const { errors } = await loadConfig({ root: folder.path });
    expect(errors[0]?.message).toContain('refers back to');
  });

  test('has no program for a server that has a URL', async () => {
    expect(await problemsOf({ a: { type: 'http', url: 'https://x', command: 'a' } })).toEqual([
      '#/a/command: mcp server a: command/args/argv are only valid for transport=stdio',
    ]);
  });
});

test('hostile texts take no longer than their length explains', async () => {
  await using folder = await temporaryFolder();
  const texts = [
    '${',
    '{env:',
    '${env:A | ',
    '%A',
    '$A',
    '?key',
    '@',
    '//',
    '-eyJ',
    ' ',
    '\\n@',
  ].map((piece) => piece.repeat(10_000));
  const server = {
    command: `npx ${texts[6]}`,
    args: [texts[6], ...texts, `\${env:${texts[9]}x`],
    env: Object.fromEntries(texts.map((text, index) => [`TOKEN_${index}`, text])),
  };
  const file = await folder.write('servers.json', { mcpServers: { s: server } });
  const before = process.cpuUsage();
  for (const dialect of dialectIds.filter((id) => !['codex', 'goose'].includes(id))) {
    const loaded = await loadConfig({ root: folder.path, files: [file], dialect });
    lintConfig(loaded);
    explainConfig(loaded);
    for (const to of ['claude-code', 'sep-2633', 'opencode'] as const) {
      await convertConfig(loaded.entries, to);
    }
  }
  // What grows with the square takes minutes.
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(10_000);
});
