import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { loadConfig, type EgressPolicy, type ServerEntry } from '@mcp-kit/host';
import { untrustedRules, customChannelRefusal } from '@mcp-kit/host/internal';
import { expect, test } from 'vitest';

/** The entry that a file of a repository makes of these fields. */
async function entryOf(fields: object, text?: string): Promise<ServerEntry> {
  const root = await mkdtemp(path.join(tmpdir(), 'mcp-kit-rules-'));
  try {
    const whole = text ?? JSON.stringify({ mcpServers: { docs: fields } });
    await writeFile(path.join(root, '.mcp.json'), whole);
    const { entries, errors } = await loadConfig({ root });
    const [entry] = entries;
    if (entry === undefined) throw new Error(errors.map(({ message }) => message).join());
    return entry;
  } finally {
    await rm(root, { recursive: true });
  }
}

async function refusals(fields: object, policy?: Partial<EgressPolicy>): Promise<string[]> {
  return untrustedRules(await entryOf(fields), policy).map(({ message }) => message);
}

/** As `mcp.json` v1 has it. */
async function refusalsOfV1(fields: object): Promise<string[]> {
  const text = JSON.stringify({ version: 1, servers: { docs: fields } });
  return untrustedRules(await entryOf({}, text)).map(({ message }) => message);
}

test('a program is not started', async () => {
  expect(await refusals({ command: 'sh', args: ['-c', 'evil'] })).toEqual([
    'refusing to spawn mcp server in untrusted mode: docs',
  ]);
});

test('a unix socket is not connected to', async () => {
  expect(await refusalsOfV1({ transport: 'unix', unix_path: '/run/docker.sock' })).toEqual([
    'refusing to connect unix mcp server in untrusted mode: docs',
  ]);
});

test('a public server over https may be used', async () => {
  const headers = { 'X-Team': 'docs' };
  expect(await refusals({ type: 'http', url: 'https://example.com/mcp', headers })).toEqual([]);
});

test.each([
  ['https://u:p@example.com/mcp', 'use url credentials in untrusted mode: docs field=url'],
  [
    'http://example.com/mcp',
    'connect non-https streamable http url in untrusted mode: docs url=http://example.com/…',
  ],
  [
    'https://localhost/mcp',
    'connect localhost/local/single-label domain in untrusted mode: docs host=localhost',
  ],
  ['https://10.0.0.1/mcp', 'connect non-global ip in untrusted mode: docs ip=10.0.0.1'],
  [
    'https://169.254.169.254/latest',
    'connect non-global ip in untrusted mode: docs ip=169.254.169.254',
  ],
])('%s is refused', async (url, reason) => {
  expect(await refusals({ type: 'http', url })).toEqual([`refusing to ${reason}`]);
});

test('each address of a server counts, and is named as its file names it', async () => {
  const [first, second] = await refusalsOfV1({
    transport: 'streamable_http',
    http_url: 'http://example.com/post',
    sse_url: 'https://u:p@example.com/events',
  });
  expect(first).toContain('http_url=http://example.com/…');
  expect(second).toMatch(/ field=sse_url$/);
});

test.each(['Authorization', 'authorization', 'Proxy-Authorization', 'COOKIE'])(
  'the header %s is not sent',
  async (header) => {
    const headers = { [header]: 'secret-1', 'X-Other': 'a' };
    const list = await refusals({ type: 'http', url: 'https://example.com', headers });
    expect(list).toEqual([
      `refusing to send sensitive http header in untrusted mode: docs header=${header}`,
    ]);
  },
);

test('nothing is read from the environment', async () => {
  const list = await refusalsOfV1({
    transport: 'streamable_http',
    url: 'https://example.com/mcp',
    bearer_token_env_var: 'GITHUB_TOKEN',
    env_http_headers: { 'X-Key': 'AWS_SECRET' },
  });
  expect(list).toEqual([
    'refusing to read bearer token env var in untrusted mode: docs env=GITHUB_TOKEN',
    'refusing to read http header env vars in untrusted mode: docs headers=X-Key',
  ]);
});

test('variables are not resolved', async () => {
  const headers = { 'X-Key': '${AWS_SECRET}' };
  const url = 'https://example.com/${GITHUB_TOKEN}';
  expect(await refusals({ type: 'http', url, headers })).toEqual([
    'refusing to resolve variables in untrusted mode: docs names=GITHUB_TOKEN,AWS_SECRET',
  ]);
});

test('nobody is told where the project is, which says who the user is and what they work on', async () => {
  for (const url of ['https://example.com/${CLAUDE_PROJECT_DIR}', 'https://example.com/']) {
    const headers = { 'X-Where': '${CLAUDE_PROJECT_DIR:-}', 'X-Root': '${CLAUDE_PLUGIN_ROOT}' };
    expect(await refusals({ type: 'http', url, headers })).toEqual([
      expect.stringMatching(/^refusing to resolve variables .*names=.*workspaceFolder/),
    ]);
  }
});

test('everything that is wrong is said at once, and how to go on', async () => {
  const entry = await entryOf({
    type: 'http',
    url: 'http://u:p@10.0.0.1/?key=secret-1',
    headers: { Cookie: 'secret-2' },
  });
  const found = untrustedRules(entry);
  expect(found).toHaveLength(2);
  for (const { code, message, hint } of found) {
    expect(code).toBe('refused_by_policy');
    expect(message + hint).not.toContain('secret');
    expect(hint).toContain('mcpctl trust approve docs');
  }
});

test('a policy loosens what it says', async () => {
  const fields = { type: 'http', url: 'http://127.0.0.1:3000/mcp' };
  expect(await refusals(fields, { requireHttps: false, allowLocalhost: true })).toEqual([]);
  expect(await refusals({ command: 'x' }, { allowLocalhost: true })).toHaveLength(1);
});

test('a channel that the caller brings is refused in the same way', () => {
  expect(customChannelRefusal('IO', 'docs').message).toBe(
    'refusing to attach custom IO in untrusted mode: docs',
  );
  expect(customChannelRefusal('JSON-RPC client', 'docs').code).toBe('refused_by_policy');
});
