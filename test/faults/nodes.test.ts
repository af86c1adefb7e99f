// Three processes behind a balancer that gives each connection to the next one: their clients notice nothing of it.
import { randomInt } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { Balancer } from '../support/balancer.ts';
import { requireBuild } from '../support/cli.ts';
import { open, send, type Message } from '../support/http-client.ts';
import { postHeaders, request, startSession, type LegacySession } from '../support/mcp-http.ts';
import { startNode } from '../support/node-processes.ts';
import { hasRedis, RedisServer } from '../support/redis.ts';
import { longMs, sample, scaled } from '../support/scale.ts';

beforeAll(requireBuild);

const clients = 6;
const rounds = scaled(200);

/** Everything that a call says, over as many connections as it takes: each is cut after a few events. */
async function heardOf(url: string, { headers }: LegacySession, body: Message): Promise<Message[]> {
  const heard: Message[] = [];
  const accept = 'text/event-stream';
  let lastEventId: string | undefined;
  for (;;) {
    const after = {
      method: 'GET',
      headers: { ...headers, accept, 'last-event-id': lastEventId ?? '' },
    };
    const asked = { body, headers: { ...postHeaders, ...headers, accept } };
    using stream = await open(url, lastEventId === undefined ? asked : after);
    expect(stream.status).toBe(200);
    for (let left = 1 + randomInt(6); left > 0; left -= 1) {
      const event = await stream.nextEvent().catch(() => undefined);
      if (event === undefined) break;
      lastEventId = event.id ?? lastEventId;
      if (!event.data) continue;
      const message = JSON.parse(event.data) as Message;
      heard.push(message);
      if (message.method === undefined) return heard;
    }
  }
}

const steps = [1, 2, 3, 4, 5, 6, 7, 8];

async function countSteps(url: string, session: LegacySession, id: string): Promise<void> {
  const heard = await heardOf(url, session, request(id, 'tools/call', { name: 'count_steps' }));
  const last = heard.pop();
  expect(heard.map(({ params }) => params?.['data'])).toEqual(steps);
  expect(last).toMatchObject({ id, result: { content: [{ text: 'counted' }] } });
}

async function answerQuestion(url: string, { headers }: LegacySession, id: string): Promise<void> {
  const body = request(id, 'tools/call', { name: 'ask_word' });
  using call = await open(url, { body, headers: { ...postHeaders, ...headers } });
  const question = await call.nextMessage();
  expect(question.method).toBe('elicitation/create');
  const result = { action: 'accept', content: { word: id } };
  const answer = { jsonrpc: '2.0', id: question.id, result };
  const told = await send(url, { body: answer, headers: { ...postHeaders, ...headers } });
  expect(told.status).toBe(202);
  expect(await call.nextMessage()).toMatchObject({ id, result: { content: [{ text: id }] } });
}

async function useAnyNode(place: string): Promise<void> {
  await using a = await startNode(place);
  await using b = await startNode(place);
  await using c = await startNode(place);
  await using balancer = await Balancer.start([a.port, b.port, c.port]);
  const { url } = balancer;
  const capabilities = { elicitation: {} };
  const use = async (client: number): Promise<void> => {
    const session = await startSession(url, { capabilities });
    for (let round = 0; round < rounds; round += 1) {
      const id = `${client}-${round}`;
      expect((await session.request('tools/list')).status).toBe(200);
      await countSteps(url, session, `steps ${id}`);
      await answerQuestion(url, session, `word ${id}`);
    }
    expect((await session.delete()).status).toBe(204);
    expect((await session.request('ping')).status).toBe(404);
  };
  await Promise.all(Array.from({ length: clients }, (_, client) => use(client)));
}

async function killOne(place: string): Promise<void> {
  await using a = await startNode(place);
  await using b = await startNode(place);
  await using balancer = await Balancer.start([a.port]);
  const { url } = balancer;
  const session = await startSession(url, { capabilities: { elicitation: {} } });
  const body = request('word', 'tools/call', { name: 'ask_word' });
  const headers = { ...postHeaders, ...session.headers };
  const call = await open(url, { body, headers });
  const { id } = await call.nextEvent();
  balancer.ports = [b.port];
  await a.child.stop('SIGKILL');
  // Its session goes on at once, and what became of the call is told when it is known that nobody will answer it.
  expect((await session.request('tools/list')).status).toBe(200);
  const after = { ...session.headers, accept: 'text/event-stream', 'last-event-id': String(id) };
  using rest = await open(url, { method: 'GET', headers: after });
  expect(await rest.nextMessage()).toMatchObject({ method: 'elicitation/create' });
  expect(await rest.nextMessage()).toMatchObject({
    id: 'word',
    error: { data: { code: 'E_OWNER_LOST' } },
  });
  await countSteps(url, session, 'steps');
}

const places: Readonly<Record<string, (use: (place: string) => Promise<void>) => Promise<void>>> = {
  async folder(use) {
    const folder = await mkdtemp(path.join(tmpdir(), 'nodes-'));
    try {
      await use(path.join(folder, 'store'));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
  async Redis(use) {
    await using server = await RedisServer.start();
    await use(server.url);
  },
};

const { tried, share } = sample(Object.keys(places), 2);

describe.each(Object.entries(places))('Processes that share a store in %s', (name, inPlace) => {
  const isHere = name !== 'Redis' || hasRedis;
  test.skipIf(!isHere)(
    'serve as one: every session is known, every event comes once, every answer arrives',
    () => inPlace(useAnyNode),
    longMs,
  );
  if (!tried.includes(name)) return;
  test.skipIf(!isHere)(`${share}: go on for one that is killed`, () => inPlace(killOne), longMs);
});
