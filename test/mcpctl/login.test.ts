import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { browse, type AuthorizationServer } from '../auth/authorization-server.mjs';
import { withServers } from '../auth/fixture.ts';
import type { GuardedServer } from '../auth/guarded-server.ts';
import type { Child } from '../support/child-process.ts';
import { announcementOf, initialize, requireBuild } from '../support/cli.ts';
import { send, type Message } from '../support/http-client.ts';
import { modern } from '../support/mcp-http.ts';
import { Project, type Finished } from '../support/project.ts';

beforeAll(requireBuild);

/** The file of a project with one server, which its user has approved or not. */
function projectWith(url: string, more: object = {}): Project {
  const notes = { transport: 'streamable_http', url, ...more };
  return new Project({ 'mcp.json': { version: 1, servers: { notes } } }, { TOKEN: 'x' });
}

/** Runs `login --no-browser`: opens the address elsewhere, and pastes the one that the browser ends up at. */
async function logIn(project: Project, ...args: readonly string[]): Promise<Finished> {
  await using child = project.start('login', '--no-browser', ...args);
  const page = await child.until(
    () => /^Open this address in a browser: (\S+)\n/m.exec(child.stderr)?.[1],
  );
  const back = await browse(new URL(page));
  child.process.stdin.end(`${back.href}\n`);
  const { code } = await child.ended;
  return { code, stdout: child.stdout, stderr: child.stderr };
}

interface Kept {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly expiresAt: number;
}

const fileOf = ({ home }: Project): string =>
  path.join(home, '.local/state/mcp-kit/credentials.json');

async function keptFor(project: Project, url: string): Promise<Kept | undefined> {
  const text = await readFile(fileOf(project), 'utf8');
  const { entries } = JSON.parse(text) as { entries: Record<string, Kept> };
  return entries[`server ${url}`];
}

const readNotes = ['call', 'notes', 'read', '--json'] as const;

async function approved(project: Project): Promise<void> {
  const { code, stderr } = await project.run('trust', 'approve', 'notes', '--yes');
  expect([code, stderr]).toEqual([0, expect.any(String)]);
}

function withProject(
  run: (given: {
    readonly project: Project;
    readonly as: AuthorizationServer;
    readonly server: GuardedServer;
  }) => Promise<void>,
  options: Parameters<typeof withServers>[1] = {},
): Promise<void> {
  return withServers(async ({ as, server }) => {
    using project = projectWith(server.url);
    await run({ project, as, server });
  }, options);
}

describe('somebody who has approved a server', () => {
  test('logs in by pasting an address, calls, stays logged in when the token ends, and logs out', () =>
    withProject(
      async ({ project, as, server }) => {
        await approved(project);
        const seen: string[] = [];
        const run = async (...args: string[]): Promise<Finished> => {
          const finished = await project.run(...args);
          seen.push(finished.stdout, finished.stderr);
          return finished;
        };
        const before = await run(...readNotes);
        expect(before.code).toBe(3);
        expect(before.stderr).toContain('Run: mcpctl login notes');
        expect(JSON.parse(before.stdout)).toMatchObject({
          error: { code: 'unauthorized', hint: 'Run: mcpctl login notes' },
        });

        const login = await logIn(project, 'notes');
        seen.push(login.stdout, login.stderr);
        expect(login.code).toBe(0);
        expect(login.stdout).toContain('logged in to notes');
        expect(login.stdout).toContain(as.issuer);
        expect(login.stdout).toContain(`${fileOf(project)}, which only you can read`);
        expect((await stat(fileOf(project))).mode & 0o777).toBe(0o600);
        const kept = await keptFor(project, server.url);
        // What is renewed lasts, whichever call it is that comes too late for the first token.
        as.state.lifeSeconds = 3600;

        const call = await run(...readNotes);
        expect([call.code, call.stdout]).toEqual([0, expect.stringContaining('read was called')]);
        const waitMs = Number(kept?.expiresAt) - Date.now();
        await new Promise((resolve) => setTimeout(resolve, Math.max(0, waitMs)));
        expect((await run(...readNotes)).code).toBe(0);
        expect(as.counts).toMatchObject({ authorization_code: 1, refresh_token: 1 });
        const renewed = await keptFor(project, server.url);
        expect(renewed?.accessToken).not.toBe(kept?.accessToken);

        const who = await run('whoami', 'notes', '--json');
        expect(JSON.parse(who.stdout)).toMatchObject({
          server: 'notes',
          login: { issuer: as.issuer, renewable: true, place: expect.any(String) as string },
        });
        expect((await run('whoami')).stdout).toMatch(/^notes .*http/m);

        expect((await run('logout', 'notes')).stdout).toBe('logged out of notes\n');
        expect(await keptFor(project, server.url)).toBeUndefined();
        expect(as.paths).toContain('POST /token/revocation');
        expect((await run('whoami', 'notes')).code).toBe(1);
        expect((await run('logout', 'notes')).stdout).toBe('not logged in to notes\n');
        expect((await run(...readNotes)).code).toBe(3);
        const secrets = [kept, renewed].flatMap((one) => [one?.accessToken, one?.refreshToken]);
        expect(secrets.every((secret) => (secret ?? '').length > 20)).toBe(true);
        for (const secret of secrets) expect(seen.join('\n')).not.toContain(secret);
      },
      { lifeSeconds: 4 },
    ));

  test('is told the scopes that a call wants beside those that were granted', () =>
    withProject(async ({ project, server }) => {
      await approved(project);
      expect((await logIn(project, 'notes')).code).toBe(0);
      server.writeScopes = ['write'];
      const refused = await project.run('call', 'notes', 'write');
      expect(refused.code).toBe(3);
      expect(refused.stderr).toContain('Run: mcpctl login notes --scope write');
      expect((await logIn(project, 'notes', '--scope', 'write')).code).toBe(0);
      expect((await project.run('call', 'notes', 'write')).code).toBe(0);
    }));

  test('is told by doctor what stands between them and the server', () =>
    withProject(async ({ project, as }) => {
      await approved(project);
      const first = await project.run('doctor', 'notes', '--json');
      const { rungs } = JSON.parse(first.stdout) as { rungs: { name: string; state: string }[] };
      expect(rungs.map(({ name, state }) => `${name} ${state}`).join(', ')).toContain(
        'http ok, auth ok, resource ok, issuer ok, client ok, login failed, version skipped',
      );
      expect(first.stdout).toContain(as.issuer);
      expect(first.stdout).toContain('Run: mcpctl login notes');
      await logIn(project, 'notes');
      const second = await project.run('doctor', 'notes');
      expect(second.code).toBe(0);
      expect(second.stdout).toMatch(/ok +login +logged in for .*read.*the token is good/);
      expect(second.stdout).toMatch(/ok +tools +2 tools/);
    }));
});

test('a server that is not trusted is shown no token, although there is one for its address', () =>
  withProject(async ({ project, server }) => {
    await approved(project);
    await logIn(project, 'notes');
    await project.run('trust', 'revoke', 'notes');
    const before = server.tokens.length;
    const loosened = ['--allow-http', '--allow-localhost'];
    const call = await project.run(...readNotes, ...loosened);
    expect(call.code).toBe(3);
    expect(call.stderr).toContain('mcpctl trust approve notes, then mcpctl login notes');
    const login = await project.run('login', 'notes', '--no-browser', ...loosened);
    expect(login.code).toBe(3);
    expect(login.stderr).toContain('refusing to log in in untrusted mode: notes');
    const doctor = await project.run('doctor', 'notes', ...loosened);
    expect(doctor.stdout).toMatch(/FAILED +login +it is not trusted, and is shown nothing/);
    expect(server.tokens.slice(before).filter((token) => token !== undefined)).toEqual([]);
    expect((await project.run('logout', 'notes')).stdout).toBe('logged out of notes\n');
  }));

describe('the clients of a bridge', () => {
  const auth = { authorization: 'Bearer of-the-client' };

  /** Calls `read` at a bridge over HTTP, with a token that is meant for the bridge. */
  async function readAt(url: string): Promise<Message> {
    const call = modern('tools/call', { name: 'read', arguments: {} }, { headers: auth });
    return (await send(url, call)).message;
  }

  async function urlOf(bridge: Child): Promise<string> {
    return (await announcementOf(bridge)).url;
  }

  test('are let in by the login of its user, before and after it was renewed, and not by tokens of their own', () =>
    withProject(
      async ({ project, as, server }) => {
        await approved(project);
        await using bridge = project.start('bridge', 'notes', '--json', '--http', ':0');
        const url = await urlOf(bridge);
        const { error } = await readAt(url);
        expect(error).toMatchObject({
          code: -32_603,
          data: { code: 'unauthorized', retryable: false, hint: 'Run: mcpctl login notes' },
        });
        expect((await logIn(project, 'notes')).code).toBe(0);
        const kept = await keptFor(project, server.url);
        as.state.lifeSeconds = 3600;
        expect((await readAt(url)).result).toMatchObject({
          content: [{ text: 'read was called' }],
        });
        const waitMs = Number(kept?.expiresAt) - Date.now();
        await new Promise((resolve) => setTimeout(resolve, Math.max(0, waitMs)));
        expect((await readAt(url)).result).toMatchObject({
          content: [{ text: 'read was called' }],
        });
        expect(as.counts).toMatchObject({ authorization_code: 1, refresh_token: 1 });
        expect(server.tokens).toContain(kept?.accessToken);
        expect(server.tokens).not.toContain('of-the-client');
        expect(bridge.stderr).not.toContain(kept?.accessToken ?? '');
      },
      { lifeSeconds: 10 },
    ));

  test('reach a server in no file by the login for its address, over standard input and output', () =>
    withServers(async ({ server }) => {
      using project = new Project();
      expect((await logIn(project, '--url', server.url)).code).toBe(0);
      await using bridge = project.start('bridge', server.url);
      bridge.send(initialize());
      expect(await bridge.answer('init')).toMatchObject({
        result: { serverInfo: { name: 'guarded' } },
      });
      bridge.send({ method: 'notifications/initialized' });
      bridge.send({ id: 2, method: 'tools/call', params: { name: 'read', arguments: {} } });
      expect(await bridge.answer(2)).toMatchObject({
        result: { content: [{ text: 'read was called' }] },
      });
    }));
});

test('a server in no file is logged in to by its address', () =>
  withServers(async ({ server }) => {
    using project = new Project();
    const at = ['--url', server.url];
    const before = await project.run('call', 'read', ...at);
    expect(before.code).toBe(3);
    expect(before.stderr).toContain(`Run: mcpctl login --url ${server.url}`);
    expect((await logIn(project, ...at)).code).toBe(0);
    expect((await project.run('call', 'read', ...at)).stdout).toContain('read was called');
    expect((await project.run('logout', ...at)).code).toBe(0);
  }));

test('nobody logs in where the entry says what to send, or says not to', () =>
  withServers(async ({ server }) => {
    for (const more of [
      { http_headers: { Authorization: 'Bearer x' } },
      { bearer_token_env_var: 'TOKEN' },
    ]) {
      using project = projectWith(server.url, more);
      await approved(project);
      const { code, stderr } = await project.run('login', 'notes', '--no-browser');
      expect([code, stderr]).toEqual([2, expect.stringContaining('says what to send')]);
    }
    using project = new Project();
    const { code } = await project.run('login', '--no-browser', '--', process.execPath);
    expect(code).toBe(2);
  }));
