import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { openSession, type Session } from 'mcp-kit/client';
import { httpTarget } from 'mcp-kit/transport/http-client';
import { beforeAll, expect, test } from 'vitest';
import {
  startAuthorizationServer,
  type AuthorizationServer,
} from '../auth/authorization-server.mjs';
import { startGuardedServer, whoami, type GuardedServer } from '../auth/guarded-server.ts';
import { logIn } from '../gateway/login-stage.ts';
import { announcementOf, requireBuild } from '../support/cli.ts';
import { Project, trusting, type Finished } from '../support/project.ts';

beforeAll(requireBuild);

/** A gateway before a server where each who has a key logs in with their own account. */
interface Stage {
  readonly place: Project;
  readonly server: GuardedServer;
  readonly as: AuthorizationServer;
  readonly url: string;
  /** What the gateway has said. */
  readonly said: () => string;
  readonly keys: Readonly<Record<'ann' | 'ben', string>>;
  /** What a call of theirs says. */
  readonly ask: Readonly<Record<'ann' | 'ben', () => Promise<string>>>;
}

async function withGateway(run: (stage: Stage) => Promise<void>): Promise<void> {
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
    const asking = (session: Session) => async (): Promise<string> =>
      JSON.stringify((await session.callTool('notes__whoami')).content);
    const ask = { ann: asking(ann), ben: asking(ben) };
    const said = (): string => child.stdout + child.stderr;
    await run({ place, server, as, url, said, keys, ask });
  } finally {
    await as.close();
  }
}

const pageIn = (text: string): string => /http:[^ ]+login\?id=[\w-]+/.exec(text)?.[0] ?? '';

test('who is logged in through a gateway is shown without tokens, and one of them can be logged out while it runs', () =>
  withGateway(async ({ place, server, as, ask }) => {
    const seen: string[] = [];
    const run = async (...args: string[]): Promise<Finished> => {
      const finished = await place.run(...args, '--config', 'mcp.json', ...trusting);
      seen.push(finished.stdout, finished.stderr);
      return finished;
    };
    expect((await run('whoami', 'notes')).code).toBe(1);
    expect(await logIn(pageIn(await ask.ann()), 'ann1')).toBe(200);
    expect(await logIn(pageIn(await ask.ben()), 'ben1')).toBe(200);
    expect([await ask.ann(), await ask.ben()]).toEqual([
      expect.stringContaining('ann1'),
      expect.stringContaining('ben1'),
    ]);

    const login = expect.objectContaining({ issuer: as.issuer, renewable: true }) as object;
    const both = ['key ann', 'key ben'].map((principal) => ({ principal, login }));
    const standing = { server: 'notes', login: null, principals: both };
    const one = await run('whoami', 'notes', '--json');
    expect([one.code, JSON.parse(one.stdout)]).toEqual([0, standing]);
    expect(JSON.parse((await run('whoami', '--json')).stdout)).toEqual({ servers: [standing] });
    expect((await run('whoami')).stdout).toMatch(/^notes +key ann .*\n.*^notes +key ben /ms);
    const annOnly = await run('whoami', 'notes', '--principal', 'key ann', '--json');
    expect(JSON.parse(annOnly.stdout)).toEqual({ server: 'notes', principal: 'key ann', login });

    const wrong = await run('logout', 'notes', '--principal', 'ann');
    expect([wrong.code, wrong.stdout]).toEqual([0, 'not logged in to notes: ann\n']);
    expect(wrong.stderr).toContain('Logged in there: key ann, key ben');
    const out = await run('logout', 'notes', '--principal', 'key ann', '--json');
    expect(JSON.parse(out.stdout)).toEqual({
      server: 'notes',
      principal: 'key ann',
      wasLoggedIn: true,
    });
    expect(as.paths).toContain('POST /token/revocation');
    // The server itself would still take the token.
    expect(await ask.ann()).toContain('has to log in');
    expect(await ask.ben()).toContain('ben1');
    expect((await run('whoami', 'notes', '--principal', 'key ann')).code).toBe(1);
    const tokens = server.tokens.filter((token) => token !== undefined);
    expect(tokens.length).toBeGreaterThan(0);
    for (const token of tokens) expect(seen.join('\n')).not.toContain(token);
  }));

test('mcpctl up has each who has a key log in with their own account, says so, and keeps tokens out of what it says', () =>
  withGateway(async ({ place, server, url, said, keys, ask }) => {
    const address = pageIn(await ask.ann());
    expect(address.startsWith(url.replace('/mcp', '/login?id='))).toBe(true);
    const waiting = await place.run('ps');
    expect(waiting.stdout).toContain('notes: nobody has logged in to it yet');
    expect(waiting.stdout).toContain('notes: logins that are waited for: 1');
    expect(await logIn(address, 'ann1')).toBe(200);
    expect(await ask.ann()).toContain('ann1');
    expect(await ask.ben()).toContain('has to log in');
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
      expect(said()).not.toContain(secret);
    }
    expect(used.some((token) => token.startsWith('mcpk_'))).toBe(false);
  }));
