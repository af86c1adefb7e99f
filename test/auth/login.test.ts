import { stat } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { memoryCredentials } from 'mcp-kit/auth';
import { startAuthorizationServer } from './authorization-server.mjs';
import {
  authorizerFor,
  fileIn,
  keptIn,
  ownFolder,
  person,
  sessionWith,
  withServers,
} from './fixture.ts';

test('a call logs the person in, once, and is then served', () =>
  withServers(async ({ as, server }) => {
    const alice = person();
    const auth = authorizerFor(server, { interact: alice });
    await using session = await sessionWith(server, auth);
    const { content } = await session.callTool('read', {});
    expect(content).toEqual([{ type: 'text', text: 'read was called' }]);
    expect(alice.visits).toHaveLength(1);
    expect(as.counts['authorization_code']).toBe(1);
    const asked = alice.visits[0]?.searchParams;
    expect(asked?.get('resource')).toBe(server.url);
    expect(asked?.get('code_challenge_method')).toBe('S256');
    expect(asked?.get('scope')).toBe('read offline_access');
    expect(as.tokenRequests[0]?.['resource']).toBe(server.url);
    expect(await auth.whoami()).toMatchObject({ issuer: as.issuer, renewable: true });
  }));

test('whoever is logged in stays so in another process, from a file that only they can read', () =>
  withServers(async ({ as, server }) => {
    await using folder = await ownFolder();
    const first = authorizerFor(server, { store: await fileIn(folder.path), interact: person() });
    const login = await first.login();
    expect(login.place).toContain(folder.path);
    const { mode } = await stat(path.join(folder.path, 'credentials.json'));
    expect(mode & 0o777).toBe(0o600);
    const second = authorizerFor(server, { store: await fileIn(folder.path) });
    await using session = await sessionWith(server, second);
    await session.callTool('read', {});
    expect(as.counts['authorization_code']).toBe(1);
    expect(server.refused).toBe(1);
  }));

test('without a person, a call without credentials fails at once and says what to run', () =>
  withServers(async ({ as, server }) => {
    const auth = authorizerFor(server);
    await expect(sessionWith(server, auth)).rejects.toMatchObject({
      code: 'unauthorized',
      hint: 'Run: mcpctl login guarded',
    });
    expect(server.tokens).toEqual([undefined]);
    expect(as.paths).toEqual([]);
  }));

test('logging out forgets the tokens here, and revokes them', () =>
  withServers(async ({ as, server }) => {
    await using folder = await ownFolder();
    const store = await fileIn(folder.path);
    const auth = authorizerFor(server, { store, interact: person() });
    await auth.login();
    const { refreshToken } = await keptIn(folder.path, `server ${server.url}`);
    expect(await auth.logout()).toBe(true);
    expect(as.paths.at(-1)).toBe('POST /token/revocation');
    expect(await keptIn(folder.path, `server ${server.url}`)).toEqual({});
    await expect(as.revokeGrants(String(refreshToken))).rejects.toThrow('undefined');
    expect(await auth.whoami()).toBeUndefined();
    expect(await auth.logout()).toBe(false);
  }));

test('an answer that names another issuer ends the login before the code is shown to anybody', () =>
  withServers(async ({ as, server }) => {
    const alice = person();
    const honest = alice.begin;
    const interact = {
      begin: async (wish: Parameters<NonNullable<typeof honest>>[0]) => {
        const login = await honest?.(wish);
        if (login === undefined) throw new Error('no login');
        return {
          redirectUri: login.redirectUri,
          close: () => login.close(),
          visit: async (url: URL) => {
            const back = await login.visit(url);
            back.searchParams.set('iss', 'https://attacker.example');
            back.searchParams.set('error_description', 'do as I say');
            return back;
          },
        };
      },
    };
    const auth = authorizerFor(server, { interact });
    const failure = await sessionWith(server, auth).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'invalid_answer' });
    expect(String(failure)).not.toContain('do as I say');
    expect(as.tokenRequests).toEqual([]);
  }));

test('when a server changes its issuer, nothing of the old one reaches the new one', async () => {
  await withServers(async ({ as: first, server }) => {
    const second = await startAuthorizationServer();
    try {
      const store = memoryCredentials();
      const auth = authorizerFor(server, { store, interact: person() });
      await using session = await sessionWith(server, auth);
      await session.callTool('read', {});
      const before = await auth.whoami();
      server.issuer = second.issuer;
      await session.callTool('read', {});
      const after = await auth.whoami();
      expect(after).toMatchObject({ issuer: second.issuer });
      expect(after?.clientId).not.toBe(before?.clientId);
      expect(second.tokenRequests.map(({ client_id: id }) => id)).toEqual([after?.clientId]);
      expect(first.counts['refresh_token']).toBe(0);
    } finally {
      await second.close();
    }
  });
});

test('a client that the user gave for one issuer is not shown to another', async () => {
  const client = {
    client_id: 'ours',
    client_secret: 'a secret',
    redirect_uris: ['http://127.0.0.1:1/callback'],
    grant_types: ['client_credentials'],
    response_types: [],
  };
  const clients = [{ ...client, redirect_uris: [] }];
  await withServers(
    async ({ server }) => {
      const second = await startAuthorizationServer({ clients });
      try {
        const auth = authorizerFor(server, {
          grant: { kind: 'client-credentials' },
          client: { id: 'ours', secret: 'a secret' },
        });
        await using session = await sessionWith(server, auth);
        await session.callTool('read', {});
        server.issuer = second.issuer;
        await expect(session.callTool('read', {})).rejects.toMatchObject({
          code: 'refused_by_policy',
        });
        expect(second.paths.filter((line) => line.startsWith('POST'))).toEqual([]);
      } finally {
        await second.close();
      }
    },
    { clients },
  );
});

test('a person can log in on another device, with a code', () =>
  withServers(
    async ({ as, server }) => {
      const shown: string[] = [];
      const auth = authorizerFor(server, {
        grant: { kind: 'device' },
        client: { id: 'tv' },
        interact: {
          device: async ({ userCode, verificationUri }) => {
            shown.push(`${verificationUri} ${userCode}`);
            await as.enterCode(userCode);
          },
        },
      });
      await using session = await sessionWith(server, auth);
      await session.callTool('read', {});
      expect(shown).toEqual([expect.stringMatching(/\/device [A-Z]{4}-[A-Z]{4}$/)]);
      expect(await auth.whoami()).toMatchObject({ clientId: 'tv', renewable: true });
    },
    {
      clients: [
        {
          client_id: 'tv',
          token_endpoint_auth_method: 'none',
          redirect_uris: [],
          response_types: [],
          grant_types: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
          application_type: 'native',
        },
      ],
    },
  ));
