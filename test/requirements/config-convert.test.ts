import { readFile } from 'node:fs/promises';
import path from 'node:path';
import {
  convertConfig,
  dialectIds,
  loadConfig,
  type DialectId,
  type LoadedConfig,
  type ServerEntry,
} from '@mcp-kit/host';
import { interpolate, variablesOf, type Conversion } from '@mcp-kit/host/internal';
import { beforeAll, describe, expect, test } from 'vitest';
import { oneIn } from '../support/scale.ts';
import { entryOf, loadSamples, samples, temporaryFolder } from './config-fixture.ts';

let loaded: LoadedConfig;
beforeAll(async () => {
  const parts = await Promise.all([
    loadSamples(),
    ...['v1', 'sep-2633', 'compat'].map((name) => loadConfig({ root: path.join(samples, name) })),
  ]);
  const [first] = parts;
  const entries = parts.flatMap((part) => part.entries);
  loaded = { ...first, entries };
});

const extensions = { json: 'json', toml: 'toml', yaml: 'yaml' };

/** Reads a text as one host does. */
async function readAs(text: string, dialect: DialectId): Promise<LoadedConfig> {
  await using folder = await temporaryFolder();
  const format = { codex: 'toml', goose: 'yaml' }[dialect as string] ?? 'json';
  const name = `servers.${extensions[format as 'json']}`;
  const file = await folder.write(name, text);
  // The folder must stay until the file has been read.
  return await loadConfig({ root: folder.path, files: [file], dialect });
}

/** What an entry says, wherever it is written down. */
function meaning({ provenance: _, shadows: __, ...rest }: ServerEntry): object {
  return rest;
}

const from = (dialect: DialectId): readonly ServerEntry[] =>
  loaded.entries.filter(({ provenance }) => provenance.dialect === dialect);
const lostFields = ({ lost }: Conversion): readonly string[] => lost.map(({ field }) => field);

describe('every sample', () => {
  test.each(dialectIds)('of %s is written and read again without any loss', async (dialect) => {
    const entries = from(dialect);
    expect(entries.length).toBeGreaterThan(0);
    const { text, lost } = await convertConfig(entries, dialect);
    expect(lost).toEqual([]);
    const again = await readAs(text, dialect);
    expect(again.errors).toEqual([]);
    expect(again.entries.map(meaning)).toEqual(
      entries.toSorted((a, b) => (a.name < b.name ? -1 : 1)).map(meaning),
    );
  });

  const pairs = dialectIds.flatMap((one) =>
    dialectIds.filter((other) => other !== one).map((other) => [one, other] as const),
  );
  oneIn(5)(pairs)('of %s says in %s all that is not named as lost', async (one, other) => {
    for (const entry of from(one)) {
      const there = await convertConfig([entry], other);
      const read = await readAs(there.text, other);
      expect(read.errors).toEqual([]);
      const [moved] = read.entries;
      expect(moved !== undefined || lostFields(there).includes('transport')).toBe(true);
      if (moved === undefined) continue;
      const back = await convertConfig([moved], one);
      const [returned] = (await readAs(back.text, one)).entries;
      const named = new Set([...there.lost, ...back.lost].map(({ field }) => field.split('/')[0]));
      expect(returned !== undefined || lostFields(back).includes('transport')).toBe(true);
      if (returned !== undefined) expectKept(entry, returned, named);
    }
  });
});

/** The entry with every reference resolved: two ways to say the same are the same. */
function resolved(entry: ServerEntry): ServerEntry {
  const uses = variablesOf(entry);
  const values = (scheme: string): Record<string, string> =>
    Object.fromEntries(
      uses.filter((use) => use.scheme === scheme).map(({ name }) => [name, `<${name}>`]),
    );
  return interpolate(entry, {
    env: values('env'),
    inputs: values('input'),
    workspaceFolder: '/repo/project',
    userHome: '/home/me',
    lookUp: (scheme, name) => `<${scheme} ${name}>`,
  }).entry;
}

const unsaid = [
  ['passEnv', []],
  ['envHeaders', {}],
  ['bearerTokenEnv', undefined],
] as const;

function expectKept(
  before: ServerEntry,
  after: ServerEntry,
  named: ReadonlySet<string | undefined>,
): void {
  const flat = (entry: ServerEntry): object => {
    // What is lost must not be resolved into something else.
    const lost = Object.fromEntries(
      [...named].flatMap((key) => unsaid.filter(([fact]) => fact === key)),
    );
    const known = { ...entry, transport: { ...entry.transport, ...lost } };
    const { transport, timeouts, tools, ...rest } = resolved(known);
    const { provenance: _, shadows: __, extras: ___, inputs: ____, ...other } = rest;
    const { flavour, ...settings } = { flavour: undefined, ...transport };
    // A host that finds the transport out by itself has no word for the newer one alone.
    const kind = flavour === undefined || flavour === 'sse' ? (flavour ?? transport.kind) : 'http';
    const all = { ...settings, ...timeouts, ...tools, ...other, kind };
    return Object.fromEntries(Object.entries(all).filter(([key]) => !named.has(key)));
  };
  expect(flat(after)).toEqual(flat(before));
}

/** One server as a host has it. */
async function serverIn(dialect: DialectId, raw: object): Promise<ServerEntry> {
  const home = dialect === 'vscode' ? 'servers' : 'mcpServers';
  const { entries, errors } = await readAs(JSON.stringify({ [home]: { s: raw } }), dialect);
  expect(errors).toEqual([]);
  return entryOf({ entries }, 's');
}

describe('what a host cannot be told is named', () => {
  const program = { command: 'x', cwd: '${workspaceFolder}/a', envFile: '${workspaceFolder}/.env' };

  test('a file of variables that the host has no place for is not said to be kept', async () => {
    const { lost, text } = await convertConfig([await serverIn('vscode', program)], 'codex');
    expect(text).not.toContain('.env');
    expect(lost).toEqual([
      {
        server: 's',
        field: 'cwd',
        why: 'Codex has no way to say ${workspaceFolder}; the text is kept as it is',
      },
      { server: 's', field: 'envFile', why: 'Codex has no such setting' },
    ]);
  });

  test('neither is a working folder, where there is none', async () => {
    const entry = await serverIn('vscode', program);
    const { lost } = await convertConfig([entry], 'claude-desktop');
    expect(lost.map(({ field, why }) => [field, why])).toEqual([
      ['cwd', 'Claude Desktop has no such setting'],
      ['envFile', 'Claude Desktop has no such setting'],
    ]);
  });

  test('settings that only one host knows do not hide that the others are lost', async () => {
    const raw = { type: 'http', url: 'https://x.test', oauth: { clientId: 'a', xaa: true } };
    const { lost } = await convertConfig([await serverIn('claude-code', raw)], 'windsurf');
    expect(lost.map(({ field, why }) => [field, why])).toEqual([
      ['oauth/xaa', 'only Claude Code knows what it means'],
      ['oauth', 'Windsurf has no such setting'],
    ]);
  });

  test('oauth with nothing in it is not nothing', async () => {
    const raw = { type: 'http', url: 'https://x.test', oauth: {} };
    const entry = await serverIn('claude-code', raw);
    const same = await convertConfig([entry], 'claude-code');
    expect([JSON.parse(same.text), same.lost]).toEqual([{ mcpServers: { s: raw } }, []]);
    const there = await convertConfig([entry], 'opencode');
    expect(JSON.parse(there.text)).toMatchObject({ mcp: { s: { oauth: {} } } });
    const codex = await convertConfig([entry], 'codex');
    expect(entryOf(await readAs(codex.text, 'codex'), 's')).toMatchObject({ oauth: {} });
    const { lost } = await convertConfig([entry], 'windsurf');
    expect(lost).toEqual([{ server: 's', field: 'oauth', why: 'Windsurf has no such setting' }]);
  });

  test('no list is written that nothing is in', async () => {
    const entry = await serverIn('claude-code', { command: 'x', args: [], env: { A: 'b' } });
    for (const to of dialectIds) {
      const { text } = await convertConfig([entry], to);
      expect([to, text.replaceAll(/\s/g, '')]).toEqual([
        to,
        expect.not.stringMatching(/=\[\]|:\[\]|:\{\}/),
      ]);
    }
  });

  test('the servers that are written are counted, and one that cannot be does not stop the others', async () => {
    const entries = await Promise.all([
      serverIn('claude-code', { command: 'x' }),
      serverIn('claude-code', { type: 'http', url: 'https://x.test' }),
      serverIn('claude-code', { command: 'y' }),
    ]);
    const { servers, lost } = await convertConfig(entries, 'claude-desktop');
    expect(servers).toEqual(['s', 's_3']);
    expect(lost.map(({ field }) => field)).toEqual(['name', 'transport', 'name']);
  });

  test('a remote server, to Claude Desktop', async () => {
    const conversion = await convertConfig([entryOf(loaded, 'linear')], 'claude-desktop');
    expect(JSON.parse(conversion.text)).toEqual({ mcpServers: {} });
    expect(conversion.lost).toContainEqual({
      server: 'linear',
      field: 'transport',
      why: 'needs a command or a URL',
    });
  });

  test('fields that only one host knows, times, filters, questions', async () => {
    const one = await convertConfig([entryOf(loaded, 'perplexity')], 'cursor');
    expect(one.lost).toEqual([
      {
        server: 'perplexity',
        field: 'env/PERPLEXITY_API_KEY',
        why: 'Cursor has no way to say ${input:perplexity-key}; the text is kept as it is',
      },
      { server: 'perplexity', field: 'dev', why: 'only VS Code knows what it means' },
      { server: 'perplexity', field: 'env/NODE_OPTIONS', why: 'only VS Code knows what it means' },
      {
        server: 'perplexity',
        field: 'inputs/perplexity-key',
        why: 'Cursor has no place for what is asked',
      },
    ]);
    const two = await convertConfig([entryOf(loaded, 'search')], 'cursor');
    expect(two.lost.map(({ field, why }) => [field, why])).toEqual([
      ['startupMs', 'Cursor has no such setting'],
      ['requestMs', 'Cursor has no such setting'],
      ['allow', 'Cursor has no such setting'],
      ['deny', 'Cursor has no such setting'],
    ]);
  });

  test('the older transport, where the host finds out by itself', async () => {
    const conversion = await convertConfig([entryOf(loaded, 'events')], 'opencode');
    expect(lostFields(conversion)).toContain('kind');
  });

  test('a name that the host does not allow, and two that become one', async () => {
    const base = entryOf(loaded, 'notes');
    const named = (name: string): ServerEntry => ({ ...base, name });
    const { text, lost } = await convertConfig([named('a b'), named('a.b')], 'mcp-kit');
    expect(Object.keys((JSON.parse(text) as { servers: object }).servers)).toEqual([
      'a_b',
      'a_b_2',
    ]);
    expect(lost).toEqual([
      { server: 'a b', field: 'name', why: 'it becomes a_b' },
      { server: 'a.b', field: 'name', why: 'it becomes a_b_2' },
    ]);
  });

  test('a text that would become a reference', async () => {
    const base = entryOf(loaded, 'search');
    const entry = { ...base, transport: { ...base.transport, args: ['${HOME}'] } } as ServerEntry;
    const { lost } = await convertConfig([entry], 'claude-code');
    expect(lost).toContainEqual({
      server: 'search',
      field: 'args/0',
      why: 'Claude Code would take a part of it for a variable',
    });
  });

  test('and never with a secret in it', async () => {
    const base = entryOf(loaded, 'github');
    const headers = { Authorization: 'hunter2 ${A}' };
    const entry = { ...base, transport: { ...base.transport, headers } } as ServerEntry;
    const { lost } = await convertConfig([entry], 'zed');
    expect(JSON.stringify(lost)).toContain('${A}');
    expect(JSON.stringify(lost)).not.toContain('hunter2');
  });
});

describe('variables are said as the host says them', () => {
  test.each<readonly [string, DialectId, object]>([
    [
      'github',
      'vscode',
      {
        type: 'http',
        url: 'https://api.githubcopilot.com/mcp/',
        headers: { Authorization: 'Bearer ${env:GITHUB_TOKEN}' },
      },
    ],
    [
      'github',
      'mcp-kit',
      {
        transport: 'streamable_http',
        url: 'https://api.githubcopilot.com/mcp/',
        bearer_token_env_var: 'GITHUB_TOKEN',
      },
    ],
    [
      'everything',
      'claude-code',
      {
        type: 'stdio',
        command: 'npx',
        args: ['-y', '@modelcontextprotocol/server-everything@2025.9.12'],
        env: { MY_ENV_VAR: '${MY_SECRET}' },
        timeout: 8000,
      },
    ],
    [
      'figma',
      'opencode',
      {
        type: 'remote',
        url: 'https://mcp.figma.com/mcp',
        headers: {
          'X-Figma-Region': 'us-east-1',
          Authorization: 'Bearer {env:FIGMA_TOKEN}',
          'X-Team': '{env:FIGMA_TEAM}',
        },
        oauth: { clientId: 'codex', scope: 'file_read' },
        enabled: false,
      },
    ],
    [
      'search',
      'roo',
      {
        type: 'stdio',
        command: 'search-mcp',
        args: ['--stdio'],
        env: { SEARCH_KEY: '${env:SEARCH_KEY}', LOG: 'warn' },
        timeout: 90.5,
        disabledTools: ['open'],
      },
    ],
    [
      'db',
      'sep-2633',
      {
        type: 'stdio',
        command: 'npx',
        args: [
          '-y',
          '@example/postgres-mcp@1.4.2',
          '${env:DATABASE_URL | value:postgres://localhost/dev}',
        ],
        env: { PGAPPNAME: 'agent' },
      },
    ],
  ])('%s, to %s', async (name, dialect, expected) => {
    const { text } = await convertConfig([entryOf(loaded, name)], dialect);
    const document = JSON.parse(text) as Record<string, Record<string, unknown>>;
    const [servers] = Object.values(document).filter((value) => typeof value === 'object');
    expect(servers?.[name]).toEqual(expected);
  });
});

describe('into a file that exists', () => {
  const read = (name: string): Promise<string> => readFile(path.join(samples, name), 'utf8');

  test.each<readonly [DialectId, string]>([
    ['claude-code', 'project/.mcp.json'],
    ['vscode', 'project/.vscode/mcp.json'],
    ['codex', 'project/.codex/config.toml'],
    ['opencode', 'project/opencode.jsonc'],
    ['zed', 'project/.zed/settings.json'],
    ['goose', 'home/.config/goose/config.yaml'],
    ['mcp-kit', 'v1/mcp.json'],
  ])('what is there already changes no byte of it: %s', async (dialect, file) => {
    const text = await read(file);
    const own = from(dialect).filter(({ provenance }) =>
      provenance.file.endsWith(path.normalize(file)),
    );
    expect(own.length).toBeGreaterThan(0);
    expect((await convertConfig(own, dialect, { into: text })).text).toBe(text);
  });

  test.each<readonly [DialectId, string, readonly string[]]>([
    [
      'vscode',
      'project/.vscode/mcp.json',
      ['// Asked for once', '/* a local server */', '// the public one'],
    ],
    ['opencode', 'project/opencode.jsonc', ['// started here', '$schema']],
    [
      'zed',
      'project/.zed/settings.json',
      ['// Settings of an editor.', '"tab_size": 2', 'from-extension'],
    ],
    [
      'codex',
      'project/.codex/config.toml',
      ['# Settings of the project.', 'model = "gpt-5"', '# The environment of'],
    ],
    [
      'goose',
      'home/.config/goose/config.yaml',
      ['# Goose keeps', '# fetches pages', 'GOOSE_PROVIDER'],
    ],
  ])('comments and everything else survive a new server: %s', async (dialect, file, kept) => {
    const text = await read(file);
    const result = await convertConfig([entryOf(loaded, 'notes')], dialect, { into: text });
    for (const part of kept) expect(result.text).toContain(part);
    const before = await readAs(text, dialect);
    const after = await readAs(result.text, dialect);
    expect(after.errors).toEqual([]);
    expect(after.entries.map(({ name }) => name)).toEqual(
      [...before.entries.map(({ name }) => name), 'notes'].toSorted(),
    );
  });

  test('one changed field changes one line, and comments around it stay', async () => {
    const text = await read('project/.vscode/mcp.json');
    const docs = entryOf(await readAs(text, 'vscode'), 'docs');
    const transport = {
      ...docs.transport,
      url: 'https://docs.example.com/v2',
    } as typeof docs.transport;
    const result = await convertConfig([{ ...docs, transport }], 'vscode', { into: text });
    const lines = text.split('\n');
    const changed = result.text.split('\n').filter((line, index) => line !== lines[index]);
    expect(changed).toEqual(['      "url": "https://docs.example.com/v2", // the public one']);
  });

  test('what only that host knows of a server survives the way through another host', async () => {
    const text = await read('project/.mcp.json');
    const entry = entryOf(loaded, 'db');
    const there = await convertConfig([entry], 'cursor');
    expect(lostFields(there)).toContain('alwaysLoad');
    const { entries } = await readAs(there.text, 'cursor');
    const moved = entries.map((one) => ({ ...one, enabled: true }));
    const back = await convertConfig(moved, 'claude-code', { into: text });
    const again = entryOf(await readAs(back.text, 'claude-code'), 'db');
    expect(again.extras).toEqual({ alwaysLoad: true });
  });

  test('a server in TOML is replaced with all its tables, and its neighbours are not touched', async () => {
    const text = await read('project/.codex/config.toml');
    const search = entryOf(await readAs(text, 'codex'), 'search');
    const changed = { ...search, timeouts: { requestMs: 5000 } };
    const { text: result } = await convertConfig([changed], 'codex', { into: text });
    const again = await readAs(result, 'codex');
    expect(meaning(entryOf(again, 'search'))).toEqual(meaning(changed));
    expect(result).toContain('# Settings of the project.');
    expect(result.slice(result.indexOf('[mcp_servers.figma]'))).toBe(
      text.slice(text.indexOf('[mcp_servers.figma]')),
    );
  });

  test('questions that are new to the file are added to it', async () => {
    const text = await read('project/.vscode/mcp.json');
    const vault = entryOf(loaded, 'vault');
    const { text: result } = await convertConfig([vault], 'vscode', { into: text });
    const again = await readAs(result, 'vscode');
    expect(entryOf(again, 'vault').inputs).toEqual([
      { id: 'pin', type: 'promptString', description: 'pin', password: true },
    ]);
  });

  test('a file that is wrong is refused', async () => {
    const entries = [entryOf(loaded, 'notes')];
    await expect(convertConfig(entries, 'codex', { into: 'a = = b' })).rejects.toThrow(
      'not valid TOML',
    );
    await expect(convertConfig(entries, 'cursor', { into: '[]' })).rejects.toThrow(
      'must be an object',
    );
  });
});
