import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { inspect } from 'node:util';
import { createManager, loadConfig } from '@mcp-kit/host';
import { expect, test } from 'vitest';

const secret = 'canary-secret-31fe';

/** How a server fails whose user trusts it, and has the secret in a variable. */
async function failureOf(entry: object): Promise<unknown> {
  const root = mkdtempSync(path.join(os.tmpdir(), 'mcp-shown-'));
  try {
    writeFileSync(path.join(root, '.mcp.json'), JSON.stringify({ mcpServers: { failing: entry } }));
    const { entries } = await loadConfig({ root });
    const quiet = { toolCache: false, reconnect: false, receipts: false } as const;
    const env = { SECRET: secret };
    await using manager = createManager({ entries, root, env, trust: 'trusted', ...quiet });
    return await manager
      .server('failing')
      .connect()
      .then(
        () => undefined,
        (error: unknown) => error,
      );
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

test.each([
  ['an argument of a program', { command: 'sh', args: ['-c', 'exit 3', '${SECRET}'] }],
  ['an argument of no program', { command: 'no-such-program', args: ['${SECRET}', '${SECRET}'] }],
  ['a variable', { command: 'no-such-program', env: { KEY: '${SECRET}' } }],
  ['what should be a URL', { type: 'http', url: 'https:${SECRET} x' }],
  ['another kind of URL', { type: 'http', url: 'ftp://127.0.0.1/${SECRET}' }],
  ['the query of a URL', { type: 'http', url: 'http://127.0.0.1:9/?key=${SECRET}' }],
  ['the user of a URL', { type: 'http', url: 'http://${SECRET}@127.0.0.1:9/' }],
  ['a header', { type: 'http', url: 'http://127.0.0.1:9/', headers: { 'X-Key': '${SECRET}' } }],
  ['a bad header', { type: 'http', url: 'http://127.0.0.1:9/', headers: { X: '\n${SECRET}' } }],
])('a failure does not tell the value of a variable in %s', async (_, entry) => {
  const error = await failureOf(entry);
  expect(error).toBeInstanceOf(Error);
  expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(secret);
});
