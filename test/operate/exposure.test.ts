import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TLSSocket } from 'node:tls';
import { createApiKey, readApiKeys } from '@mcp-kit/host/operate';
import { asError, toFetchHandler } from 'mcp-kit/transport/http';
import { describe, expect, test } from 'vitest';
import { certificate, key } from '../support/certificate.mjs';
import { otherCertificate, otherKey } from '../support/other-certificate.ts';
import { send } from '../support/http-client.ts';
import { modern } from '../support/mcp-http.ts';
import { bearer, operating, sample, sampleServer } from './fixture.ts';

const whoami = (headers: Record<string, string> = {}) =>
  modern('tools/call', { name: 'whoami' }, { headers });

async function folder(): Promise<AsyncDisposable & { readonly at: (name: string) => string }> {
  const place = await mkdtemp(path.join(tmpdir(), 'mcp-kit-operate-'));
  return {
    at: (name) => path.join(place, name),
    [Symbol.asyncDispose]: () => rm(place, { recursive: true }),
  };
}

type Key = ReturnType<typeof createApiKey>['entry'];

const keyFile = (...keys: readonly Key[]): string => JSON.stringify({ keys });

describe('API keys', () => {
  test('let their owner in, in either header, and are kept only as hashes', async () => {
    await using files = await folder();
    const ci = createApiKey('ci', { scopes: ['mcp'] });
    const old = createApiKey('old', { expires: '2020-01-01' });
    await writeFile(files.at('keys.json'), keyFile(ci.entry, old.entry));
    expect(await readFile(files.at('keys.json'), 'utf8')).not.toContain(ci.key);
    await using server = await operating({ auth: { apiKeys: files.at('keys.json') } });
    for (const headers of [bearer(ci.key), { 'x-api-key': ci.key }]) {
      const answer = await send(server.url, whoami(headers));
      expect(answer.message.result).toMatchObject({ content: [{ text: 'key ci' }] });
    }
    const wrong = [
      old.key,
      `${ci.key.slice(0, -1)}_`,
      createApiKey('ci').key,
      'mcpk_ci',
      createApiKey('x').key,
    ];
    for (const text of wrong) {
      expect((await send(server.url, whoami(bearer(text)))).status).toBe(401);
    }
    const answer = await send(server.url, whoami());
    expect(answer.headers['www-authenticate']).toBe('Bearer realm="mcp"');
  });

  test('are read again when told to, and the old ones stay when that fails', async () => {
    await using files = await folder();
    const [one, two] = [createApiKey('one'), createApiKey('two')];
    await writeFile(files.at('keys.json'), keyFile(one.entry));
    await using server = await operating({ auth: { apiKeys: files.at('keys.json') } });
    const status = async (text: string): Promise<number> =>
      (await send(server.url, whoami(bearer(text)))).status;
    expect(await status(two.key)).toBe(401);
    await writeFile(files.at('keys.json'), keyFile(two.entry));
    await server.reload();
    expect([await status(one.key), await status(two.key)]).toEqual([401, 200]);
    await writeFile(files.at('keys.json'), '{');
    await expect(server.reload()).rejects.toMatchObject({ code: 'invalid_config' });
    expect(await status(two.key)).toBe(200);
  });

  test.each([
    [{}, 'there is no list of keys'],
    [{ keys: [{ id: 'A' }] }, 'no name that can be used'],
    [{ keys: [{ id: 'a', hash: 'md5:1' }] }, 'has no hash'],
    [{ keys: [createApiKey('a').entry, createApiKey('a').entry] }, 'is there twice'],
    [{ keys: [{ ...createApiKey('a').entry, expires: 'soon' }] }, 'a day that is none'],
  ])('are not read from %o', (value, why) => {
    expect(() => readApiKeys(value)).toThrow(why);
  });
});

describe('https', () => {
  const seen = (url: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const ca = [certificate, otherCertificate];
      const servername = 'app.localhost';
      const sent = httpsRequest(
        url,
        { ca, servername, agent: false, method: 'PUT' },
        (response) => {
          resolve((response.socket as TLSSocket).getPeerCertificate().fingerprint256);
          response.resume();
        },
      );
      sent.on('error', reject).end();
    });

  test('uses the certificate of the files, and a new one when told that they have changed', async () => {
    await using files = await folder();
    await writeFile(files.at('cert.pem'), certificate);
    await writeFile(files.at('key.pem'), key);
    const tls = { cert: files.at('cert.pem'), key: files.at('key.pem') };
    await using server = await operating({ tls });
    expect(server.url).toMatch(/^https:/);
    const first = await seen(server.url);
    expect(await seen(server.url)).toBe(first);
    await writeFile(files.at('cert.pem'), otherCertificate);
    // Half of it changed is worse than none of it.
    await expect(server.reload()).rejects.toMatchObject({ code: 'invalid_argument' });
    expect(await seen(server.url)).toBe(first);
    await writeFile(files.at('key.pem'), otherKey);
    await server.reload();
    expect(await seen(server.url)).not.toBe(first);
  });

  test('has its new certificate also when the file of keys cannot be read', async () => {
    await using files = await folder();
    const mine = createApiKey('mine');
    await writeFile(files.at('keys.json'), keyFile(mine.entry));
    await writeFile(files.at('cert.pem'), certificate);
    await writeFile(files.at('key.pem'), key);
    const tls = { cert: files.at('cert.pem'), key: files.at('key.pem') };
    await using server = await operating({ tls, auth: { apiKeys: files.at('keys.json') } });
    const first = await seen(server.url);
    await writeFile(files.at('keys.json'), '{');
    await writeFile(files.at('cert.pem'), otherCertificate);
    await writeFile(files.at('key.pem'), otherKey);
    await expect(server.reload()).rejects.toMatchObject({ code: 'invalid_config' });
    expect(await seen(server.url)).not.toBe(first);
  });

  test('does not start without a certificate that can be used', async () => {
    await using files = await folder();
    await writeFile(files.at('cert.pem'), certificate);
    await writeFile(files.at('key.pem'), otherKey);
    const tls = { cert: files.at('cert.pem'), key: files.at('key.pem') };
    await expect(operating({ tls })).rejects.toMatchObject({ code: 'invalid_argument' });
    const missing = { ...tls, key: files.at('nothing.pem') };
    await expect(operating({ tls: missing })).rejects.toMatchObject({ code: 'invalid_config' });
  });
});

describe('behind a proxy', () => {
  const limited = { limits: { address: '1/h' } };
  const statuses = async (url: string, froms: readonly string[]): Promise<number[]> => {
    const all: number[] = [];
    for (const from of froms) {
      all.push((await send(url, whoami(from === '' ? {} : { 'x-forwarded-for': from }))).status);
    }
    return all;
  };

  test('whoever is listed is believed about where requests come from', async () => {
    await using server = await operating({
      ...limited,
      trustedProxies: ['127.0.0.0/8', '10.0.0.9'],
    });
    const froms = ['198.51.100.1', '198.51.100.2', '198.51.100.1', '198.51.100.3, 10.0.0.9'];
    expect(await statuses(server.url, froms)).toEqual([200, 200, 429, 200]);
    // What a client writes in front of what the proxy adds says nothing.
    expect(await statuses(server.url, ['8.8.8.8, 198.51.100.3'])).toEqual([429]);
    // All of one network of IPv6 is one.
    expect(
      await statuses(server.url, ['2001:db8::1', '2001:db8:0:0:ffff::2', '2001:db8:1::1']),
    ).toEqual([200, 429, 200]);
  });

  test('nobody else is', async () => {
    await using server = await operating({ ...limited, trustedProxies: ['10.0.0.0/8'] });
    expect(await statuses(server.url, ['198.51.100.1', '198.51.100.2', ''])).toEqual([
      200, 429, 429,
    ]);
  });
});

describe('pages of other origins', () => {
  const origin = 'https://app.example';

  test('may ask, call and read when they are listed', async () => {
    await using server = await operating({ allowedOrigins: [origin] });
    const asked = await send(server.url, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type, authorization, mcp-param-city',
      },
    });
    expect(asked).toMatchObject({
      status: 204,
      headers: {
        'access-control-allow-origin': origin,
        'access-control-allow-headers': 'content-type, authorization, mcp-param-city',
      },
    });
    const page = new URL('/.well-known/oauth-protected-resource', server.url).href;
    const headers = { origin, 'access-control-request-method': 'GET' };
    expect(await send(page, { method: 'OPTIONS', headers })).toMatchObject({ status: 204 });
    const answer = await send(server.url, whoami({ origin }));
    expect(answer).toMatchObject({
      status: 200,
      headers: { 'access-control-allow-origin': origin, vary: 'origin' },
    });
    expect(answer.headers['access-control-expose-headers']).toContain('mcp-session-id');
  });

  test('may not when they are not, and those of this machine get no headers', async () => {
    await using server = await operating({ allowedOrigins: [origin] });
    for (const other of ['https://evil.example', 'http://app.example', 'null']) {
      const headers = { origin: other, 'access-control-request-method': 'POST' };
      const asked = await send(server.url, { method: 'OPTIONS', headers });
      expect(asked.status).toBe(403);
      expect(asked.headers['access-control-allow-origin']).toBeUndefined();
    }
    const here = { origin: 'http://localhost:3000', 'access-control-request-method': 'POST' };
    expect(await send(server.url, { method: 'OPTIONS', headers: here })).toMatchObject({
      status: 405,
    });
  });
});

describe('beyond this machine', () => {
  test('it listens only when callers must say who they are, or somebody accepts the risk', async () => {
    await using files = await folder();
    await writeFile(files.at('keys.json'), keyFile());
    await expect(operating({ host: '0.0.0.0' })).rejects.toMatchObject({ code: 'unsafe_bind' });
    await using server = await operating({
      host: '0.0.0.0',
      auth: { apiKeys: files.at('keys.json') },
    });
    const here = `http://127.0.0.1:${server.listening.port}/mcp`;
    expect((await send(here, whoami())).status).toBe(401);
    expect(sample(server.metrics(), 'mcp_rejections_total{cause="unauthenticated"}')).toBe(1);
  });
});

describe('other runtimes', () => {
  test('ask the same gate, and speak for the same origins', async () => {
    const origin = 'https://app.example';
    const handler = toFetchHandler(sampleServer(), {
      allowedOrigins: [origin],
      admit: ({ headers }) =>
        headers['x-user'] === undefined
          ? { status: 401, error: { code: -32_600, message: 'Who?' } }
          : { principal: String(headers['x-user']) },
      layers: {
        limits: (next) => (exchange) => {
          if (exchange.message.method !== 'tools/list') return next(exchange);
          throw asError({ status: 403, error: { code: -32_600, message: 'No lists' } });
        },
      },
    });
    const ask = async (call: ReturnType<typeof whoami>, more: Record<string, string>) => {
      const { headers, body } = call;
      return handler(
        new Request('http://localhost/mcp', {
          method: 'POST',
          headers: { ...headers, ...more },
          body: JSON.stringify(body),
        }),
      );
    };
    try {
      const answer = await ask(whoami(), { 'x-user': 'ann', origin });
      expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
      expect(await answer.json()).toMatchObject({ result: { content: [{ text: 'ann' }] } });
      expect((await ask(whoami(), {})).status).toBe(401);
      expect((await ask(modern('tools/list'), { 'x-user': 'ann' })).status).toBe(403);
      const asked = await handler(
        new Request('http://localhost/mcp', {
          method: 'OPTIONS',
          headers: { origin, 'access-control-request-method': 'POST' },
        }),
      );
      expect(asked.status).toBe(204);
    } finally {
      await handler.close();
    }
  });
});
