import { createBridge } from 'mcp-kit/bridge';
import { createServer } from 'mcp-kit/server';
import { tool, toolSet } from 'mcp-kit/tools';
import type { HttpOptions } from 'mcp-kit/transport/http';
import { httpTarget } from 'mcp-kit/transport/http-client';
import { expect, onTestFinished, test, vi } from 'vitest';
import { text } from '../requirements/bridge-talk.ts';
import { older, script, type Script } from '../requirements/client-script.ts';
import { send, type Message } from '../support/http-client.ts';
import {
  modern,
  notification,
  request,
  serving,
  startSession,
  type LegacySession,
} from '../support/mcp-http.ts';

const identify: NonNullable<HttpOptions['identify']> = (headers) => String(headers['x-user']);
const maxUpstreams = 4;
const form = { message: 'Who?', requestedSchema: { type: 'object', properties: {} } };
const capabilities = { elicitation: { form: {} } };

const note = { level: 'info', data: 'begun' };

/** A legacy server with a tool that asks, two that never answer, and one that does. */
function asking(): Script {
  return script({
    ...older,
    initialize: () => ({
      protocolVersion: '2025-11-25',
      capabilities: { tools: {}, resources: { subscribe: true } },
      serverInfo: { name: 'asking', version: '1' },
    }),
    'resources/subscribe': () => ({}),
    'tools/call': async ({ name }, { id, peer }) => {
      if (name === 'begin') peer.say({ method: 'notifications/message', params: note });
      if (name === 'hang' || name === 'begin') return undefined;
      if (name !== 'ask') return text;
      const question = `about ${id}`;
      peer.say({ id: question, method: 'elicitation/create', params: form });
      await peer.answerTo(question);
      return text;
    },
  });
}

interface Place extends AsyncDisposable {
  /** Calls a tool as somebody, without a handshake. */
  call(user: string, name: string, more?: object): Promise<Message>;
  /** A session of somebody. */
  join(user: string): Promise<LegacySession>;
  /** Calls of somebody that have come to the server, and wait for `answerAll`. */
  hang(user: string, count: number): Promise<Promise<Message>[]>;
  /** How many calls have come to the server. */
  begun(): number;
  answerAll(): void;
}

async function open(options: HttpOptions = { identify }): Promise<Place> {
  const server = asking();
  const bridge = createBridge(server.target, { era: 'legacy', maxUpstreams });
  const front = await serving(bridge, options);
  const begun = (): number => server.peers.flatMap((peer) => peer.of('tools/call')).length;
  const call: Place['call'] = async (user, name, more) => {
    const sent = modern('tools/call', { name, arguments: {}, ...more }, { capabilities });
    const headers = { ...sent.headers, 'x-user': user };
    return (await send(front.url, { ...sent, headers })).message;
  };
  return {
    begun,
    call,
    async hang(user, count) {
      const before = begun();
      const hanging = Array.from({ length: count }, () => call(user, 'hang'));
      await vi.waitUntil(() => begun() === before + count);
      return hanging;
    },
    answerAll() {
      for (const peer of server.peers) {
        for (const { id } of peer.of('tools/call')) peer.say({ id, result: text });
      }
    },
    async join(user) {
      const headers = { 'x-user': user };
      const session = await startSession(front.url, { capabilities, headers, ready: false });
      await session.post(notification('notifications/initialized'), headers);
      return session;
    },
    async [Symbol.asyncDispose]() {
      await front.close();
      await bridge.close();
    },
  };
}

const answered = ({ result = {} }: Message): object => {
  const { inputRequests = {}, requestState } = result;
  const [key = ''] = Object.keys(inputRequests as object);
  return { requestState, inputResponses: { [key]: { action: 'accept', content: {} } } };
};

const overloaded = { error: { code: -32_000 } };

test('nobody has more calls under way than are left for others', async () => {
  await using place = await open();
  const hanging = await place.hang('alice', 2);
  expect(await place.call('alice', 'any')).toMatchObject(overloaded);
  hanging.push(...(await place.hang('bob', 1)));
  expect(await place.call('bob', 'any')).toMatchObject(overloaded);
  hanging.push(...(await place.hang('carol', 1)));
  // None is left, and calls that are under way give way to nobody.
  expect(await place.call('dave', 'any')).toMatchObject(overloaded);
  place.answerAll();
  for (const answer of hanging) expect(await answer).toMatchObject({ result: text });
  expect(await place.call('alice', 'any')).toMatchObject({ result: text });
});

test('sessions that are open already are no way around it', async () => {
  await using place = await open();
  const headers = { 'x-user': 'alice' };
  const sessions: LegacySession[] = [];
  for (let one = 0; one < maxUpstreams; one += 1) sessions.push(await place.join('alice'));
  const hang = request(7, 'tools/call', { name: 'hang' });
  const [first, second, third] = sessions;
  const hanging = [first, second].map((session) => session?.post(hang, headers));
  await vi.waitUntil(() => place.begun() === 2);
  const refused = await third?.request('tools/call', { name: 'any' }, headers);
  expect(refused?.message).toMatchObject(overloaded);
  expect(await place.call('bob', 'any')).toMatchObject({ result: text });
  place.answerAll();
  for (const answer of hanging) expect((await answer)?.message).toMatchObject({ result: text });
});

test('a conversation that all callers share is at the expense of none of them', async () => {
  const begun: ((said: string) => void)[] = [];
  const hang = tool({
    name: 'hang',
    description: 'Answers when it is told to.',
    run: () => new Promise<string>((resolve) => begun.push(resolve)),
  });
  const any = tool({ name: 'any', description: 'Answers.', run: () => 'done' });
  const server = createServer({ name: 'at-a-url', version: '1', features: [toolSet([hang, any])] });
  await using back = await serving(server);
  await using bridge = createBridge(httpTarget(back.url), { maxUpstreams });
  await using front = await serving(bridge, { identify });
  const call = async (user: string, name: string, meta: object = {}): Promise<Message> => {
    const sent = modern('tools/call', { name, arguments: {} }, { meta: { ...meta } });
    const headers = { ...sent.headers, 'x-user': user };
    return (await send(front.url, { ...sent, headers })).message;
  };
  expect(await call('alice', 'any')).toMatchObject({ result: text });
  // Who wants to hear log messages has a conversation to itself.
  const alone = { 'io.modelcontextprotocol/logLevel': 'info' };
  const hanging = [call('alice', 'hang', alone), call('alice', 'hang', alone)];
  await vi.waitUntil(() => begun.length === 2);
  expect(await call('alice', 'any', alone)).toMatchObject(overloaded);
  for (const user of ['bob', 'alice'])
    expect(await call(user, 'any')).toMatchObject({ result: text });
  expect(await call('bob', 'any', alone)).toMatchObject({ result: text });
  for (const answer of begun) answer('done');
  for (const answer of hanging) expect(await answer).toMatchObject({ result: text });
});

test('where callers are not told apart, calls may have all there is', async () => {
  await using place = await open({});
  const hanging = await place.hang('anybody', maxUpstreams);
  place.answerAll();
  for (const answer of hanging) expect(await answer).toMatchObject({ result: text });
});

test('calls that wait for a caller give way to other callers, the oldest first', async () => {
  await using place = await open();
  const parked = [await place.call('alice', 'ask'), await place.call('alice', 'ask')];
  expect(parked.map(({ result }) => result?.['resultType'])).toEqual([
    'input_required',
    'input_required',
  ]);
  for (const other of ['bob', 'carol']) await place.call(other, 'ask');
  expect(await place.call('dave', 'any')).toMatchObject({ result: text });
  const [first, second] = parked.map(answered);
  expect(await place.call('alice', 'ask', first)).toMatchObject({ error: { code: -32_602 } });
  expect(await place.call('alice', 'ask', second)).toMatchObject({ result: text });
});

test('sessions whose caller does not answer, or only watches, give way to other callers', async () => {
  await using place = await open();
  const silent = await place.join('alice');
  const watching: LegacySession[] = [];
  for (let one = 1; one < maxUpstreams; one += 1) watching.push(await place.join('alice'));
  const headers = { 'x-user': 'alice' };
  const params = { name: 'ask', arguments: {} };
  const stream = await silent.stream(
    { jsonrpc: '2.0', id: 7, method: 'tools/call', params },
    headers,
  );
  expect(await stream.nextMessage()).toMatchObject({ method: 'elicitation/create' });
  for (const session of watching) {
    await session.request('resources/subscribe', { uri: 'memo://a' }, headers);
  }
  expect(await place.call('bob', 'any')).toMatchObject({ result: text });
  // The call has ended with its session.
  expect(await stream.nextMessage()).toMatchObject({ id: 7, error: { code: -32_000 } });
  expect((await silent.request('ping', {}, headers)).status).toBe(404);
  expect((await watching[0]?.request('ping', {}, headers))?.status).toBe(200);
});

test('where callers are not told apart, those who have left give way to those who come', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  await using place = await open({});
  const asked = await place.join('anybody');
  const hung = await place.join('anybody');
  const watching = await place.join('anybody');
  const streams = [
    await asked.stream(request(7, 'tools/call', { name: 'ask', arguments: {} })),
    await hung.stream(request(8, 'tools/call', { name: 'begin' })),
  ];
  await vi.waitUntil(() => place.begun() === 2);
  await watching.request('resources/subscribe', { uri: 'memo://a' });
  const listener = async (): Promise<LegacySession> => {
    const session = await place.join('anybody');
    streams.push(await session.listen());
    await session.request('resources/subscribe', { uri: 'memo://a' });
    return session;
  };
  const stayed = [await listener()];
  expect(await place.call('anybody', 'any')).toMatchObject(overloaded);
  for (const stream of streams.splice(0, 2)) stream.close();
  vi.advanceTimersByTime(2000);
  for (let one = 1; one < maxUpstreams; one += 1) stayed.push(await listener());
  for (const { request: ask } of [asked, hung, watching])
    expect((await ask('ping')).status).toBe(404);
  // At the ends of all there is somebody now.
  expect(await place.call('anybody', 'any')).toMatchObject(overloaded);
  for (const { request: ask } of stayed) expect((await ask('ping')).status).toBe(200);
  for (const stream of streams) stream.close();
});
