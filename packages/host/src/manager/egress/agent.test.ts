import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type RequestOptions } from 'node:http';
import { get as getSecurely } from 'node:https';
import { connect, type AddressInfo, type Server } from 'node:net';
import type { KitError } from 'mcp-kit/internal';
import { describe, expect, test } from 'vitest';
import { holdTo } from './agent.ts';
import { createEgress, type Egress, type EgressOptions } from './egress.ts';
import type { EgressPolicy } from './policy.ts';

interface Listening extends AsyncDisposable {
  readonly port: number;
  /** Connections so far. */
  readonly count: number;
}

async function listen(server: Server): Promise<Listening> {
  let count = 0;
  server.on('connection', () => {
    count += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    get count() {
      return count;
    },
    [Symbol.asyncDispose]: async () => {
      if ('closeAllConnections' in server) (server.closeAllConnections as () => void)();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const serve = (): Promise<Listening> =>
  listen(createServer((request, response) => response.end(request.headers.host)));

const local: Partial<EgressPolicy> = { requireHttps: false, allowLocalhost: true };

function open(
  policy: Partial<EgressPolicy>,
  resolve: EgressOptions['resolve'],
): Egress & Disposable {
  const egress = createEgress(policy, { server: 'docs', resolve });
  return { ...egress, [Symbol.dispose]: () => egress.destroy() };
}

/** The body of the answer; a refusal is thrown, whether at once or later. */
async function fetchText(egress: Egress, url: string, more: RequestOptions = {}): Promise<string> {
  const ask = url.startsWith('https:') ? getSecurely : get;
  const request = ask(url, { agent: egress.agentFor(url), ...more });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += String(chunk);
  return text;
}

describe('an agent', () => {
  test('looks a name up once per connection, and connects to what was found', async () => {
    await using server = await serve();
    const asked: string[] = [];
    using egress = open(local, async (host) => {
      asked.push(host);
      return ['127.0.0.1'];
    });
    const url = `http://app.localhost:${server.port}/`;
    expect(await fetchText(egress, url)).toBe(`app.localhost:${server.port}`);
    expect(await fetchText(egress, url)).toBe(`app.localhost:${server.port}`);
    expect(asked).toEqual(['app.localhost']);
    expect(server.count).toBe(1);
  });

  test('resolves names as the system does when nothing else is said', async () => {
    await using server = await serve();
    using egress = open(local, undefined);
    const url = `http://localhost:${server.port}/`;
    expect(await fetchText(egress, url)).toBe(`localhost:${server.port}`);
  });

  test('refuses a name of which any address is bad, whatever is loosened', async () => {
    await using server = await serve();
    for (const policy of [local, { ...local, allowPrivateIps: true }]) {
      using egress = open(policy, async () => ['127.0.0.1', '169.254.169.254']);
      await expect(fetchText(egress, `http://app.localhost:${server.port}/`)).rejects.toMatchObject(
        {
          code: 'refused_by_policy',
          message: expect.stringMatching(
            /resolves to non-global ip in untrusted mode: docs host=app.localhost ip=169.254.169.254$/,
          ),
        },
      );
    }
    expect(server.count).toBe(0);
  });

  test('does not take a public name for this machine, although this machine is allowed', async () => {
    await using server = await serve();
    using egress = open({ ...local, allowedPorts: [server.port] }, async () => ['127.0.0.1']);
    await expect(fetchText(egress, `http://evil.example:${server.port}/`)).rejects.toMatchObject({
      code: 'refused_by_policy',
    });
    expect(server.count).toBe(0);
  });

  test('does not connect to a port of the internet that a name of the network around might have had', async () => {
    using egress = open({ allowPrivateIps: true }, async () => ['8.8.8.8']);
    await expect(fetchText(egress, 'https://db.example:5432/')).rejects.toMatchObject({
      message: expect.stringContaining('port=5432'),
    });
  });

  test.each(['127.1', '0x7f.1', '2130706433', '127.0.0.1', '::1', '::ffff:127.0.0.1'])(
    'checks the host of a request by what it means: %s',
    async (host) => {
      await using server = await serve();
      using egress = open({ requireHttps: false }, async () => ['127.0.0.1']);
      const request = { host, hostname: host, port: server.port };
      await expect(fetchText(egress, 'http://example.com', request)).rejects.toMatchObject({
        code: 'refused_by_policy',
      });
      expect(server.count).toBe(0);
    },
  );

  test('opens no unix socket', async () => {
    using egress = open(local, undefined);
    const request = { socketPath: '/tmp/nothing.sock' };
    await expect(fetchText(egress, 'http://localhost', request)).rejects.toMatchObject({
      message: 'refusing to connect unix mcp server in untrusted mode: docs',
    });
  });

  test('does not let a request bring its own lookup', async () => {
    await using server = await serve();
    using egress = open({ requireHttps: false, allowedPorts: [server.port] }, async () => []);
    const lookup: RequestOptions['lookup'] = (_, __, callback) => callback(null, '127.0.0.1', 4);
    const fetching = fetchText(egress, `http://example.com:${server.port}`, { lookup });
    await expect(fetching).rejects.toMatchObject({ code: 'unreachable' });
    expect(server.count).toBe(0);
  });

  test('shares no connection with that of another policy', async () => {
    await using server = await serve();
    using one = open(local, async () => ['127.0.0.1']);
    using other = open(local, async () => ['127.0.0.1']);
    const url = `http://localhost:${server.port}/`;
    await fetchText(one, url);
    await fetchText(other, url);
    expect(server.count).toBe(2);
  });

  test('without the check of names connects to what they lead to', async () => {
    await using server = await serve();
    const policy = { requireHttps: false, dnsCheck: false, allowedPorts: [server.port] };
    using egress = open(policy, async () => ['127.0.0.1']);
    const url = `http://app.example:${server.port}/`;
    expect(await fetchText(egress, url)).toBe(`app.example:${server.port}`);
    await expect(fetchText(egress, `http://127.0.0.1:${server.port}/`)).rejects.toMatchObject({
      code: 'refused_by_policy',
    });
  });
});

describe('a lookup', () => {
  const never = new Promise<never>(() => {});

  test('that takes too long is an outage', async () => {
    using egress = open({ dnsTimeoutMs: 20 }, () => never);
    await expect(fetchText(egress, 'https://slow.example/')).rejects.toMatchObject({
      code: 'unreachable',
      message:
        'refusing to connect hostname with timed out dns lookup in untrusted mode: docs host=slow.example',
    });
  });

  test('that fails is an outage', async () => {
    const cause = new Error('ENOTFOUND');
    using egress = open({}, () => Promise.reject(cause));
    await expect(fetchText(egress, 'https://gone.example/')).rejects.toMatchObject({
      code: 'unreachable',
      message:
        'refusing to connect hostname with failed dns lookup in untrusted mode: docs host=gone.example',
      cause,
    });
  });

  test('that may be late is waited for, and still checked', async () => {
    await using server = await serve();
    let answer = ['127.0.0.1'];
    const policy = { ...local, dnsFailOpen: true, dnsTimeoutMs: 5 };
    using egress = open(policy, () => new Promise((resolve) => setTimeout(resolve, 40, answer)));
    const url = `http://app.localhost:${server.port}/`;
    expect(await fetchText(egress, url)).toBe(`app.localhost:${server.port}`);
    answer = ['10.0.0.1'];
    await expect(fetchText(egress, 'http://b.localhost')).rejects.toMatchObject({
      code: 'refused_by_policy',
    });
  });

  test('serves all who ask meanwhile, and two names at most are asked for at a time', async () => {
    const asked: string[] = [];
    const answers = new Map<string, (addresses: string[]) => void>();
    using egress = open({ dnsTimeoutMs: 10_000 }, (host) => {
      asked.push(host);
      return new Promise((resolve) => answers.set(host, resolve));
    });
    const fetching = ['a', 'a', 'b', 'c', 'c'].map((name) =>
      fetchText(egress, `https://${name}.example/`).catch((error: unknown) => error),
    );
    await expect.poll(() => asked).toEqual(['a.example', 'b.example']);
    answers.get('a.example')?.(['10.0.0.1']);
    await expect.poll(() => asked).toEqual(['a.example', 'b.example', 'c.example']);
    answers.get('b.example')?.(['10.0.0.2']);
    answers.get('c.example')?.(['10.0.0.3']);
    const refused = (await Promise.all(fetching)).map((error) => (error as KitError).message);
    const ips = refused.map((message) => message.split('ip=')[1]);
    expect(ips).toEqual(['10.0.0.1', '10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.3']);
  });
});

test('a connection that leads elsewhere is cut before anything is sent', async () => {
  const received: string[] = [];
  await using server = await listen(
    createServer((request, response) => {
      received.push(String(request.url));
      response.end();
    }),
  );
  const socket = connect(server.port, '127.0.0.1');
  holdTo(socket, ['93.184.216.34'], { server: 'docs' });
  socket.write('GET /secret HTTP/1.0\r\n\r\n');
  const [error] = (await once(socket, 'error')) as [KitError];
  expect(error).toMatchObject({ code: 'refused_by_policy' });
  expect(error.message).toContain('ip=127.0.0.1');
  expect(socket.bytesWritten).toBe(0);
  expect(received).toEqual([]);
});
