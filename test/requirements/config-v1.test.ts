import { loadConfig } from '@mcp-kit/host';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { entryOf, problemsOf, samples, temporaryFolder } from './config-fixture.ts';

const server = (value: object): object => ({ version: 1, servers: { s: value } });
const stdio = (more: object = {}): object => ({ transport: 'stdio', argv: ['a'], ...more });
const unix = (more: object = {}): object => ({ transport: 'unix', unix_path: '/s', ...more });
const http = (more: object = {}): object => ({
  transport: 'streamable_http',
  url: 'https://x/mcp',
  ...more,
});
const invalid = 'invalid mcp server config (server=s): mcp server transport=';

describe('mcp.json version 1', () => {
  test('is read into the one model, with its client section', async () => {
    const loaded = await loadConfig({ root: path.join(samples, 'v1') });
    expect(loaded.errors).toEqual([]);
    expect(loaded.client).toEqual({
      file: path.join(samples, 'v1', 'mcp.json'),
      protocolVersion: '2025-06-18',
      capabilities: { elicitation: {} },
      roots: [{ uri: 'file:///repo', name: 'workspace' }],
    });
    expect(loaded.entries.map(({ name }) => name)).toEqual(['local', 'remote', 'sock', 'split']);
    expect(entryOf(loaded, 'local').transport).toEqual({
      kind: 'stdio',
      command: 'bin',
      args: ['--root', '${MCP_ROOT}'],
      env: { K: '${V}' },
      passEnv: [],
      inheritEnv: false,
      stdoutLog: { path: './.mcp-kit/logs/local.log', maxBytesPerPart: 1_048_576, maxParts: 32 },
    });
    expect(entryOf(loaded, 'sock').transport).toEqual({
      kind: 'unix',
      path: 'run/mcp.sock',
      headers: {},
    });
    expect(entryOf(loaded, 'remote').transport).toEqual({
      kind: 'http',
      url: 'https://x.example.com/mcp',
      flavour: 'http',
      headers: { 'X-Client': 'a' },
      envHeaders: { 'X-Api-Key': 'MCP_API_KEY' },
      bearerTokenEnv: 'MCP_TOKEN',
    });
    expect(entryOf(loaded, 'split').transport).toMatchObject({
      url: 'https://x.example.com/messages',
      streamUrl: 'https://x.example.com/events',
    });
  });

  test.each<readonly [unknown, string]>([
    [{ version: 2, servers: {} }, '#/version: unsupported mcp.json version 2 (expected 1)'],
    [{ version: 1, servers: {}, extra: 1 }, '#/extra: unknown field `extra`'],
    [{ version: 1, servers: [] }, '#/servers: must be an object, not a list'],
    [server({ ...stdio(), cwd: '/' }), '#/servers/s/cwd: unknown field `cwd`'],
    [{ version: 1, servers: { ' ': stdio() } }, '#/servers/ : server name must not be empty'],
    [
      { version: 1, servers: { 'a.b': stdio() } },
      '#/servers/a.b: invalid server name: a.b (allowed: [A-Za-z0-9_-]+)',
    ],
    [
      { version: 1, servers: { a: stdio(), ' a': stdio() } },
      '#/servers/ a: duplicate mcp server name after normalization: " a" -> a',
    ],
    [server({}), '#/servers/s: mcp server s: transport is required'],
    [
      server({ transport: 'tcp' }),
      '#/servers/s/transport: must be one of stdio, unix, streamable_http',
    ],
    [
      server(unix({ argv: ['a'] })),
      '#/servers/s/argv: mcp server s: argv is not allowed for transport=unix',
    ],
    [
      server(http({ argv: ['a'] })),
      '#/servers/s/argv: mcp server s: argv is not allowed for transport=streamable_http',
    ],
    [
      server(unix({ inherit_env: true })),
      '#/servers/s/inherit_env: mcp server s: inherit_env is only valid for transport=stdio',
    ],
    [
      server(stdio({ unix_path: '/s' })),
      '#/servers/s/unix_path: mcp server s: unix_path is only valid for transport=unix',
    ],
    [
      server({ transport: 'unix' }),
      '#/servers/s/unix_path: mcp server s: unix_path is required for transport=unix',
    ],
    [
      server(stdio({ http_url: 'https://x' })),
      '#/servers/s/http_url: mcp server s: url/sse_url/http_url are only valid for transport=streamable_http',
    ],
    [
      server(unix({ headers: {} })),
      '#/servers/s/headers: mcp server s: http headers/auth are only valid for transport=streamable_http',
    ],
    [
      server(unix({ env: {} })),
      '#/servers/s/env: mcp server s: env is not supported for transport=unix',
    ],
    [
      server(http({ env: {} })),
      '#/servers/s/env: mcp server s: env is not supported for transport=streamable_http',
    ],
    [
      server(unix({ stdout_log: { path: 'x' } })),
      '#/servers/s/stdout_log: mcp server s: stdout_log is not supported for transport=unix',
    ],
    [
      server(http({ stdout_log: { path: 'x' } })),
      '#/servers/s/stdout_log: mcp server s: stdout_log is not supported for transport=streamable_http',
    ],
    [
      server({ transport: 'streamable_http' }),
      '#/servers/s/url: mcp server s: url (or sse_url + http_url) is required for transport=streamable_http',
    ],
    [
      server(http({ sse_url: 'https://x' })),
      '#/servers/s/url: mcp server s: set either url or (sse_url + http_url), not both',
    ],
    [
      server({ transport: 'streamable_http', sse_url: 'https://x' }),
      '#/servers/s/sse_url: mcp server s: sse_url and http_url must both be set',
    ],
    [server(stdio({ argv: [] })), `#/servers/s/argv: ${invalid}stdio: argv must not be empty`],
    [
      server(stdio({ argv: ['a', ' '] })),
      `#/servers/s/argv/1: ${invalid}stdio: argv[1] must not be empty`,
    ],
    [
      server(stdio({ env: { '': 'a' } })),
      `#/servers/s/env/: ${invalid}stdio: env key must not be empty`,
    ],
    [
      server(stdio({ env: { A: '' } })),
      `#/servers/s/env/A: ${invalid}stdio: env[A] must not be empty`,
    ],
    [server(stdio({ env: { A: 1 } })), '#/servers/s/env/A: must be a text, not a number'],
    [
      server(http({ url: ' ' })),
      `#/servers/s/url: ${invalid}streamable_http: url must not be empty`,
    ],
    [
      server({ transport: 'streamable_http', sse_url: '', http_url: 'https://x' }),
      `#/servers/s/sse_url: ${invalid}streamable_http: sse_url must not be empty`,
    ],
    [
      server({ transport: 'streamable_http', sse_url: 'https://x', http_url: '' }),
      `#/servers/s/http_url: ${invalid}streamable_http: http_url must not be empty`,
    ],
    [
      server(http({ bearer_token_env_var: '' })),
      `#/servers/s/bearer_token_env_var: ${invalid}streamable_http: bearer_token_env_var must not be empty`,
    ],
    [
      server(http({ http_headers: { '': 'a' } })),
      `#/servers/s/http_headers/: ${invalid}streamable_http: http_headers key must not be empty`,
    ],
    [
      server(http({ headers: { A: '' } })),
      `#/servers/s/headers/A: ${invalid}streamable_http: http_headers[A] must not be empty`,
    ],
    [
      server(http({ env_http_headers: { '': 'a' } })),
      `#/servers/s/env_http_headers/: ${invalid}streamable_http: env_http_headers key must not be empty`,
    ],
    [
      server(http({ env_http_headers: { A: '' } })),
      `#/servers/s/env_http_headers/A: ${invalid}streamable_http: env_http_headers[A] must not be empty`,
    ],
    [
      server(stdio({ stdout_log: { path: '' } })),
      '#/servers/s/stdout_log/path: invalid mcp server config (server=s): mcp stdout_log.path must not be empty',
    ],
    [
      server(stdio({ stdout_log: { path: 'x', size: 1 } })),
      '#/servers/s/stdout_log/size: unknown field `size`',
    ],
    [
      { version: 1, servers: {}, client: { protocol_version: '' } },
      '#/client/protocol_version: invalid mcp.json client config: mcp client.protocol_version must not be empty',
    ],
    [
      { version: 1, servers: {}, client: { capabilities: [] } },
      '#/client/capabilities: invalid mcp.json client config: mcp client capabilities must be a JSON object',
    ],
    [
      { version: 1, servers: {}, client: { roots: [{ uri: 'file:///a' }, { uri: '' }] } },
      '#/client/roots/1/uri: invalid mcp.json client config: mcp client.roots[1].uri must not be empty',
    ],
    [
      { version: 1, servers: {}, client: { roots: [{ uri: 'file:///a', name: '' }] } },
      '#/client/roots/0/name: invalid mcp.json client config: mcp client.roots[0].name must not be empty',
    ],
    [{ version: 1, servers: {}, client: { name: 'x' } }, '#/client/name: unknown field `name`'],
    [
      { version: 1, servers: {}, client: { roots: [{ uri: 'file:///a', x: 1 }] } },
      '#/client/roots/0/x: unknown field `x`',
    ],
  ])('refuses %j', async (document, problem) => {
    expect(await problemsOf(document)).toEqual([problem]);
  });

  test('is refused as a whole: a file with one wrong server has none', async () => {
    await using folder = await temporaryFolder();
    await folder.write('.mcp.json', { version: 1, servers: { a: stdio(), b: {} } });
    const { entries, errors } = await loadConfig({ root: folder.path });
    expect(entries).toEqual([]);
    expect(errors).toHaveLength(1);
  });

  test('trims names', async () => {
    await using folder = await temporaryFolder();
    await folder.write('mcp.json', { version: 1, servers: { ' a ': stdio() } });
    const { entries } = await loadConfig({ root: folder.path });
    expect(entries.map(({ name }) => name)).toEqual(['a']);
  });
});
