import { Agent, request as httpRequest } from 'node:http';
import { expect, test } from 'vitest';
import { requireBuild } from '../support/cli.ts';
import { Child } from '../support/child-process.ts';
import type { Call } from '../support/http-client.ts';
import { modern } from '../support/mcp-http.ts';
import { operating, sample } from './fixture.ts';

/** One connection, over which one request after the other is sent. */
class Line implements Disposable {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #url: string;
  readonly #sockets = new Set<object>();

  constructor(url: string) {
    this.#url = url;
  }

  /** How many it took so far. */
  get connections(): number {
    return this.#sockets.size;
  }

  send({ headers = {}, body }: Call): Promise<number> {
    return new Promise((resolve, reject) => {
      const options = { agent: this.#agent, headers, method: 'POST' };
      const sent = httpRequest(this.#url, options, (response) => {
        this.#sockets.add(response.socket);
        response.on('end', () => resolve(response.statusCode ?? 0)).resume();
      });
      sent.on('error', reject).end(JSON.stringify(body));
    });
  }

  /** Sends again and again, whatever the answers are; gives how many there were. */
  async flood(call: Call, ms: number): Promise<number> {
    const endMs = performance.now() + ms;
    let answers = 0;
    while (performance.now() < endMs) {
      await this.send(call);
      answers += 1;
    }
    return answers;
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}

const call = (headers: Record<string, string> = {}): Call =>
  modern('tools/call', { name: 'whoami' }, { headers });

test.concurrent('a connection that is refused again and again ends with an answer', async () => {
  await using server = await operating({ limits: { address: '1/h' } });
  using line = new Line(server.url);
  expect(await line.send(call())).toBe(200);
  for (let times = 0; times < 25; times++) expect(await line.send(call())).toBe(429);
  // Ten refusals each for the first two connections.
  expect(line.connections).toBe(3);
});

test.concurrent('whoever waits as long as they are told is served', async () => {
  await using server = await operating({ limits: { address: '1/s' } });
  using line = new Line(server.url);
  for (let times = 0; times < 2; times++) {
    expect(await line.send(call())).toBe(200);
    expect(await line.send(call())).toBe(429);
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
  expect(await line.send(call())).toBe(200);
});

/** What a server of its own spends on a request of a flood over several connections, in µs of CPU: the least of some tries. */
async function cpuOfFlood(...args: readonly string[]): Promise<number> {
  const serve = ['serve', '--port', '0', '--json', '--metrics-port', '0', ...args];
  await using child = Child.mcpctl(...serve);
  const line = await child.until(() => /^.*\n/.exec(child.stdout)?.[0]);
  const { url, metrics } = JSON.parse(line) as { url: string; metrics: string };
  const spent = async (): Promise<number> =>
    sample(await (await fetch(metrics)).text(), 'process_cpu_seconds_total');
  const time = modern('tools/call', { name: 'get_time_now', arguments: {} });
  const lines = Array.from({ length: 8 }, () => new Line(url));
  const tries: number[] = [];
  try {
    for (let times = 0; times < 4; times++) {
      const before = await spent();
      const answers = await Promise.all(lines.map((one) => one.flood(time, 300)));
      const count = answers.reduce((sum, some) => sum + some, 0);
      tries.push((((await spent()) - before) / count) * 1e6);
    }
    return Math.min(...tries);
  } finally {
    for (const one of lines) one[Symbol.dispose]();
  }
}

// A fifth where nothing else runs, as `bench/operate.mjs` shows; this machine may be busy.
test('a request that is refused again costs less than half of one that is served', async () => {
  requireBuild();
  const served = await cpuOfFlood();
  const refused = await cpuOfFlood('--limit-address', '1/h');
  expect(served).toBeGreaterThan(20);
  expect(refused * 2).toBeLessThan(served);
});
