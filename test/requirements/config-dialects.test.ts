import path from 'node:path';
import { explainConfig, loadConfig, type DialectId, type LoadedConfig } from '@mcp-kit/host';
import { beforeAll, describe, expect, test } from 'vitest';
import { entryOf, loadSamples, problemsOf, samples, temporaryFolder } from './config-fixture.ts';

const stdio = { kind: 'stdio', passEnv: [], inheritEnv: false };
const http = { kind: 'http', headers: {}, envHeaders: {} };

let loaded: LoadedConfig;
beforeAll(async () => {
  loaded = await loadSamples();
});

test('the files of all hosts are found, each taken for what it is', () => {
  expect(loaded.errors).toEqual([]);
  const found = loaded.sources.map(({ file, dialects, scope }) => [
    path.relative(samples, file).replaceAll('\\', '/'),
    dialects.join(),
    scope,
  ]);
  const editor = 'home/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings';
  expect(found).toEqual([
    ['project/.mcp.json', 'claude-code', 'project'],
    ['project/.vscode/mcp.json', 'vscode', 'project'],
    ['project/.cursor/mcp.json', 'cursor', 'project'],
    ['project/.codex/config.toml', 'codex', 'project'],
    ['project/.gemini/settings.json', 'gemini', 'project'],
    ['project/.github/mcp.json', 'copilot-cli', 'project'],
    ['project/opencode.jsonc', 'opencode', 'project'],
    ['project/.opencode/opencode.json', 'opencode,opencode-v2', 'project'],
    ['project/.roo/mcp.json', 'roo', 'project'],
    ['project/.zed/settings.json', 'zed', 'project'],
    ['project/.kiro/settings/mcp.json', 'kiro', 'project'],
    ['project/.factory/mcp.json', 'factory', 'project'],
    ['project/.amp/settings.json', 'amp', 'project'],
    ['project/crush.json', 'crush', 'project'],
    ['home/.claude.json', 'claude-code', 'user'],
    ['home/.copilot/mcp-config.json', 'copilot-cli', 'user'],
    [`${editor}/cline_mcp_settings.json`, 'cline', 'user'],
    ['home/.codeium/windsurf/mcp_config.json', 'windsurf', 'user'],
    ['home/.config/goose/config.yaml', 'goose', 'user'],
    ['home/.config/Claude/claude_desktop_config.json', 'claude-desktop', 'user'],
    ['home/.hermes/config.yaml', 'hermes', 'user'],
    ['home/.lmstudio/mcp.json', 'lm-studio', 'user'],
  ]);
});

describe('each host', () => {
  test.each<readonly [string, DialectId, object]>([
    [
      'github',
      'claude-code',
      {
        transport: {
          ...http,
          url: 'https://api.githubcopilot.com/mcp/',
          flavour: 'http',
          headers: { Authorization: 'Bearer ${GITHUB_TOKEN}' },
        },
        timeouts: { requestMs: 60_000 },
      },
    ],
    [
      'db',
      'claude-code',
      {
        transport: {
          ...stdio,
          command: 'npx',
          args: ['-y', '@example/postgres-mcp@1.4.2', '${DATABASE_URL:-postgres://localhost/dev}'],
          env: { PGAPPNAME: 'agent' },
        },
        extras: { alwaysLoad: true },
      },
    ],
    [
      'events',
      'claude-code',
      {
        transport: { ...http, url: 'https://events.example.com/sse', flavour: 'sse' },
        oauth: { clientId: 'abc', callbackPort: 8123, scopes: ['read', 'write'] },
        extras: { headersHelper: './print-headers.sh' },
      },
    ],
    [
      'files',
      'cursor',
      {
        transport: {
          ...stdio,
          command: 'node',
          args: ['${workspaceFolder}${/}tools/files.js', '--home', '${userHome}'],
          env: {},
          envFile: '${workspaceFolder}/.env',
        },
      },
    ],
    [
      'linear',
      'cursor',
      {
        transport: { ...http, url: 'https://mcp.linear.app/mcp', flavour: 'http' },
        oauth: {
          clientId: 'cursor-client',
          clientSecret: '${env:LINEAR_SECRET}',
          scopes: ['read'],
        },
      },
    ],
    [
      'perplexity',
      'vscode',
      {
        transport: {
          ...stdio,
          command: 'npx',
          args: ['-y', 'server-perplexity-ask@0.1.3'],
          env: { PERPLEXITY_API_KEY: '${input:perplexity-key}', RETRIES: '3' },
        },
        extras: { env: { NODE_OPTIONS: null }, dev: { watch: 'build/**/*.js' } },
      },
    ],
    [
      'docs',
      'vscode',
      {
        transport: { kind: 'http', url: 'https://docs.example.com/mcp', flavour: 'auto' },
        inputs: [
          {
            type: 'pickString',
            id: 'region',
            description: 'Region',
            options: ['eu', 'us'],
            default: 'eu',
          },
        ],
      },
    ],
    [
      'sidecar',
      'vscode',
      { transport: { kind: 'unix', path: '/run/sidecar.sock', httpPath: '/mcp', headers: {} } },
    ],
    [
      'windows',
      'vscode',
      { transport: { kind: 'unix', path: String.raw`\\.\pipe\mcp-server`, httpPath: '/' } },
    ],
    [
      'search',
      'codex',
      {
        transport: {
          ...stdio,
          command: 'search-mcp',
          args: ['--stdio'],
          env: { LOG: 'warn' },
          passEnv: ['SEARCH_KEY'],
        },
        timeouts: { startupMs: 20_000, requestMs: 90_500 },
        tools: { allow: ['find', 'open'], deny: ['open'] },
      },
    ],
    [
      'figma',
      'codex',
      {
        enabled: false,
        transport: {
          kind: 'http',
          url: 'https://mcp.figma.com/mcp',
          flavour: 'http',
          headers: { 'X-Figma-Region': 'us-east-1' },
          envHeaders: { 'X-Team': 'FIGMA_TEAM' },
          bearerTokenEnv: 'FIGMA_TOKEN',
        },
        oauth: { clientId: 'codex', scopes: ['file_read'] },
        extras: { default_tools_approval_mode: 'prompt' },
      },
    ],
    ['legacy-events', 'gemini', { transport: { flavour: 'sse' } }],
    [
      'modern',
      'gemini',
      {
        transport: { url: 'https://new.example.com/mcp', flavour: 'http' },
        timeouts: { requestMs: 30_000 },
        tools: { deny: ['drop_table'] },
      },
    ],
    [
      'python',
      'gemini',
      { transport: { cwd: './server' }, autoApprove: ['*'], tools: { allow: ['query'] } },
    ],
    ['cline-events', 'cline', { enabled: true, transport: { flavour: 'sse' } }],
    [
      'cline-http',
      'cline',
      {
        transport: { flavour: 'http' },
        timeouts: { requestMs: 30_000 },
        autoApprove: ['search'],
        extras: { metadata: { source: 'marketplace' } },
      },
    ],
    [
      'cline-nested',
      'cline',
      {
        enabled: false,
        transport: { ...stdio, command: 'node', args: ['a.js'], env: { A: 'b' } },
      },
    ],
    ['cline-legacy', 'cline', { transport: { flavour: 'http' } }],
    ['roo-events', 'roo', { enabled: false, transport: { flavour: 'sse' } }],
    ['roo-http', 'roo', { transport: { flavour: 'http' }, timeouts: { requestMs: 120_000 } }],
    [
      'roo-local',
      'roo',
      {
        autoApprove: ['read'],
        tools: { deny: ['write'] },
        extras: { watchPaths: ['server.js'] },
      },
    ],
    [
      'everything',
      'opencode',
      {
        enabled: true,
        timeouts: { requestMs: 8000 },
        transport: {
          ...stdio,
          command: 'npx',
          args: ['-y', '@modelcontextprotocol/server-everything@2025.9.12'],
          env: { MY_ENV_VAR: '{env:MY_SECRET}' },
        },
      },
    ],
    ['sentry', 'opencode', { oauth: false, transport: { flavour: 'auto' } }],
    ['context', 'opencode-v2', { timeouts: { startupMs: 5000, requestMs: 60_000 } }],
    ['archive', 'opencode-v2', { enabled: false, transport: { command: 'archive-mcp', args: [] } }],
    ['windsurf-remote', 'windsurf', { transport: { url: 'https://wind.example.com/mcp' } }],
    ['windsurf-local', 'windsurf', { enabled: false, tools: { deny: ['rm'] } }],
    [
      'goose-fetch',
      'goose',
      {
        enabled: true,
        timeouts: { requestMs: 300_000 },
        transport: {
          command: 'uvx',
          args: ['mcp-server-fetch==2025.4.7'],
          env: { LANG: 'C' },
          passEnv: ['FETCH_TOKEN'],
        },
      },
    ],
    [
      'goose-remote',
      'goose',
      {
        enabled: false,
        transport: { url: 'https://goose.example.com/mcp', flavour: 'http' },
        timeouts: { requestMs: 45_000 },
      },
    ],
    ['playwright', 'copilot-cli', { tools: {}, transport: { command: 'npx' } }],
    ['cloud', 'copilot-cli', { tools: { allow: ['search', 'fetch'] } }],
    [
      'copilot-user',
      'copilot-cli',
      { transport: { flavour: 'sse' }, timeouts: { requestMs: 5000 } },
    ],
    ['zed-local', 'zed', { transport: { command: 'zed-mcp', args: ['--fast'], env: { A: '1' } } }],
    ['zed-old', 'zed', { transport: { command: 'old-mcp', args: ['x'], env: { B: '2' } } }],
    ['zed-remote', 'zed', { enabled: false, transport: { headers: { 'X-A': 'b' } } }],
    ['filesystem', 'claude-desktop', { transport: { command: 'npx', env: { MODE: 'ro' } } }],
  ])('%s is what %s says', (name, dialect, expected) => {
    const entry = entryOf(loaded, name);
    expect(entry).toMatchObject(expected);
    expect(entry.provenance.dialect).toBe(dialect);
  });

  test('has servers only where it says so: built-in extensions are none', () => {
    const names = loaded.entries.map(({ name }) => name);
    expect(names).not.toContain('developer');
    expect(names).not.toContain('from-extension');
    expect(names).toEqual(names.toSorted());
  });
});

test('an entry knows which file it comes from and what it shadows', () => {
  const { provenance, shadows } = entryOf(loaded, 'github');
  expect(provenance.file).toBe(path.join(samples, 'project', '.mcp.json'));
  expect(provenance.pointer).toBe('/mcpServers/github');
  expect(shadows.map(({ dialect, scope }) => [dialect, scope])).toEqual([
    ['cursor', 'project'],
    ['claude-code', 'user'],
  ]);
  const [cursor, user] = shadows.map(({ file, pointer }) => `${file}#${pointer}`);
  const explained = explainConfig(loaded).find(({ name }) => name === 'github');
  expect(explained?.text).toBe(
    `github comes from ${provenance.file}#/mcpServers/github (Claude Code, project) and shadows ${cursor}, ${user}`,
  );
  expect(explained?.variables).toEqual([
    { scheme: 'env', name: 'GITHUB_TOKEN', pointer: '/mcpServers/github/headers/Authorization' },
  ]);
});

test('the draft of the standard is told by its shape', async () => {
  const { entries, errors, sources } = await loadConfig({ root: path.join(samples, 'sep-2633') });
  expect(errors).toEqual([]);
  expect(sources[0]?.dialects).toEqual(['sep-2633']);
  expect(entryOf({ entries }, 'weather')).toMatchObject({
    title: 'Weather',
    description: 'Forecasts for a place.',
    oauth: { clientId: 'w', scopes: ['forecast'], redirectUri: 'http://localhost:9/cb' },
  });
});

test.each<readonly [string, object, string]>([
  [
    '.cursor/mcp.json',
    { mcpServers: { a: { command: 'a', url: 'https://x' } } },
    '#/mcpServers/a: set either a command or a URL, not both',
  ],
  ['.cursor/mcp.json', { mcpServers: { a: {} } }, '#/mcpServers/a: needs a command or a URL'],
  [
    '.mcp.json',
    { mcpServers: { a: { type: 'ws', url: 'wss://x' } } },
    '#/mcpServers/a/type: must be one of stdio, http, streamable-http, sse',
  ],
  [
    'claude_desktop_config.json',
    { mcpServers: { a: { url: 'https://x' } } },
    '#/mcpServers/a/url: Claude Desktop starts programs and knows no URLs',
  ],
  [
    '.roo/mcp.json',
    { mcpServers: { a: { command: 'a', timeout: '60' } } },
    '#/mcpServers/a/timeout: must be a number, zero or more',
  ],
])('what a host would refuse is refused: %s %j', async (name, document, problem) => {
  expect(await problemsOf(document, { name })).toEqual([problem]);
});

test.each([
  ['comand = "x"', '/comand: unknown field `comand`'],
  ['url = "https://x"\nbearer_token = "x"', '/bearer_token: a token must not be in the file'],
  ['url = "https://x"\nargs = []', '/args: not for servers reached by http'],
  ['command = "a"\nurl = "https://x"', ': set either a command or a URL, not both'],
])('Codex is strict: %s', async (lines, problem) => {
  const problems = await problemsOf(`[mcp_servers.a]\n${lines}\n`, { name: 'config.toml' });
  expect(problems).toEqual([`#/mcp_servers/a${problem}`]);
});

test.each([
  [
    { type: 'stdio', command: 'a', oauth: {}, title: 't' },
    '/oauth: is not for servers with "type": "stdio"',
  ],
  [
    { type: 'streamable-http', url: 'https://x', oauth: {}, headers: { authorization: 'x' } },
    '/oauth: must not stand beside an Authorization header',
  ],
  [
    { type: 'stdio', command: 'a', title: 'x'.repeat(101) },
    '/title: must not be longer than 100 characters',
  ],
])('SEP-2633 is held to its rules: %j', async (server, problem) => {
  const problems = await problemsOf({ mcpServers: { a: server } });
  expect(problems).toEqual([`#/mcpServers/a${problem}`]);
});

test('a server that Gemini CLI is told elsewhere in its file not to use is switched off', async () => {
  await using folder = await temporaryFolder();
  const mcpServers = { a: { httpUrl: 'https://a' }, b: { url: 'https://b' }, c: { command: 'c' } };
  const enabledWith = async (mcp: object): Promise<readonly string[]> => {
    await folder.write('.gemini/settings.json', { mcp, mcpServers });
    const { entries } = await loadConfig({ root: folder.path });
    expect(entries.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
    return entries.filter(({ enabled }) => enabled).map(({ name }) => name);
  };
  expect(await enabledWith({})).toEqual(['a', 'b', 'c']);
  expect(await enabledWith({ excluded: ['b'] })).toEqual(['a', 'c']);
  expect(await enabledWith({ allowed: ['a', 'b'], excluded: ['b'] })).toEqual(['a']);
});

test('a dialect can be forced', async () => {
  await using folder = await temporaryFolder();
  const file = await folder.write('servers.json', { mcpServers: { a: { url: 'https://x' } } });
  const flavours = await Promise.all(
    (['cursor', 'gemini', 'cline', 'roo', 'windsurf', 'compat'] as const).map(async (dialect) => {
      const { entries } = await loadConfig({ root: folder.path, files: [file], dialect });
      const [entry] = entries;
      return [dialect, entry?.transport.kind === 'http' && entry.transport.flavour];
    }),
  );
  expect(flavours).toEqual([
    ['cursor', 'http'],
    ['gemini', 'sse'],
    ['cline', 'sse'],
    ['roo', 'sse'],
    ['windsurf', 'http'],
    ['compat', 'http'],
  ]);
});

test('a field that a host does not know is kept, and pointed out with the likely one', async () => {
  await using folder = await temporaryFolder();
  await folder.write('.cursor/mcp.json', {
    mcpServers: { a: { command: 'a', headrs: { A: 'b' } } },
  });
  const { entries, warnings } = await loadConfig({ root: folder.path });
  expect(entries[0]?.extras).toEqual({ headrs: { A: 'b' } });
  expect(warnings.map(({ pointer, message }) => [pointer, message])).toEqual([
    ['/mcpServers/a/headrs', 'Cursor has no field `headrs`. Did you mean headers?'],
  ]);
});

test.each<readonly [string, object, string, object]>([
  [
    'a URL without a type',
    { mcpServers: { a: { url: 'https://x' } } },
    'compat',
    { flavour: 'http' },
  ],
  [
    'the same where the host insists',
    { mcpServers: { a: { url: 'https://x' } } },
    'claude-code',
    { flavour: 'http' },
  ],
  [
    'mcp.json without a version',
    { servers: { a: { transport: 'stdio', argv: ['x'] } } },
    'mcp-kit',
    { command: 'x' },
  ],
  [
    'neither version nor transport',
    { servers: { a: { argv: ['x', 'y'] }, b: { url: 'https://x' } } },
    'mcp-kit',
    { args: ['y'] },
  ],
  [
    'httpUrl of another host',
    { mcpServers: { a: { httpUrl: 'https://x' } } },
    'compat',
    { url: 'https://x' },
  ],
])('what people write is understood: %s', async (...[, document, dialect, transport]) => {
  await using folder = await temporaryFolder();
  await folder.write(dialect === 'claude-code' ? '.mcp.json' : 'mcp.json', document);
  const { entries, errors } = await loadConfig({ root: folder.path });
  expect(errors).toEqual([]);
  expect(entries[0]).toMatchObject({ transport, provenance: { dialect } });
});
