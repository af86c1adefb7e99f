import { once } from 'node:events';
import http, { type RequestListener } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { KitError } from '#base';
import { createFetch } from './fetch.ts';
import { defaultEgress, type EgressPolicy } from './egress.ts';

interface Place extends AsyncDisposable {
  readonly origin: string;
}

async function listening(server: http.Server | net.Server): Promise<Place> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.close();
      if (server instanceof http.Server) server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

const serving = (listener: RequestListener): Promise<Place> =>
  listening(http.createServer(listener));

const anything: EgressPolicy = {
  check: () => undefined,
  agentFor: () => http.globalAgent,
};

describe('a fetch', () => {
  test.each([301, 302, 303, 307, 308])(
    'does not follow a redirect (%i) to another origin: no byte arrives there',
    async (status) => {
      let connections = 0;
      await using canary = await listening(net.createServer(() => (connections += 1)));
      await using server = await serving((_, response) => {
        response.writeHead(status, { location: `${canary.origin}/x` }).end();
      });
      const fetch = createFetch(anything);
      const asked = fetch(`${server.origin}/y`, { redirect: 'follow' });
      await expect(asked).rejects.toMatchObject({ code: 'http_status' });
      expect(connections).toBe(0);
    },
  );

  test('follows a few redirects within the origin, and no more', async () => {
    await using server = await serving((request, response) => {
      const left = Number(request.url?.slice(1));
      if (left === 0) response.end('there');
      else response.writeHead(302, { location: `/${left - 1}` }).end();
    });
    const fetch = createFetch(anything);
    const answer = await fetch(`${server.origin}/3`, { redirect: 'follow' });
    expect(await answer.text()).toBe('there');
    const tooMany = fetch(`${server.origin}/4`, { redirect: 'follow' });
    await expect(tooMany).rejects.toThrow('more than 3 redirects');
  });

  test('never follows when something is sent along', async () => {
    const seen: string[] = [];
    await using server = await serving((request, response) => {
      seen.push(String(request.url));
      response.writeHead(307, { location: '/other' }).end();
    });
    const body = new URLSearchParams({ secret: 'x' });
    const answer = await createFetch(anything)(server.origin, {
      method: 'POST',
      body,
      redirect: 'follow',
    });
    expect(answer.status).toBe(307);
    expect(seen).toEqual(['/']);
  });

  test('asks before it connects, also after a redirect', async () => {
    const checked: string[] = [];
    const wary: EgressPolicy = {
      ...anything,
      check: (url) => {
        const { pathname } = new URL(url);
        checked.push(pathname);
        return pathname === '/b' ? new KitError('refused_by_policy', 'not there') : undefined;
      },
    };
    const seen: string[] = [];
    await using server = await serving((request, response) => {
      seen.push(String(request.url));
      response.writeHead(302, { location: '/b' }).end();
    });
    const asked = createFetch(wary)(`${server.origin}/a`, { redirect: 'follow' });
    await expect(asked).rejects.toMatchObject({ code: 'refused_by_policy' });
    expect(checked).toEqual(['/a', '/b']);
    expect(seen).toEqual(['/a']);
  });

  test('gives up an answer that is too long, or takes too long', async () => {
    await using server = await serving((request, response) => {
      response.writeHead(200);
      if (request.url === '/long') response.write('x'.repeat(5000));
      else response.write('x');
    });
    const fetch = createFetch(anything, { maxBytes: 4096, timeoutMs: 200 });
    await expect(fetch(`${server.origin}/long`)).rejects.toThrow('more than 4096 bytes');
    await expect(fetch(`${server.origin}/slow`)).rejects.toMatchObject({ code: 'timeout' });
  });

  test('ends when its owner does', async () => {
    await using server = await serving(() => {});
    const owner = new AbortController();
    const asked = createFetch(anything, { signal: owner.signal })(server.origin);
    owner.abort();
    await expect(asked).rejects.toMatchObject({ code: 'aborted' });
  });

  test('says who cannot be reached', async () => {
    await expect(createFetch(anything)('http://127.0.0.1:9/x?secret=1')).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.not.stringContaining('secret') as string,
    });
  });
});

describe('the default policy', () => {
  const remote = defaultEgress(new URL('https://mcp.example.com/mcp'));
  const local = defaultEgress(new URL('http://localhost:3000/mcp'));

  test.each([
    'http://auth.example.com',
    'http://127.0.0.1:8080',
    'https://127.0.0.1',
    'https://localhost/x',
    'https://a.localhost',
    'https://[::1]/',
    'https://0x7f.1/',
    'https://user:password@auth.example.com',
    'ftp://auth.example.com',
    'file:///etc/passwd',
    'nonsense',
  ])('of a server far away does not lead to %s', (url) => {
    expect(remote.check(url)).toMatchObject({ code: 'refused_by_policy' });
  });

  test('leads to https, and for a server on this machine to this machine', () => {
    expect(remote.check('https://auth.example.com/x')).toBeUndefined();
    expect(local.check('http://127.0.0.1:8080')).toBeUndefined();
    expect(local.check('https://auth.example.com')).toBeUndefined();
    expect(local.check('http://auth.example.com')).toMatchObject({ code: 'refused_by_policy' });
  });
});
