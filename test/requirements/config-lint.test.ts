import { lintConfig, loadConfig } from '@mcp-kit/host';
import type { ConfigFinding } from '@mcp-kit/host/internal';
import { describe, expect, test } from 'vitest';
import { loadSamples, temporaryFolder } from './config-fixture.ts';

/** What is found in one file, as rule, place and advice. */
async function findingsIn(name: string, document: unknown): Promise<readonly ConfigFinding[]> {
  await using folder = await temporaryFolder();
  const file = await folder.write(name, document);
  return lintConfig(await loadConfig({ root: folder.path, files: [file] }));
}

const servers = (server: object): object => ({ mcpServers: { s: server } });

describe('what is risky or likely not meant is found, with its place and a fix', () => {
  test.each<readonly [string, unknown, Partial<ConfigFinding>]>([
    [
      '.mcp.json',
      servers({ command: 'npx', args: ['-y', '@scope/server'] }),
      {
        rule: 'unpinned-package',
        severity: 'advice',
        pointer: '/mcpServers/s/args/1',
        fix: 'Name a version, as in @scope/server@1.2.3.',
      },
    ],
    [
      '.mcp.json',
      servers({ command: 'uvx', args: ['server@latest'] }),
      { rule: 'unpinned-package', fix: 'Name a version, as in server@1.2.3.' },
    ],
    [
      'opencode.json',
      { mcp: { s: { type: 'local', command: ['pnpm', 'dlx', 'server'] } } },
      { rule: 'unpinned-package', pointer: '/mcp/s/command/2' },
    ],
    [
      '.mcp.json',
      servers({ type: 'http', url: 'example.com/mcp' }),
      { rule: 'unusable-url', severity: 'error', pointer: '/mcpServers/s/url' },
    ],
    [
      '.mcp.json',
      servers({ type: 'http', url: 'ws://example.com/mcp' }),
      { rule: 'unusable-url', fix: 'Write it in full, beginning with https:// or http://.' },
    ],
    [
      '.mcp.json',
      servers({ type: 'http', url: 'https://a.example/mcp', headers: { Accept: 'text/html' } }),
      { rule: 'reserved-header', severity: 'error', pointer: '/mcpServers/s/headers/Accept' },
    ],
    ['.mcp.json', { mcpServers: {} }, { rule: 'empty-file', severity: 'warning', pointer: '' }],
    ['.mcp.json', '{}', { rule: 'empty-file', fix: 'Name a server in it, or remove it.' }],
    ['.mcp.json', ' \n', { rule: 'empty-file' }],
    ['config.toml', '', { rule: 'empty-file' }],
    [
      '.cursor/mcp.json',
      servers({ command: 'a', env: { API_KEY: 'hunter2hunter2' } }),
      {
        rule: 'plaintext-secret',
        severity: 'error',
        pointer: '/mcpServers/s/env/API_KEY',
        fix: 'Keep it in the environment, and write ${env:NAME} here.',
      },
    ],
    [
      '.cursor/mcp.json',
      servers({ command: 'a', args: ['--auth', 'ghp_hunter2hunter2'] }),
      { rule: 'plaintext-secret', pointer: '/mcpServers/s/args/1' },
    ],
    [
      '.cursor/mcp.json',
      servers({ url: 'https://x.example.com/mcp?api_key=hunter2' }),
      { rule: 'plaintext-secret', pointer: '/mcpServers/s/url' },
    ],
    [
      'config.toml',
      '[mcp_servers.s]\nurl = "https://x"\nhttp_headers = { Authorization = "Bearer hunter2" }\n',
      {
        rule: 'plaintext-secret',
        pointer: '/mcp_servers/s/http_headers/Authorization',
        fix: 'Keep it in the environment, and name the variable here.',
      },
    ],
    [
      '.cursor/mcp.json',
      servers({ url: 'http://x.example.com/mcp' }),
      { rule: 'plain-http', pointer: '/mcpServers/s/url', fix: 'Use https.' },
    ],
    [
      '.gemini/settings.json',
      servers({ url: 'https://x.example.com/mcp' }),
      { rule: 'missing-type', pointer: '/mcpServers/s/url' },
    ],
    [
      '.roo/mcp.json',
      servers({ command: 'a', timeout: 60_000 }),
      {
        rule: 'timeout-unit',
        pointer: '/mcpServers/s/timeout',
        message: 'Roo Code counts seconds here: this is 60000 s',
      },
    ],
    [
      '.mcp.json',
      servers({ command: 'a', timeout: 60 }),
      { rule: 'timeout-unit', message: 'Claude Code counts milliseconds here: this is 0.06 s' },
    ],
    [
      '.cursor/mcp.json',
      servers({ command: 'a', env: { A: '${HOME}' } }),
      { rule: 'unknown-reference', pointer: '/mcpServers/s/env/A', fix: 'Write ${env:NAME}.' },
    ],
    [
      'claude_desktop_config.json',
      servers({ command: 'a', env: { A: '${HOME}' } }),
      {
        rule: 'unknown-reference',
        message: 'Claude Desktop does not know this reference: it is used as it stands',
      },
    ],
    [
      '.mcp.json',
      servers({ command: 'node server.js' }),
      { rule: 'command-line', fix: 'Move the arguments to args.' },
    ],
    ['.mcp.json', servers({ command: '/bin/sh', args: ['-c', 'x'] }), { rule: 'shell' }],
    [
      '.gemini/settings.json',
      servers({ command: 'a', trust: true }),
      { rule: 'approves-all', pointer: '/mcpServers/s/trust' },
    ],
    [
      'mcp.json',
      { version: 1, servers: { s: { transport: 'stdio', argv: ['a'], inherit_env: true } } },
      { rule: 'inherits-environment', pointer: '/servers/s/inherit_env' },
    ],
    [
      '.cursor/mcp.json',
      { mcpServers: { 'my server': { command: 'a' } } },
      { rule: 'name', pointer: '/mcpServers/my server', fix: 'Call it my_server.' },
    ],
    [
      '.cursor/mcp.json',
      servers({ command: 'a', comand: 'b' }),
      { rule: 'suspicious', pointer: '/mcpServers/s/comand' },
    ],
    [
      '.mcp.json',
      servers({ url: 'https://x' }),
      {
        rule: 'suspicious',
        severity: 'warning',
        pointer: '/mcpServers/s',
        message: 'Claude Code needs a `type` beside a URL: add "type": "http"',
      },
    ],
  ])('%s %j', async (name, document, expected) => {
    const findings = await findingsIn(name, document);
    expect(findings).toEqual([expect.objectContaining(expected)]);
    expect(JSON.stringify(findings)).not.toContain('hunter2');
  });
});

test.each([
  servers({ command: 'npx', args: ['-y', '@scope/server@1.2.3'] }),
  servers({ command: 'uvx', args: ['server==1.2.3'] }),
  servers({ command: 'npx', args: ['./local-server'] }),
  servers({ command: '/opt/my programs/server' }),
  servers({ command: 'a', env: { API_KEY: '${env:API_KEY}', TOKEN_COUNT: '4' } }),
  servers({ url: 'http://localhost:3000/mcp' }),
  servers({ url: 'http://127.0.0.1:3000/mcp' }),
])('nothing is found in %j', async (document) => {
  expect(await findingsIn('.cursor/mcp.json', document)).toEqual([]);
});

test.each([
  '***',
  'Bearer ***',
  '<your-api-token>',
  'Bearer <redacted>',
  '[REDACTED]',
  'Basic [redacted]',
  '••••••••••••',
  'sk-xxxxxxxxxxxxxxxxxxxx',
  'sk-...',
  'YOUR_API_KEY_HERE',
  'changeme',
  '{{ github_token }}',
  'Bearer ${GITHUB_TOKEN}',
  '%GITHUB_TOKEN%',
])('a mask or a place to fill in is no secret: %s', async (text) => {
  const remote = { url: 'https://x.example.com/mcp', headers: { Authorization: text } };
  for (const [name, server] of [
    ['.cursor/mcp.json', { command: 'a', env: { API_KEY: text }, args: [`--api-key=${text}`] }],
    ['claude_desktop_config.json', { command: 'a', env: { API_KEY: text } }],
    ['.zed/settings.json', remote],
    ['.cursor/mcp.json', remote],
    ['.cursor/mcp.json', { url: 'https://x.example.com/mcp?api_key=<key>' }],
    ['.cursor/mcp.json', { url: 'https://user:***@x.example.com/mcp' }],
  ] as const) {
    const key = name.startsWith('.zed') ? 'context_servers' : 'mcpServers';
    const findings = await findingsIn(name, { [key]: { s: server } });
    const rules = findings.map(({ rule }) => rule);
    expect([name, rules]).toEqual([name, expect.not.arrayContaining(['plaintext-secret'])]);
  }
});

test.each([
  'pa*sw0rd-hunter',
  'hunter2<hunter2',
  'https://hunter2hunter2@x.test/?a=***',
  'ghp_hunter2hunter2...',
  'xxhunter2hunter2xx',
])('a secret with a bit of a mask in it is one: %s', async (text) => {
  const findings = await findingsIn(
    '.cursor/mcp.json',
    servers({ command: 'a', env: { API_KEY: text } }),
  );
  expect(findings.map(({ rule }) => rule)).toEqual(['plaintext-secret']);
});

test('the samples have what they are known to have', async () => {
  const findings = lintConfig(await loadSamples());
  expect(findings.map(({ rule, server }) => [rule, server])).toEqual([
    ['missing-type', 'cline-events'],
    ['missing-type', 'legacy-events'],
    ['approves-all', 'python'],
    ['missing-type', 'roo-events'],
  ]);
});
