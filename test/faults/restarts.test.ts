// A server with a store is killed and started again while it is used: its clients go on, and nothing is done twice.
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { Child } from '../support/child-process.ts';
import { requireBuild } from '../support/cli.ts';
import { open, send, type Message } from '../support/http-client.ts';
import { lastingPort } from '../support/lasting-port.ts';
import { postHeaders, request, startSession, type LegacySession } from '../support/mcp-http.ts';
import { longMs, scaled } from '../support/scale.ts';

beforeAll(requireBuild);

const script = path.join(import.meta.dirname, 'child/lasting-server.mjs');
const clients = 8;

/** What became of one order, as its client was told. */
type Outcome = 'paid' | 'unknown';

interface Shop {
  readonly url: string;
  readonly statuses: Set<number>;
}

async function startServer(folder: string, port: number): Promise<Child> {
  const child = new Child(process.execPath, [script, folder, String(port)]);
  await child.until(() => child.stdout.includes('ready') || undefined);
  return child;
}

/** Hears an answer to its end, over as many connections as it takes; nothing where there is no place to come back to. */
async function answerOf(
  { url, statuses }: Shop,
  { headers }: LegacySession,
  body: Message,
): Promise<Message | undefined> {
  let lastEventId: string | undefined;
  for (;;) {
    try {
      const asked =
        lastEventId === undefined
          ? { body, headers: { ...postHeaders, ...headers, accept: 'text/event-stream' } }
          : {
              method: 'GET',
              headers: { ...headers, accept: 'text/event-stream', 'last-event-id': lastEventId },
            };
      const stream = await open(url, asked);
      statuses.add(stream.status);
      // The end was heard, or the id came with nothing after it.
      if (stream.status !== 200) return undefined;
      for (;;) {
        const { id, data } = await stream.nextEvent();
        lastEventId = id ?? lastEventId;
        if (!data) continue;
        const message = JSON.parse(data) as Message;
        if (message.method === undefined) return message;
      }
    } catch {
      // Nobody is there for now, or was cut off before it said anything.
      await sleep(20);
      if (lastEventId === undefined) return undefined;
    }
  }
}

/** Pays an order under a key of its own, asking again until it is known what came of it. */
async function pay(shop: Shop, session: LegacySession, order: string): Promise<Outcome> {
  const args = { order, idempotencyKey: order };
  for (let attempt = 0; ; attempt += 1) {
    const params = { name: 'create_order_payment', arguments: args };
    const answer = await answerOf(
      shop,
      session,
      request(`${order} ${attempt}`, 'tools/call', params),
    );
    if (answer === undefined || answer.error !== undefined) continue;
    const { error } = Object(answer.result?.['structuredContent']) as {
      readonly error: { readonly retryable: boolean } | null;
    };
    if (error === null) return 'paid';
    if (!error.retryable) return 'unknown';
    await sleep(50);
  }
}

const kills = scaled(100);

test(
  `${clients} clients of a server that is killed ${kills} times keep their sessions, and each order is paid once`,
  async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'restarts-'));
    const port = await lastingPort();
    const shop: Shop = { url: `http://127.0.0.1:${port}/mcp`, statuses: new Set() };
    let server = await startServer(folder, port);
    try {
      const sessions = await Promise.all(
        Array.from({ length: clients }, () => startSession(shop.url)),
      );
      const outcomes = new Map<string, Outcome>();
      const over = new AbortController();
      const shopping = sessions.map(async (session, client) => {
        for (let count = 0; !over.signal.aborted; count += 1) {
          const order = `order ${client}-${count}`;
          outcomes.set(order, await pay(shop, session, order));
        }
      });
      for (let kill = 0; kill < kills; kill += 1) {
        const before = outcomes.size;
        // After another number of orders each time.
        await expect.poll(() => outcomes.size).toBeGreaterThan(before + ((kill * 7) % 30));
        await server.stop('SIGKILL');
        server = await startServer(folder, port);
      }
      over.abort();
      await Promise.all(shopping);
      for (const { headers } of sessions) {
        const ping = { body: request('ping', 'ping'), headers: { ...postHeaders, ...headers } };
        expect((await send(shop.url, ping)).message).toMatchObject({ result: {} });
      }
      const paid = readFileSync(path.join(folder, 'payments'), 'utf8').trim().split('\n');
      expect(new Set(paid).size).toBe(paid.length);
      const promised = [...outcomes].filter(([, outcome]) => outcome === 'paid');
      expect(paid).toEqual(expect.arrayContaining(promised.map(([order]) => order)));
      expect(promised.length).toBeGreaterThan(kills);
      // 204: all was heard before. Never 404: no session is lost.
      expect([...shop.statuses].filter((status) => status !== 200 && status !== 204)).toEqual([]);
      const unknown = [...outcomes.values()].filter((outcome) => outcome === 'unknown').length;
      expect(unknown).toBeLessThanOrEqual(kills * clients);
    } finally {
      await server.stop('SIGKILL');
      await rm(folder, { recursive: true, force: true });
    }
  },
  longMs,
);
