import { setTimeout as sleep } from 'node:timers/promises';
import { createServer, resources, type Server } from 'mcp-kit/server';
import { tool, toolSet } from 'mcp-kit/tools';
import { serveHttp, type ProfileName } from 'mcp-kit/transport/http';
import { describe, expect, test } from 'vitest';
import { fewer } from '../support/scale.ts';
import { RawHttp, requestBytes } from './lib/raw-http.ts';
import { EventConnection, type Place } from './lib/stream-client.ts';
import { openSession, toolCall } from './lib/wire.ts';

const schedules = fewer(500, 5);
const atOnce = 15;

const random = (below: number): number => Math.floor(Math.random() * below);

/** Says numbers, one after the other or many at once, then answers. */
const count = tool({
  name: 'count',
  description: 'Counts aloud.',
  input: {
    type: 'object',
    properties: { to: { type: 'integer' }, pauseMs: { type: 'number' }, tag: { type: 'string' } },
    required: ['to', 'pauseMs', 'tag'],
  },
  async run({ to, pauseMs, tag }, context) {
    for (let at = 0; at < to; at++) {
      await context.log('info', `${tag}:${at}`);
      if (pauseMs > 0) await sleep(Math.random() * pauseMs);
    }
    return `${tag}:done`;
  },
});

function createService(): Server {
  const files = resources({ resources: [{ uri: 'test://a', name: 'a', read: () => '' }] });
  return createServer({ name: 'resume', version: '1', features: [toolSet([count]), files] });
}

async function serve(profile: ProfileName = 'spec') {
  const service = createService();
  const listening = await serveHttp(service, { profile });
  return { service, port: listening.port, [Symbol.asyncDispose]: () => listening.close() };
}

/** What the events of one stream said. */
function said(data: string): string[] {
  if (data === '') return [];
  const message = JSON.parse(data) as {
    params?: { data?: string; uri?: string };
    result?: { content: { text: string }[] };
  };
  return [message.params?.data ?? message.params?.uri ?? message.result?.content[0]?.text ?? data];
}

/** Calls the tool and fetches its stream over connections that break where the schedule says. */
async function callThrough(place: Place, tag: string): Promise<void> {
  const to = 1 + random(8);
  const body = toolCall(tag, 'count', { to, pauseMs: random(2) * 4, tag });
  const heard: string[] = [];
  let lastEventId: string | undefined;
  const answered = (): boolean => heard.at(-1) === `${tag}:done`;
  // The first event tells where to come back; after it, anything may break, also before the first byte.
  let cutAfter = 80 + random(to * 150 + 250);
  for (let tries = 0; !answered(); tries++) {
    expect(tries).toBeLessThan(100);
    const ask = lastEventId === undefined ? { body, cutAfter } : { lastEventId, cutAfter };
    const connection = new EventConnection(place, ask);
    await connection.until(() => connection.over);
    for (const { id, data } of connection.events) {
      lastEventId = id;
      heard.push(...said(data));
    }
    expect([0, 200]).toContain(connection.status);
    if (!answered() && random(3) === 0) await sleep(random(10));
    cutAfter = random(4) === 0 ? 0 : random(to * 150 + 400);
  }
  const expected = Array.from({ length: to }, (_, at) => `${tag}:${at}`);
  expect(heard).toEqual([...expected, `${tag}:done`]);
}

describe('after connections broke at random bytes', () => {
  test.each(['spec', '2025-06-18'] as const)(
    `each of ${schedules} calls is heard whole: nothing lost, nothing twice, in order, the answer last (profile %s)`,
    async (profile) => {
      await using server = await serve(profile);
      let started = 0;
      const lane = async (): Promise<void> => {
        using http = new RawHttp(server.port);
        const place = { port: server.port, session: (await openSession(http)).id };
        while (started < schedules) await callThrough(place, `call-${started++}`);
      };
      await Promise.all(Array.from({ length: atOnce }, lane));
    },
  );

  test('an answer that came while nobody listened is there for whoever comes back, for forty calls at once', async () => {
    await using server = await serve();
    using http = new RawHttp(server.port);
    const place = { port: server.port, session: (await openSession(http)).id };
    const calls = Array.from({ length: 40 }, async (_, at) => {
      const body = toolCall(at, 'count', { to: 2, pauseMs: 20, tag: `c${at}` });
      // Just enough to know where to come back.
      const first = new EventConnection(place, { body, cutAfter: 60 });
      await first.until(() => first.over);
      return { at, lastEventId: first.events.at(-1)?.id };
    });
    const left = await Promise.all(calls);
    await sleep(200);
    for (const { at, lastEventId } of left) {
      expect(lastEventId).toBeDefined();
      const second = new EventConnection(place, { lastEventId });
      await second.until(() => second.over);
      const heard = second.events.flatMap(({ data }) => said(data));
      expect(heard).toEqual([`c${at}:0`, `c${at}:1`, `c${at}:done`]);
    }
  });

  test('what belongs to no request arrives too, also what happened while no stream was open', async () => {
    await using server = await serve();
    using http = new RawHttp(server.port);
    const { id, headers } = await openSession(http);
    const uris = Array.from({ length: 200 }, (_, at) => `test://${at}`);
    for (const [at, uri] of uris.entries()) {
      const body = { jsonrpc: '2.0', id: at, method: 'resources/subscribe', params: { uri } };
      await http.exchange(requestBytes({ headers, body }));
    }
    const heard: string[] = [];
    let lastEventId: string | undefined;
    let told = 0;
    const tell = (): void => {
      const uri = uris[told++];
      if (uri !== undefined) server.service.resourceUpdated(uri);
    };
    for (let round = 0; heard.length < uris.length; round++) {
      expect(round).toBeLessThan(1000);
      for (let at = random(4); at > 0; at--) tell();
      const cutAfter = lastEventId === undefined ? 60 : random(600);
      const connection = new EventConnection(
        { port: server.port, session: id },
        { lastEventId, cutAfter },
      );
      const alive = connection.until(() => connection.over);
      await connection.until(() => connection.over || connection.status === 200);
      for (let at = random(5); at > 0 && !connection.over; at--) {
        tell();
        if (random(2) === 0) await sleep(1);
      }
      if (told >= uris.length) await Promise.race([alive, sleep(50)]);
      connection.reset();
      for (const event of connection.events) {
        lastEventId = event.id;
        heard.push(...said(event.data));
      }
    }
    expect(heard).toEqual(uris);
  });
});
