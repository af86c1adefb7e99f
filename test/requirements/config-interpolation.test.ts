import path from 'node:path';
import { KitError } from 'mcp-kit/internal';
import { loadConfig, type DialectId, type ServerEntry } from '@mcp-kit/host';
import {
  interpolate,
  variablesOf,
  readEnvFile,
  type InterpolationContext,
} from '@mcp-kit/host/internal';
import { describe, expect, test } from 'vitest';
import { entryOf, loadSamples, samples, temporaryFolder } from './config-fixture.ts';

const context: InterpolationContext = {
  env: { A: 'alpha', EMPTY: '', TOKEN: 't0' },
  workspaceFolder: '/repo/project',
  userHome: '/home/me',
  platform: 'linux',
};

const servers = (server: object): object => ({ mcpServers: { s: server } });
const files: Readonly<Partial<Record<DialectId, readonly [string, (arg: string) => unknown]>>> = {
  'mcp-kit': [
    'mcp.json',
    (arg) => ({ version: 1, servers: { s: { transport: 'stdio', argv: ['x', arg] } } }),
  ],
  vscode: ['.vscode/mcp.json', (arg) => ({ servers: { s: { command: 'x', args: [arg] } } })],
  codex: ['.codex/config.toml', (arg) => `[mcp_servers.s]\ncommand = "x"\nargs = ['${arg}']\n`],
  opencode: ['opencode.json', (arg) => ({ mcp: { s: { type: 'local', command: ['x', arg] } } })],
  goose: [
    'goose/config.yaml',
    (arg) => ({ extensions: { s: { type: 'stdio', cmd: 'x', args: [arg] } } }),
  ],
  zed: ['.zed/settings.json', (arg) => ({ context_servers: { s: { command: 'x', args: [arg] } } })],
  'sep-2633': [
    'mcp.json',
    (arg) => servers({ type: 'stdio', title: 'S', command: 'x', args: [arg] }),
  ],
  'claude-code': ['.mcp.json', (arg) => servers({ command: 'x', args: [arg] })],
  cursor: ['.cursor/mcp.json', (arg) => servers({ command: 'x', args: [arg] })],
  gemini: ['.gemini/settings.json', (arg) => servers({ command: 'x', args: [arg] })],
  cline: ['cline_mcp_settings.json', (arg) => servers({ command: 'x', args: [arg] })],
  roo: ['.roo/mcp.json', (arg) => servers({ command: 'x', args: [arg] })],
  windsurf: ['.codeium/windsurf/mcp_config.json', (arg) => servers({ command: 'x', args: [arg] })],
  'copilot-cli': ['.github/mcp.json', (arg) => servers({ command: 'x', args: [arg] })],
  'claude-desktop': ['claude_desktop_config.json', (arg) => servers({ command: 'x', args: [arg] })],
  compat: ['servers.json', (arg) => servers({ command: 'x', args: [arg] })],
};

/** A server of that host with one argument. */
async function serverOf(dialect: DialectId, argument: string): Promise<ServerEntry> {
  await using folder = await temporaryFolder();
  const [name, document] = files[dialect] ?? ['', () => ({})];
  const file = await folder.write(name, document(argument));
  const loaded = await loadConfig({ root: folder.path, files: [file] });
  expect(loaded.errors).toEqual([]);
  const entry = entryOf(loaded, 's');
  expect(entry.provenance.dialect).toBe(dialect);
  return entry;
}

function argumentOf({ transport }: ServerEntry): string | undefined {
  return transport.kind === 'stdio' ? transport.args[0] : undefined;
}

describe('a reference', () => {
  test.each<readonly [DialectId, string, string]>([
    ['mcp-kit', 'a ${A} ${MCP_ROOT} ${CLAUDE_PLUGIN_ROOT}', 'a alpha /repo/project /repo/project'],
    ['mcp-kit', '$A {env:A} %A%', '$A {env:A} %A%'],
    [
      'claude-code',
      '${A}-${NONE:-d e}-${EMPTY:-x}-${CLAUDE_PROJECT_DIR}',
      'alpha-d e--/repo/project',
    ],
    ['copilot-cli', '${A} ${NONE:-d}', 'alpha d'],
    ['compat', '${A} ${env:A} $env:A ${NONE:-d}', 'alpha alpha alpha d'],
    [
      'cursor',
      '${env:A} ${userHome} ${workspaceFolder} ${workspaceFolderBasename} ${pathSeparator}${/}',
      `alpha /home/me /repo/project project ${path.sep}${path.sep}`,
    ],
    ['vscode', '${env:A} ${userHome} ${workspaceFolder}', 'alpha /home/me /repo/project'],
    ['gemini', '$A ${A} [$NONE] %A%', 'alpha alpha [] %A%'],
    ['goose', '$A ${A}', 'alpha alpha'],
    ['cline', '${env:A}', 'alpha'],
    ['roo', '${env:A} ${workspaceFolder}', 'alpha /repo/project'],
    ['windsurf', '${env:A}', 'alpha'],
    ['opencode', '{env:A} $A', 'alpha $A'],
    ['sep-2633', '${env:A} ${env:NONE | value:b c} ${value:lit}', 'alpha b c lit'],
    ['codex', '${A} $A', '${A} $A'],
    ['zed', '${A}', '${A}'],
    ['claude-desktop', '${A}', '${A}'],
  ])('of %s is resolved as the host does: %s', async (dialect, argument, expected) => {
    const { entry } = interpolate(await serverOf(dialect, argument), context);
    expect(argumentOf(entry)).toBe(expected);
  });

  test('of Gemini may have the form of Windows, on Windows', async () => {
    const entry = await serverOf('gemini', '%A%');
    expect(argumentOf(interpolate(entry, { ...context, platform: 'win32' }).entry)).toBe('alpha');
  });

  test.each<readonly [DialectId, string, string]>([
    ['mcp-kit', '${NONE}', '#/servers/s/argv/1: mcp server s: read env var: NONE'],
    ['mcp-kit', '${A', '#/servers/s/argv/1: mcp server s: unterminated placeholder (missing `}`)'],
    ['mcp-kit', '${a b}', '#/servers/s/argv/1: mcp server s: invalid placeholder name: a b'],
    ['claude-code', 'x${NONE}', '#/mcpServers/s/args/0: mcp server s: read env var: NONE'],
    ['cursor', '${NONE}', '#/mcpServers/s/args/0: mcp server s: invalid placeholder name: NONE'],
    ['vscode', '${input:pin}', '#/servers/s/args/0: mcp server s: no value for the input pin'],
    ['opencode', '{env:NONE}', '#/mcp/s/command/1: mcp server s: read env var: NONE'],
    ['sep-2633', '${op://v/i}', '#/mcpServers/s/args/0: mcp server s: cannot resolve ${op://v/i}'],
    ['goose', '$NONE', '#/extensions/s/args/0: mcp server s: read env var: NONE'],
  ])(
    'of %s that leads nowhere is an error that names it: %s',
    async (dialect, argument, message) => {
      const entry = await serverOf(dialect, argument);
      const { file } = entry.provenance;
      let error: unknown;
      try {
        interpolate(entry, context);
      } catch (thrown) {
        error = thrown;
      }
      expect(error).toBeInstanceOf(KitError);
      expect((error as KitError).message).toBe(file + message);
      expect((error as KitError).details).toEqual({
        file,
        pointer: message.slice(1, message.indexOf(':')),
      });
    },
  );

  test('in another host’s form gets a hint', async () => {
    const entry = await serverOf('cursor', '${A}');
    expect(() => interpolate(entry, context)).toThrow(
      expect.objectContaining({
        hint: 'This host refers to variables in another way: ${env:NAME}.',
      }),
    );
  });

  test('that is not set is empty in Gemini, with a warning', async () => {
    const { warnings } = interpolate(await serverOf('gemini', '$NONE'), context);
    expect(warnings.map(({ pointer, message }) => [pointer, message])).toEqual([
      ['/mcpServers/s/args/0', '$NONE is not set: empty, as in the host'],
    ]);
  });

  test('to another scheme is looked up by the caller', async () => {
    const entry = await serverOf('sep-2633', '${op://v/i} ${input:pin}');
    const { entry: resolved } = interpolate(entry, {
      ...context,
      inputs: { pin: '1234' },
      lookUp: (scheme, name) => `<${scheme} ${name}>`,
    });
    expect(argumentOf(resolved)).toBe('<op //v/i> 1234');
  });

  test('to a question is its answer, else its default', async () => {
    const docs = entryOf(await loadSamples(), 'docs');
    const headers = (inputs: Record<string, string>): unknown =>
      interpolate(docs, { ...context, inputs }).entry.transport;
    expect(headers({})).toMatchObject({ headers: { 'X-Region': 'eu' } });
    expect(headers({ region: 'us' })).toMatchObject({ headers: { 'X-Region': 'us' } });
  });

  test('to a name that every object has is no variable', async () => {
    const entry = await serverOf('claude-code', '${constructor}');
    expect(() => interpolate(entry, context)).toThrow('read env var: constructor');
  });
});

describe('a server of version 1', () => {
  const load = () => loadConfig({ root: path.join(samples, 'v1') });

  test('gets its tokens from the environment, and paths below the root', async () => {
    const loaded = await load();
    const env = { MCP_TOKEN: 't', MCP_API_KEY: 'k', V: 'v' };
    const remote = interpolate(entryOf(loaded, 'remote'), { ...context, env });
    expect(remote.entry.transport).toEqual({
      kind: 'http',
      url: 'https://x.example.com/mcp',
      flavour: 'http',
      headers: { 'X-Client': 'a', 'X-Api-Key': 'k', Authorization: 'Bearer t' },
      envHeaders: {},
    });
    const sock = interpolate(entryOf(loaded, 'sock'), context);
    expect(sock.entry.transport).toMatchObject({
      path: path.resolve('/repo/project/run/mcp.sock'),
    });
    const local = interpolate(entryOf(loaded, 'local'), { ...context, env });
    expect(local.entry.transport).toMatchObject({
      args: ['--root', '/repo/project'],
      env: { K: 'v' },
    });
  });

  test('says which variable a token is missing from', async () => {
    const remote = entryOf(await load(), 'remote');
    expect(() => interpolate(remote, context)).toThrow(
      /#\/servers\/remote\/env_http_headers\/X-Api-Key: mcp server remote: read env var: MCP_API_KEY$/,
    );
    const env = { MCP_API_KEY: 'k' };
    expect(() => interpolate(remote, { ...context, env })).toThrow(
      /#\/servers\/remote\/bearer_token_env_var: mcp server remote: read env var: MCP_TOKEN$/,
    );
  });

  test('can be asked what it needs before anything is resolved', async () => {
    const loaded = await load();
    expect(variablesOf(entryOf(loaded, 'remote'))).toEqual([
      {
        scheme: 'env',
        name: 'MCP_TOKEN',
        pointer: '/servers/remote/bearer_token_env_var',
      },
      {
        scheme: 'env',
        name: 'MCP_API_KEY',
        pointer: '/servers/remote/env_http_headers/X-Api-Key',
      },
    ]);
    expect(variablesOf(entryOf(loaded, 'local')).map(({ name }) => name)).toEqual(['V']);
  });
});

test('variables that are handed on are those that are set', async () => {
  const search = entryOf(await loadSamples(), 'search');
  const set = interpolate(search, { ...context, env: { SEARCH_KEY: 'k' } }).entry;
  expect(set.transport).toMatchObject({ env: { SEARCH_KEY: 'k', LOG: 'warn' }, passEnv: [] });
  expect(interpolate(search, context).entry.transport).toMatchObject({ env: { LOG: 'warn' } });
});

test('a file of variables is read when asked for', async () => {
  await using folder = await temporaryFolder();
  const file = await folder.write('.env', '# comment\nA=1\nB="two words"\n');
  expect(await readEnvFile(file)).toEqual({ A: '1', B: 'two words' });
  await expect(readEnvFile(`${file}.none`)).rejects.toThrow('there is no such file of variables');
});
