import { describe, expect, test } from 'vitest';
import { memoryCredentials } from 'mcp-kit/auth';
import { createEgress } from '@mcp-kit/host';
import { httpTarget } from 'mcp-kit/transport/http-client';
import { json, scripted, talk, type Seen } from '../requirements/http-client-fixture.ts';
import { startAuthorizationServer } from './authorization-server.mjs';
import { authorizerFor, person, sessionWith, withServers } from './fixture.ts';

// Servers whose words lead elsewhere, and what they get to see of it.

const forbidden = [
  'http://169.254.169.254/latest/meta-data',
  'http://10.0.0.1/x',
  'https://[fd00::1]/x',
  'https://192.168.1.1/x',
  'http://printer.local/x',
  'file:///etc/passwd',
];

type Documents = (origin: string) => {
  readonly challenge?: string;
  readonly resource?: object;
  readonly issuer?: object;
};

/** What an honest server of one origin would publish. */
const honest = (origin: string) => ({
  resource: { resource: `${origin}/mcp`, authorization_servers: [origin] },
  issuer: {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    code_challenge_methods_supported: ['S256'],
  },
});

/** Logs in to a server that publishes this; gives what went wrong, and the paths that were asked for. */
async function loginTo(documents: Documents): Promise<{ code: unknown; paths: string[] }> {
  await using server = await scripted((seen: Seen) => {
    const { origin } = server;
    const said = { ...honest(origin), ...documents(origin) };
    if (seen.path.startsWith('/.well-known/oauth-protected-resource')) json(seen, said.resource);
    else if (seen.path.startsWith('/.well-known/oauth-authorization-server'))
      json(seen, said.issuer);
    else if (seen.path === '/register') json(seen, { client_id: 'us' });
    else if (seen.path.startsWith('/authorize')) {
      const asked = new URL(seen.path, origin).searchParams;
      const back = new URL(asked.get('redirect_uri') ?? '');
      back.search = String(new URLSearchParams({ code: '1', state: asked.get('state') ?? '' }));
      seen.response.writeHead(302, { location: back.href }).end();
    } else {
      const header = { 'www-authenticate': said.challenge ?? 'Bearer' };
      seen.response.writeHead(401, header).end();
    }
  });
  const policy = { requireHttps: false, allowLocalhost: true };
  const egress = createEgress(policy, { server: 'hostile', resolve: async () => ['127.0.0.1'] });
  try {
    const auth = authorizerFor(server, { egress, interact: person() });
    const failure: unknown = await auth.login().then(
      () => undefined,
      (error: unknown) => error,
    );
    const code = failure instanceof Error && 'code' in failure ? failure.code : failure;
    return { code, paths: server.seen.map(({ path }) => path.split('?')[0] ?? '') };
  } finally {
    egress.destroy();
  }
}

describe.each(forbidden)('%s', (url) => {
  test.each<[string, Documents]>([
    ['the header', () => ({ challenge: `Bearer resource_metadata="${url}"` })],
    [
      'the metadata of the server',
      (origin) => ({ resource: { resource: `${origin}/mcp`, authorization_servers: [url] } }),
    ],
    [
      'the place to register',
      (origin) => ({ issuer: { ...honest(origin).issuer, registration_endpoint: url } }),
    ],
    [
      'the login page',
      (origin) => ({ issuer: { ...honest(origin).issuer, authorization_endpoint: url } }),
    ],
    [
      'the place of tokens',
      (origin) => ({ issuer: { ...honest(origin).issuer, token_endpoint: url } }),
    ],
  ])('is not gone to when %s leads there', async (_, documents) => {
    const { code, paths } = await loginTo(documents);
    // What is no address of the web at all is refused by whoever reads it first.
    expect(['refused_by_policy', 'invalid_answer']).toContain(code);
    expect(paths).not.toContain('/token');
  });
});

describe('no token is asked for', () => {
  const cases: [string, Documents][] = [
    [
      'when the metadata is about another server',
      (origin) => ({
        resource: { resource: 'https://bank.example', authorization_servers: [origin] },
      }),
    ],
    [
      'when it is about a place beside this one',
      (origin) => ({ resource: { resource: `${origin}/mc`, authorization_servers: [origin] } }),
    ],
    [
      'when the issuer calls itself otherwise',
      (origin) => ({ issuer: { ...honest(origin).issuer, issuer: `${origin}/` } }),
    ],
    [
      'when logins are not protected by PKCE',
      (origin) => ({
        issuer: { ...honest(origin).issuer, code_challenge_methods_supported: ['plain'] },
      }),
    ],
  ];
  test.each(cases)('%s', async (_, documents) => {
    const { code, paths } = await loginTo(documents);
    expect(code).toBe('refused_by_policy');
    expect(paths).not.toContain('/authorize');
    expect(paths).not.toContain('/token');
  });
});

test('a stream at another origin is not shown the token', () =>
  withServers(async ({ server }) => {
    const auth = authorizerFor(server, { interact: person() });
    await auth.login();
    await using elsewhere = await scripted((seen) => seen.response.writeHead(401).end());
    const target = httpTarget(server.url, { auth, streamUrl: elsewhere.url });
    await using client = await talk(target);
    await client.shakeHands();
    const { headers } = await elsewhere.nth('GET');
    expect(headers.authorization).toBeUndefined();
    expect(server.tokens.at(-1)).toBeDefined();
  }));

test('tokens of one issuer are not shown to another that the configuration names now', () =>
  withServers(
    async ({ as, server }) => {
      const place = ({ issuer }: { readonly issuer: string }): string =>
        `${issuer}/.well-known/openid-configuration`;
      const store = memoryCredentials();
      const first = authorizerFor(server, { store, metadataUrl: place(as), interact: person() });
      const { expiresAt = 0 } = await first.login();
      const other = await startAuthorizationServer();
      try {
        const moved = authorizerFor(server, { store, metadataUrl: place(other) });
        await new Promise((resolve) => setTimeout(resolve, Math.max(0, expiresAt - Date.now())));
        const shown = Promise.resolve(moved.headers({ method: 'POST', url: server.url }));
        await expect(shown).rejects.toMatchObject({ code: 'refused_by_policy' });
        expect(await moved.logout()).toBe(true);
        expect(other.paths.filter((asked) => asked.startsWith('POST'))).toEqual([]);
      } finally {
        await other.close();
      }
    },
    { lifeSeconds: 1 },
  ));

test('a server that lets everybody in is not logged in to', async () => {
  await using server = await scripted((seen) => {
    if (seen.method === 'POST') json(seen, { jsonrpc: '2.0', id: 0, result: {} });
    else seen.response.writeHead(404).end();
  });
  const auth = authorizerFor(server, { interact: person() });
  await expect(auth.login()).rejects.toMatchObject({ code: 'capability_missing' });
  expect(await auth.examine()).toEqual([
    { step: 'server', ok: true, says: 'answers HTTP 200 without a token' },
  ]);
});

test('each step on the way to being let in is explained', () =>
  withServers(async ({ as, server }) => {
    const auth = authorizerFor(server, { interact: person() });
    const before = await auth.examine();
    expect(before.map(({ step, ok }) => [step, ok])).toEqual([
      ['server', true],
      ['resource', true],
      ['issuer', true],
      ['client', true],
      ['login', false],
    ]);
    expect(before.at(-1)).toMatchObject({ hint: 'Run: mcpctl login guarded' });
    await auth.login();
    expect((await auth.examine()).at(-1)).toMatchObject({ ok: true });
    await as.close();
    expect((await auth.examine()).at(-1)).toMatchObject({ step: 'issuer', ok: false });
  }));

test('tokens can be bound to a key, which is kept with them', () =>
  withServers(async ({ as, server }) => {
    const auth = authorizerFor(server, { interact: person(), proof: 'always' });
    await using session = await sessionWith(server, auth);
    await session.callTool('read', {});
    server.revoked.add(String(server.tokens.at(-1)));
    await session.callTool('read', {});
    expect(as.counts).toMatchObject({ authorization_code: 1, refresh_token: 1, refused: 0 });
    const shown = await auth.headers({ method: 'POST', url: `${server.url}?x=1` });
    const [header, claims] = String(shown['dpop'])
      .split('.')
      .slice(0, 2)
      .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()) as object);
    expect(shown['authorization']).toMatch(/^DPoP /);
    expect(header).toMatchObject({ typ: 'dpop+jwt', alg: 'ES256', jwk: { kty: 'EC' } });
    expect(header).not.toHaveProperty('jwk.d');
    expect(claims).toMatchObject({ htm: 'POST', htu: server.url });
  }));
