import { Agent, request as httpRequest } from 'node:http';
import { expect, test } from 'vitest';
import type { Call } from '../support/http-client.ts';
import { modern } from '../support/mcp-http.ts';
import { operating } from './fixture.ts';

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
