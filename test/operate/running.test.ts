import { createDeferred, silentLogger } from 'mcp-kit/internal';
import { jsonLogger, readServerSettings } from '@mcp-kit/host/operate';
import type { ProfileName } from 'mcp-kit/transport/http';
import { describe, expect, test } from 'vitest';
import { send } from '../support/http-client.ts';
import { modern, startSession } from '../support/mcp-http.ts';
import {
  audience,
  bearer,
  operating,
  sample,
  sampleServer,
  startIssuer,
  steadyCalls,
} from './fixture.ts';

const call = (name: string, args: object = {}, meta: Record<string, unknown> = {}) =>
  modern('tools/call', { name, arguments: args }, { meta });

describe('draining', () => {
  test('loses no call at 200 a second: each is answered, or was never let in', async () => {
    await using server = await operating({ drain: { timeoutMs: 5000 } });
    let drained: Promise<number> | undefined;
    const outcomes = await steadyCalls(
      server.url,
      (number) => call('wait', { ms: number % 40 }),
      () => {
        drained = server.drain();
      },
    );
    expect(await drained).toBe(0);
    const answered = outcomes.filter((outcome) => outcome === 200).length;
    const never = outcomes.filter((outcome) => outcome === 'not taken').length;
    expect(answered).toBeGreaterThanOrEqual(100);
    expect(answered + never).toBe(300);
    // Nothing that it did was lost on the way.
    expect(sample(server.metrics(), 'mcp_http_responses_total{status="200"}')).toBe(answered);
    expect(sample(server.metrics(), 'mcp_calls_in_flight')).toBe(0);
  });

  test('says first that it is not ready, and goes on serving for as long as it was told', async () => {
    await using server = await operating({ metrics: { port: 0 }, drain: { delayMs: 3_600_000 } });
    const ready = new URL('/readyz', server.url);
    expect((await fetch(ready)).status).toBe(200);
    const drained = server.drain();
    const answer = await fetch(ready);
    expect(answer.status).toBe(503);
    expect(await answer.json()).toEqual({ status: 'not ready', reasons: ['it is about to stop'] });
    expect((await fetch(new URL('/readyz', String(server.metricsUrl)))).status).toBe(503);
    expect((await fetch(new URL('/healthz', server.url))).status).toBe(200);
    expect((await send(server.url, call('whoami'))).status).toBe(200);
    // Whoever closes it meanwhile does not want to wait.
    await server.close();
    expect(await drained).toBe(0);
    await expect(fetch(ready)).rejects.toThrow('fetch failed');
  });

  test('ends by itself once it has waited', async () => {
    await using server = await operating({ drain: { delayMs: 1 } });
    expect(await server.drain()).toBe(0);
    await expect(fetch(server.url)).rejects.toThrow('fetch failed');
  });

  test('waits for a call under way, and ends streams after it', async () => {
    await using server = await operating({ drain: { timeoutMs: 60_000 } });
    const session = await startSession(server.url);
    using stream = await session.listen();
    const slow = session.request('tools/call', { name: 'wait', arguments: { ms: 1500 } });
    await expect.poll(() => server.listening.endpoint.load().calls).toBe(1);
    const drained = server.drain();
    expect((await slow).status).toBe(200);
    expect(await drained).toBe(0);
    await stream.ended();
  });

  test('gives up on calls that take too long, and says how many', async () => {
    await using server = await operating({ drain: { timeoutMs: 100 } });
    const slow = send(server.url, call('wait', { ms: 60_000 }));
    await expect.poll(() => server.listening.endpoint.load().calls).toBe(1);
    expect(await server.drain()).toBe(1);
    expect((await slow).status).toBe(503);
  });

  test('is over at once when nobody is there', async () => {
    await using server = await operating({ drain: { timeoutMs: 3_600_000 } });
    expect(await server.drain()).toBe(0);
  });
});

describe('logs', () => {
  const collecting = () => {
    const lines: string[] = [];
    const entries = () => lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    return { lines, entries, logger: jsonLogger('info', (line) => lines.push(line)) };
  };

  test('have a line per call, with its trace, and no secrets', async () => {
    const { entries, lines, logger } = collecting();
    await using issuer = await startIssuer();
    const settings = { publicUrl: audience, auth: { jwt: { issuer: issuer.url } } };
    await using server = await operating(settings, { logger, logCalls: true });
    const token = await issuer.token();
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    const traced = call('whoami', {}, { traceparent: `00-${traceId}-b7ad6b7169203331-01` });
    await send(server.url, { ...traced, headers: { ...traced.headers, ...bearer(token) } });
    const failing = call('failing');
    await send(server.url, { ...failing, headers: { ...failing.headers, ...bearer(token) } });
    await send(server.url, { ...failing, headers: { ...failing.headers, ...bearer('wrong') } });
    expect(entries()).toMatchObject([
      {
        level: 'info',
        message: 'call',
        traceId: expect.stringMatching(new RegExp(`^trc_${traceId}_[0-9a-f]{16}$`)),
        method: 'tools/call',
        tool: 'whoami',
        outcome: 'ok',
      },
      { message: 'call', tool: 'failing', outcome: 'failed', principal: `${issuer.url} ann` },
      { message: 'refused', address: '127.0.0.1' },
    ]);
    expect(entries()[1]?.['traceId']).toMatch(/^trc_[0-9a-f]{32}$/);
    for (const line of lines) expect(line).not.toContain(token.slice(0, 20));
  });

  test('name a bug by the trace that its call and its caller know', async () => {
    const { entries, logger } = collecting();
    await using server = await operating({}, { logger, logCalls: true }, sampleServer(logger));
    const answer = await send(server.url, call('failing'));
    const [bug, line] = entries();
    expect(line).toMatchObject({ message: 'call', outcome: 'failed', traceId: bug?.['traceId'] });
    expect(JSON.stringify(answer.message.result)).toContain(`trace ${String(bug?.['traceId'])}`);
  });

  test('hide what is secret by its name or by its look', () => {
    const { lines, logger } = collecting();
    const jwt = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhbm4ifQ.c2lnbmF0dXJl';
    logger.debug('not shown');
    logger.error(`failed with Bearer abc.def`, {
      headers: { Authorization: 'secret-1', cookie: 'secret-2', accept: 'text/html' },
      apiKey: 'secret-3',
      list: [{ client_secret: 'secret-4' }, jwt, 'mcpk_ci_secret-5'],
      url: 'https://user:secret-6@host/path',
      error: new Error(`no: ${jwt}`),
      size: 3n,
      when: new Date(0),
    });
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toMatch(/secret-\d|abc\.def|eyJ/);
    expect(JSON.parse(String(lines[0]))).toMatchObject({
      level: 'error',
      headers: { accept: 'text/html' },
      url: 'https://[hidden]@host/path',
      size: '3',
      when: '1970-01-01T00:00:00.000Z',
    });
  });
});

describe('what a server says of itself', () => {
  test('is an OpenAPI document of what it answers', async () => {
    await using server = await operating({});
    const document = await (await fetch(new URL('/openapi.json', server.url))).json();
    expect(document).toMatchObject({
      openapi: '3.1.0',
      info: { title: 'sample' },
      servers: [{ url: new URL(server.url).origin }],
      paths: { '/mcp': { post: {}, get: {}, delete: {} }, '/readyz': {}, '/healthz': {} },
    });
    expect(document).not.toHaveProperty('security');
  });
});

describe('the OpenAPI document', () => {
  const documented = async (profile: ProfileName): Promise<Record<string, object>> => {
    await using server = await operating({}, { profile });
    const document = (await (await fetch(new URL('/openapi.json', server.url))).json()) as {
      readonly paths: Readonly<Record<string, Record<string, { responses: object }>>>;
    };
    const { post, get } = document.paths['/mcp'] ?? {};
    return { post: post?.responses ?? {}, get: get?.responses ?? {} };
  };

  test('follows the profile', async () => {
    const [spec, v2, checklist] = [
      await documented('spec'),
      await documented('v2'),
      await documented('2025-06-18'),
    ];
    expect(Object.keys(spec['post'] ?? {})).toContain('406');
    for (const { post = {} } of [v2, checklist]) expect(Object.keys(post)).not.toContain('406');
    expect(Object.keys(spec['get'] ?? {})).toContain('405');
    expect(v2['get']).toMatchObject({ 200: { content: { 'application/json': {} } } });
    expect(Object.keys(v2['get'] ?? {})).not.toContain('405');
    expect(v2['post']).toMatchObject({ 404: { description: 'No such method.' } });
    expect(checklist['post']).toMatchObject({
      404: { description: 'No such session, or no such method.' },
    });
  });
});

describe('how long sessions last', () => {
  test('is a setting', async () => {
    const ended = createDeferred<unknown>();
    const logger = { ...silentLogger, info: (text: string) => ended.resolve(text) };
    const sessions = { ttlMs: 1000, sweepMs: 1000 };
    await using server = await operating({ sessions }, { logger, logCalls: false });
    await startSession(server.url);
    expect(await ended.promise).toBe('session ended');
  });

  test.each([{ ttlMs: 5 }, { sweepMs: 10 ** 12 }, { ttl: 1000 }])(
    'must be possible: %j',
    async (sessions) => {
      await expect(readServerSettings({ sessions })).rejects.toMatchObject({
        code: 'invalid_config',
      });
    },
  );
});

describe('settings', () => {
  test('are taken as they are when they are right', async () => {
    const settings = { port: 7420, limits: { address: '20/s burst 40' }, metrics: { port: 0 } };
    expect(await readServerSettings(settings)).toEqual(settings);
  });

  test.each([
    [{ prot: 1 }, 'prot'],
    [{ port: 70_000 }, 'port'],
    [{ limits: { address: 'often' } }, 'limits.address'],
    [{ auth: {} }, 'nothing says how callers prove'],
    [{ auth: { jwt: { issuer: 'https://a.example' } } }, 'whom tokens are for'],
    [{ auth: { jwt: { issuer: 'a.example', audience: 'b' } } }, 'auth.jwt.issuer'],
    [
      { auth: { jwt: { issuer: 'https://a.example', audience: 'b', algorithms: ['HS256'] } } },
      'auth.jwt.algorithms',
    ],
    [{ tls: { cert: 'a' } }, 'tls'],
    [[], 'object'],
  ])('that are wrong are refused, and it says where: %j', async (value, where) => {
    await expect(readServerSettings(value)).rejects.toMatchObject({ code: 'invalid_config' });
    await expect(readServerSettings(value)).rejects.toThrow(where);
  });
});
