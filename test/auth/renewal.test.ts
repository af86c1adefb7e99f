import { afterEach, expect, test, vi } from 'vitest';
import type { Authorizer } from 'mcp-kit/auth';
import {
  authorizerFor,
  fileIn,
  keptIn,
  ownFolder,
  person,
  sessionWith,
  withServers,
} from './fixture.ts';

afterEach(() => {
  vi.useRealTimers();
});

test('a token that ends is renewed before the call, and the refresh token is replaced', () =>
  withServers(
    async ({ as, server }) => {
      await using folder = await ownFolder();
      const store = await fileIn(folder.path);
      const auth = authorizerFor(server, { store, interact: person() });
      await using session = await sessionWith(server, auth);
      await session.callTool('read', {});
      const before = await keptIn(folder.path, `server ${server.url}`);
      const refused = server.refused;
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 });
      await session.callTool('read', {});
      const after = await keptIn(folder.path, `server ${server.url}`);
      expect(as.counts['refresh_token']).toBe(1);
      expect(as.counts['authorization_code']).toBe(1);
      expect(after['refreshToken']).not.toBe(before['refreshToken']);
      expect(server.refused).toBe(refused);
      expect(as.tokenRequests.at(-1)?.['resource']).toBe(server.url);
    },
    { lifeSeconds: 60 },
  ));

test('a token that the server no longer takes is renewed, once for all calls under way', () =>
  withServers(async ({ as, server }) => {
    const auth = authorizerFor(server, { interact: person() });
    await using session = await sessionWith(server, auth);
    await session.callTool('read', {});
    server.revoked.add(String(server.tokens.at(-1)));
    await Promise.all(Array.from({ length: 20 }, () => session.callTool('read', {})));
    expect(as.counts['refresh_token']).toBe(1);
    expect(as.counts['authorization_code']).toBe(1);
  }));

test('when all that was granted has ended, the person logs in again', () =>
  withServers(async ({ as, server }) => {
    await using folder = await ownFolder();
    const alice = person();
    const auth = authorizerFor(server, { store: await fileIn(folder.path), interact: alice });
    await using session = await sessionWith(server, auth);
    await session.callTool('read', {});
    const { refreshToken } = await keptIn(folder.path, `server ${server.url}`);
    await as.revokeGrants(String(refreshToken));
    server.revoked.add(String(server.tokens.at(-1)));
    await session.callTool('read', {});
    expect(alice.visits).toHaveLength(2);
    expect(as.counts['authorization_code']).toBe(2);
  }));

test('a refresh token that somebody else has used up is read again from where it is kept', () =>
  withServers(async ({ as, server }) => {
    await using folder = await ownFolder();
    const store = await fileIn(folder.path);
    const ours = authorizerFor(server, { store, interact: person() });
    await ours.login();
    const name = `server ${server.url}`;
    const old = await store.read(name);
    await using session = await sessionWith(server, ours);
    await session.callTool('read', {});
    server.revoked.add(String(server.tokens.at(-1)));
    await session.callTool('read', {});
    const fresh = await store.read(name);
    // Another process still has what was there before, and reads what is there now only after the issuer said no.
    let reads = 0;
    const late = {
      ...store,
      read: (key: string) => (reads++ < 2 ? Promise.resolve(old) : store.read(key)),
    };
    const theirs = authorizerFor(server, { store: late });
    await using other = await sessionWith(server, theirs);
    await other.callTool('read', {});
    expect(as.counts['authorization_code']).toBe(1);
    expect(await store.read(name)).toEqual(fresh);
  }));

test('keys that the issuer replaces cost a renewal and nothing else', () =>
  withServers(async ({ as, server }) => {
    const auth = authorizerFor(server, { interact: person() });
    await using session = await sessionWith(server, auth);
    await session.callTool('read', {});
    as.rotateKeys();
    await session.callTool('read', {});
    expect(as.counts).toMatchObject({ refresh_token: 1, authorization_code: 1 });
  }));

test('a token for another server is not asked for again and again', () =>
  withServers(async ({ as, server }) => {
    as.state.audience = 'https://another.example/mcp';
    const alice = person();
    const auth = authorizerFor(server, { interact: alice });
    await expect(sessionWith(server, auth)).rejects.toMatchObject({
      code: 'unauthorized',
      message: expect.stringContaining('has just issued') as string,
    });
    expect(alice.visits).toHaveLength(1);
    expect(as.counts['refresh_token']).toBeLessThanOrEqual(1);
  }));

test('a call that needs more asks the person for that and for all from before', () =>
  withServers(async ({ as, server }) => {
    server.writeScopes = ['write'];
    const alice = person();
    const auth = authorizerFor(server, { interact: alice });
    await using session = await sessionWith(server, auth);
    await session.callTool('read', {});
    await session.callTool('write', {});
    expect(alice.visits.map((url) => url.searchParams.get('scope'))).toEqual([
      'read offline_access',
      'read offline_access write',
    ]);
    expect((await auth.whoami())?.scopes).toEqual(expect.arrayContaining(['read', 'write']));
    expect(as.counts['authorization_code']).toBe(2);
  }));

test('what is never enough is asked for once', () =>
  withServers(async ({ server }) => {
    server.writeScopes = ['admin'];
    const alice = person();
    const auth = authorizerFor(server, { interact: alice });
    await using session = await sessionWith(server, auth);
    for (let tries = 0; tries < 3; tries += 1) {
      await expect(session.callTool('write', {})).rejects.toMatchObject({ code: 'unauthorized' });
    }
    expect(alice.visits).toHaveLength(2);
  }));

test('a client that its issuer has forgotten is registered anew', () =>
  withServers(async ({ as, server }) => {
    await using folder = await ownFolder();
    const first = authorizerFor(server, { store: await fileIn(folder.path), interact: person() });
    const { clientId } = await first.login();
    as.forgetClient(clientId);
    server.revoked.add(String((await keptIn(folder.path, `server ${server.url}`))['accessToken']));
    const second = authorizerFor(server, { store: await fileIn(folder.path), interact: person() });
    await using session = await sessionWith(server, second);
    await session.callTool('read', {});
    const after = await second.whoami();
    expect(after?.clientId).not.toBe(clientId);
    // Also when nothing but the registration is left.
    as.forgetClient(String(after?.clientId));
    await second.logout();
    const third = authorizerFor(server, { store: await fileIn(folder.path), interact: person() });
    expect((await third.login()).clientId).not.toBe(after?.clientId);
  }));

test('a program that is let in by itself gets another token when its own ends', () =>
  withServers(
    async ({ as, server }) => {
      const auth = authorizerFor(server, {
        grant: { kind: 'client-credentials' },
        client: { id: 'robot', secret: 'a secret with: and %' },
      });
      await using session = await sessionWith(server, auth);
      await session.callTool('read', {});
      const { refused } = server;
      await new Promise((resolve) => setTimeout(resolve, 2100));
      await Promise.all([session.callTool('read', {}), session.callTool('read', {})]);
      expect(as.counts['client_credentials']).toBe(2);
      expect(server.refused).toBe(refused);
    },
    {
      lifeSeconds: 2,
      clients: [
        {
          client_id: 'robot',
          client_secret: 'a secret with: and %',
          redirect_uris: [],
          response_types: [],
          grant_types: ['client_credentials'],
        },
      ],
    },
  ));

test('a stream that is refused does not send anybody to a browser', () =>
  withServers(async ({ server }) => {
    const alice = person();
    const auth = authorizerFor(server, { interact: alice });
    await auth.login();
    const sent = { authorization: `Bearer ${await tokenOf(auth, server.url)}` };
    const challenge = { status: 401, url: server.url, wwwAuthenticate: 'Bearer', sent };
    expect(await auth.challenged({ ...challenge, method: 'GET' })).toBe('retry');
    const again = { authorization: `Bearer ${await tokenOf(auth, server.url)}` };
    expect(again).not.toEqual(sent);
    await expect(
      auth.challenged({ ...challenge, method: 'GET', sent: again }),
    ).rejects.toMatchObject({ code: 'unauthorized' });
    expect(alice.visits).toHaveLength(1);
  }));

test('a person who says no is not asked again at once, unless they want to', () =>
  withServers(async ({ server }) => {
    let visits = 0;
    const refusing = {
      begin: () => ({
        redirectUri: 'http://127.0.0.1:1/callback',
        visit: (url: URL) => {
          visits += 1;
          const state = url.searchParams.get('state') ?? '';
          const back = new URLSearchParams({ error: 'access_denied', state, iss: server.issuer });
          return Promise.resolve(new URL(`http://127.0.0.1:1/callback?${String(back)}`));
        },
        close() {},
      }),
    };
    const auth = authorizerFor(server, { interact: refusing });
    for (let tries = 0; tries < 3; tries += 1) {
      await expect(sessionWith(server, auth)).rejects.toMatchObject({
        code: 'unauthorized',
        message: expect.stringContaining('access_denied') as string,
      });
    }
    expect(visits).toBe(1);
    await expect(auth.login()).rejects.toMatchObject({ code: 'unauthorized' });
    expect(visits).toBe(2);
  }));

async function tokenOf(auth: Authorizer, url: string): Promise<string> {
  const { authorization = '' } = await auth.headers({ method: 'GET', url });
  return authorization.slice('Bearer '.length);
}
