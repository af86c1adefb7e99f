import { generateKeyPair } from 'jose';
import { describe, expect, test } from 'vitest';
import { send } from '../support/http-client.ts';
import { modern, startSession } from '../support/mcp-http.ts';
import { audience, bearer, operating, startIssuer, type IssuerHere } from './fixture.ts';

const whoami = (headers: Record<string, string> = {}) =>
  modern('tools/call', { name: 'whoami' }, { headers });

const withJwt = (issuer: IssuerHere, more: object = {}) =>
  operating({ publicUrl: audience, auth: { jwt: { issuer: issuer.url }, ...more } });

describe('a server that takes tokens', () => {
  test('serves whoever has a valid one, under the name that it says', async () => {
    await using issuer = await startIssuer();
    await using server = await withJwt(issuer);
    const answer = await send(server.url, whoami(bearer(await issuer.token())));
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.message.result).toMatchObject({ content: [{ text: `${issuer.url} ann` }] });
  });

  test('tells whoever has none where to get one', async () => {
    await using issuer = await startIssuer();
    await using server = await withJwt(issuer, { scopes: ['mcp'] });
    const answer = await send(server.url, whoami());
    expect(answer.status).toBe(401);
    const metadata = 'https://mcp.example/.well-known/oauth-protected-resource/mcp';
    expect(answer.headers['www-authenticate']).toBe(
      `Bearer scope="mcp", resource_metadata="${metadata}"`,
    );
    expect(answer.message.error).toBeDefined();
    for (const path of ['', '/mcp']) {
      const page = new URL(`/.well-known/oauth-protected-resource${path}`, server.url).href;
      expect((await send(page, { method: 'GET' })).message).toMatchObject({
        resource: audience,
        authorization_servers: [issuer.url],
        scopes_supported: ['mcp'],
      });
    }
  });

  test('refuses every token that is not for it, from its issuer, of the right kind and in time', async () => {
    await using issuer = await startIssuer();
    await using server = await withJwt(issuer);
    const stranger = await generateKeyPair('ES256');
    const good = await issuer.token();
    const [head = '', , signature = ''] = good.split('.');
    const other = JSON.stringify({ iss: issuer.url, sub: 'bob', aud: audience, exp: 4e9 });
    const none = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url');
    const claims = Buffer.from(other).toString('base64url');
    const refused: Readonly<Record<string, string>> = {
      'another audience': await issuer.token({ audience: 'https://other.example/mcp' }),
      'an audience that only begins like ours': await issuer.token({ audience: `${audience}/` }),
      'no audience': await issuer.token({ audience: undefined }),
      'another issuer': await issuer.token({ issuer: 'https://evil.example' }),
      'another type': await issuer.token({ typ: 'JWT' }),
      'the past': await issuer.token({ expiresInSeconds: -60 }),
      'the key of a stranger': await issuer.token({ key: stranger.privateKey }),
      'a key that nobody knows': await issuer.token({ kid: 'unknown', key: stranger.privateKey }),
      'a key of its own that was not shown': await issuer.token({ cnf: { jkt: 'thumb' } }),
      'no signature': `${none}.${claims}.`,
      'other claims under the same signature': `${head}.${claims}.${signature}`,
      'no token at all': 'garbage',
    };
    for (const [what, token] of Object.entries(refused)) {
      const answer = await send(server.url, whoami(bearer(token)));
      expect([what, answer.status]).toEqual([what, 401]);
      expect(answer.headers['www-authenticate']).toContain('error="invalid_token"');
      expect(answer.text).not.toContain(token);
    }
    expect(await send(server.url, whoami(bearer(good)))).toMatchObject({ status: 200 });
  });

  test('takes a token from the Authorization header only, and only one', async () => {
    await using issuer = await startIssuer();
    await using server = await withJwt(issuer);
    const token = await issuer.token();
    const inQuery = await send(`${server.url}?access_token=${token}`, whoami());
    expect(inQuery.status).toBe(401);
    const both = { ...bearer(token), 'x-api-key': token };
    expect((await send(server.url, whoami(both))).status).toBe(401);
    expect((await send(server.url, whoami({ authorization: `Basic ${token}` }))).status).toBe(401);
  });

  test('gets the keys of the issuer once, and again when they have changed', async () => {
    await using issuer = await startIssuer();
    await using server = await withJwt(issuer);
    const tokens = await Promise.all(Array.from({ length: 20 }, () => issuer.token()));
    const answers = await Promise.all(
      tokens.map((token) => send(server.url, whoami(bearer(token)))),
    );
    expect(answers.map(({ status }) => status)).toEqual(tokens.map(() => 200));
    expect(issuer.keysAsked()).toBe(1);
    await issuer.rotate();
    expect((await send(server.url, whoami(bearer(await issuer.token())))).status).toBe(200);
    expect(issuer.keysAsked()).toBe(2);
    // A key that is not there is not looked for again and again.
    for (const kid of ['a', 'b', 'c']) {
      expect((await send(server.url, whoami(bearer(await issuer.token({ kid }))))).status).toBe(
        401,
      );
    }
    expect(issuer.keysAsked()).toBe(2);
  });

  test('goes on with the keys it has when the issuer is away, and says when it has none', async () => {
    await using issuer = await startIssuer();
    issuer.answer = () => ({ status: 503 });
    await using server = await withJwt(issuer);
    const early = await send(server.url, whoami(bearer(await issuer.token())));
    expect(early).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
    expect(server.notReady()).toEqual(['the keys of the issuer are not known']);
    issuer.answer = undefined;
    const token = await issuer.token();
    const status = async (): Promise<number> =>
      (await send(server.url, whoami(bearer(token)))).status;
    await expect.poll(status).toBe(200);
    expect(server.notReady()).toEqual([]);
    issuer.answer = () => ({ status: 503 });
    const later = await issuer.token({ subject: 'bob' });
    expect((await send(server.url, whoami(bearer(later)))).status).toBe(200);
  });

  test('gets ready once the issuer is back, without any token that asks for it', async () => {
    await using issuer = await startIssuer();
    issuer.answer = () => ({ status: 503 });
    await using server = await withJwt(issuer);
    await expect.poll(() => server.notReady()).toEqual(['the keys of the issuer are not known']);
    issuer.answer = undefined;
    await expect.poll(() => server.notReady()).toEqual([]);
  });

  test('does not take a program that speaks for itself for a person of the same name', async () => {
    await using issuer = await startIssuer();
    await using server = await withJwt(issuer);
    const named = async (token: string): Promise<unknown> =>
      (await send(server.url, whoami(bearer(token)))).message.result;
    const person = await named(await issuer.token({ subject: 'ann', client: 'ann' }));
    const program = await named(await issuer.token({ subject: undefined, client: 'ann' }));
    expect(person).toMatchObject({ content: [{ text: `${issuer.url} ann` }] });
    expect(program).toMatchObject({ content: [{ text: `client ${issuer.url} ann` }] });
  });

  test('follows no redirect to another origin on its way to keys', async () => {
    await using thief = await startIssuer();
    let visits = 0;
    thief.answer = () => {
      visits += 1;
      return { status: 404 };
    };
    await using issuer = await startIssuer();
    issuer.answer = ({ url }) => ({ status: 302, headers: { location: `${thief.url}${url}` } });
    await using server = await withJwt(issuer);
    expect((await send(server.url, whoami(bearer(await issuer.token())))).status).toBe(503);
    expect(visits).toBe(0);
  });

  test('gives a session to whoever opened it, and to nobody else', async () => {
    await using issuer = await startIssuer();
    await using server = await withJwt(issuer);
    const ann = bearer(await issuer.token());
    const bob = bearer(await issuer.token({ subject: 'bob' }));
    const annElsewhere = bearer(await issuer.token({ client: 'web' }));
    const session = await startSession(server.url, { headers: ann, ready: false });
    await session.post({ jsonrpc: '2.0', method: 'notifications/initialized' }, ann);
    for (const other of [bob, annElsewhere]) {
      expect((await session.request('tools/list', {}, other)).status).toBe(404);
      const stream = { accept: 'text/event-stream', 'last-event-id': '1.1' };
      expect((await session.get({ ...stream, ...other })).status).toBe(404);
      expect((await session.delete(other)).status).toBe(404);
      expect((await session.request('tools/list')).status).toBe(401);
    }
    using open = await session.listen(ann);
    expect(open.status).toBe(200);
    // Another token of the same principal and program will do: tokens are renewed.
    const again = bearer(await issuer.token({ expiresInSeconds: 600 }));
    expect((await session.request('tools/call', { name: 'whoami' }, again)).status).toBe(200);
  });

  test('asks for the scopes that a tool needs, all at once', async () => {
    await using issuer = await startIssuer();
    await using server = await withJwt(issuer, {
      scopes: ['mcp'],
      toolScopes: { 'erase_*': ['files:write'] },
      impliedScopes: { admin: ['files:write', 'mcp'] },
    });
    const status = async (name: string, scope: string): Promise<number> => {
      const headers = bearer(await issuer.token({ scope }));
      return (await send(server.url, modern('tools/call', { name }, { headers }))).status;
    };
    expect(await status('whoami', 'other')).toBe(403);
    expect(await status('whoami', 'mcp')).toBe(200);
    expect(await status('erase_all', 'mcp files:write')).toBe(200);
    expect(await status('erase_all', 'admin')).toBe(200);
    const headers = bearer(await issuer.token({ scope: 'mcp' }));
    const answer = await send(server.url, modern('tools/call', { name: 'erase_all' }, { headers }));
    expect(answer.status).toBe(403);
    expect(answer.headers['www-authenticate']).toContain(
      'error="insufficient_scope", scope="mcp files:write"',
    );
    expect(answer.message).toMatchObject({ id: 1, error: {} });
    const session = await startSession(server.url, { headers, ready: false });
    await session.post({ jsonrpc: '2.0', method: 'notifications/initialized' }, headers);
    expect((await session.request('tools/call', { name: 'erase_all' }, headers)).status).toBe(403);
    const old = await startSession(server.url, { headers, ready: false, version: '2025-03-26' });
    await old.post({ jsonrpc: '2.0', method: 'notifications/initialized' }, headers);
    const call = { jsonrpc: '2.0', id: 8, method: 'tools/call', params: { name: 'erase_all' } };
    const ping = { jsonrpc: '2.0', id: 9, method: 'ping' };
    const both = await old.post([ping, call], headers);
    expect(both.messages).toMatchObject([
      { id: 9, result: {} },
      { id: 8, error: {} },
    ]);
    expect((await old.post([ping], headers)).status).toBe(200);
  });
});

describe('a server that asks the issuer about tokens', () => {
  const settings = (issuer: IssuerHere) => ({
    publicUrl: audience,
    auth: {
      introspection: {
        issuer: issuer.url,
        clientId: 'mcp',
        clientSecretEnv: 'SECRET',
        cacheSeconds: 30,
      },
    },
  });

  test('serves those that are active, for it, and in time; asks once per token', async () => {
    await using issuer = await startIssuer();
    issuer.active = (token) => ({
      active: token !== 'revoked',
      sub: 'ann',
      aud: token === 'elsewhere' ? 'https://other.example' : audience,
      exp: Date.now() / 1000 + (token === 'old' ? -10 : 60),
      scope: 'mcp',
    });
    await using server = await operating(settings(issuer), { env: { SECRET: 'p:w' } });
    const statusOf = async (token: string): Promise<number> =>
      (await send(server.url, whoami(bearer(token)))).status;
    const many = Array.from({ length: 10 }, () => statusOf('opaque'));
    expect(await Promise.all(many)).toEqual(many.map(() => 200));
    expect(await statusOf('opaque')).toBe(200);
    expect(issuer.introspected).toEqual([
      { token: 'opaque', authorization: `Basic ${Buffer.from('mcp:p%3Aw').toString('base64')}` },
    ]);
    for (const token of ['revoked', 'elsewhere', 'old']) expect(await statusOf(token)).toBe(401);
  });

  test('says that it is not ready while the issuer does not answer', async () => {
    await using issuer = await startIssuer();
    issuer.active = () => ({ active: true, sub: 'ann', aud: audience });
    await using server = await operating(settings(issuer), { env: { SECRET: 'p' } });
    expect(server.notReady()).toEqual([]);
    issuer.answer = () => ({ status: 503 });
    expect((await send(server.url, whoami(bearer('one')))).status).toBe(503);
    expect(server.notReady()).toEqual(['the issuer cannot be asked about tokens']);
    issuer.answer = undefined;
    expect((await send(server.url, whoami(bearer('two')))).status).toBe(200);
    expect(server.notReady()).toEqual([]);
  });

  test('does not start without the secret it needs', async () => {
    await using issuer = await startIssuer();
    await expect(operating(settings(issuer), { env: {} })).rejects.toMatchObject({
      code: 'invalid_config',
    });
  });
});
