import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { openSession, type Session } from 'mcp-kit/client';
import { httpTarget } from 'mcp-kit/transport/http-client';
import { beforeAll, expect, test } from 'vitest';
import { startAuthorizationServer } from '../auth/authorization-server.mjs';
import { startGuardedServer, whoami } from '../auth/guarded-server.ts';
import { logIn } from '../gateway/login-stage.ts';
import { announcementOf, requireBuild } from '../support/cli.ts';
import { Project, trusting } from '../support/project.ts';

beforeAll(requireBuild);

test('mcpctl up has each who has a key log in with their own account, says so, and keeps tokens out of what it says', async () => {
  const as = await startAuthorizationServer();
  await using server = await startGuardedServer(as.issuer, { tools: [whoami] });
  const notes = { transport: 'streamable_http', url: server.url };
  const gateway = { servers: { notes: { login: 'principal' } } };
  using place = new Project({ 'mcp.json': { version: 1, servers: { notes }, gateway } });
  try {
    const keyOf = async (name: string): Promise<string> => {
      const made = await place.run('serve', '--api-keys', 'keys.json', '--new-api-key', name);
      return /mcpk_\S+/.exec(made.stdout + made.stderr)?.[0] ?? '';
    };
    const keys = { ann: await keyOf('ann'), ben: await keyOf('ben') };
    const options = ['--config', 'mcp.json', '--api-keys', 'keys.json', '--log-level', 'debug'];
    await using child = place.start('up', '--port', '0', '--json', ...options, ...trusting);
    const { url } = await announcementOf<{ url: string }>(child);
    const client = (key: string): Promise<Session> =>
      openSession(httpTarget(url, { headers: { authorization: `Bearer ${key}` } }));
    await using ann = await client(keys.ann);
    await using ben = await client(keys.ben);
    const said = async (session: Session): Promise<string> =>
      JSON.stringify((await session.callTool('notes__whoami')).content);

    const address = /http:[^ ]+login\?id=[\w-]+/.exec(await said(ann))?.[0] ?? '';
    expect(address.startsWith(url.replace('/mcp', '/login?id='))).toBe(true);
    const waiting = await place.run('ps');
    expect(waiting.stdout).toContain('notes: nobody has logged in to it yet');
    expect(waiting.stdout).toContain('notes: logins that are waited for: 1');
    expect(await logIn(address, 'ann1')).toBe(200);
    expect(await said(ann)).toContain('ann1');
    expect(await said(ben)).toContain('has to log in');
    const shown = async (): Promise<string> => (await place.run('ps')).stdout;
    await expect.poll(shown, { timeout: 60_000 }).not.toContain('nobody has logged in');

    const file = path.join(place.home, '.local/state/mcp-kit/credentials.json');
    const { entries } = JSON.parse(await readFile(file, 'utf8')) as { entries: object };
    expect(Object.keys(entries).filter((name) => name.startsWith('server'))).toEqual([
      `server ${server.url} key ann`,
    ]);
    const used = server.tokens.filter((token) => token !== undefined);
    expect(used.length).toBeGreaterThan(0);
    for (const secret of [...used, keys.ann, keys.ben]) {
      expect(child.stdout + child.stderr).not.toContain(secret);
    }
    expect(used.some((token) => token.startsWith('mcpk_'))).toBe(false);
  } finally {
    await as.close();
  }
});
