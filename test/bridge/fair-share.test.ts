import { createBridge } from 'mcp-kit/bridge';
import type { HttpOptions } from 'mcp-kit/transport/http';
import { expect, test, vi } from 'vitest';
import { text } from '../requirements/bridge-talk.ts';
import { older, script, type Script } from '../requirements/client-script.ts';
import { send, type Message } from '../support/http-client.ts';
import {
  modern,
  notification,
  serving,
  startSession,
  type LegacySession,
} from '../support/mcp-http.ts';

const identify: NonNullable<HttpOptions['identify']> = (headers) => String(headers['x-user']);
const maxUpstreams = 3;
const form = { message: 'Who?', requestedSchema: { type: 'object', properties: {} } };
const capabilities = { elicitation: { form: {} } };

/** A server of the older era with a tool that asks, one that never answers, and one that does. */
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
      if (name === 'hang') return undefined;
      if (name !== 'ask') return text;
      const question = `about ${id}`;
      peer.say({ id: question, method: 'elicitation/create', params: form });
      await peer.answerTo(question);
      return text;
    },
  });
}

interface Place extends AsyncDisposable {
  readonly server: Script;
  /** Calls a tool as somebody, without a handshake. */
  call(user: string, name: string, more?: object): Promise<Message>;
  /** A session of somebody. */
  join(user: string): Promise<LegacySession>;
}

async function open(): Promise<Place> {
  const server = asking();
  const bridge = createBridge(server.target, { era: 'legacy', maxUpstreams });
  const front = await serving(bridge, { identify });
  return {
    server,
    async call(user, name, more) {
      const sent = modern('tools/call', { name, arguments: {}, ...more }, { capabilities });
      const headers = { ...sent.headers, 'x-user': user };
      return (await send(front.url, { ...sent, headers })).message;
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

test('calls that wait for a caller give way to other callers, the oldest first', async () => {
  await using place = await open();
  const parked: Message[] = [];
  for (let one = 0; one < maxUpstreams; one += 1) parked.push(await place.call('alice', 'ask'));
  expect(parked.map(({ result }) => result?.['resultType'])).toEqual(
    Array.from({ length: maxUpstreams }, () => 'input_required'),
  );
  // What one caller has taken is not given to the same one twice.
  expect(await place.call('alice', 'ask')).toMatchObject({ error: { code: -32_000 } });
  expect(await place.call('bob', 'any')).toMatchObject({ result: text });
  const [first, ...others] = parked.map(answered);
  expect(await place.call('alice', 'ask', first)).toMatchObject({ error: { code: -32_602 } });
  for (const other of others) {
    expect(await place.call('alice', 'ask', other)).toMatchObject({ result: text });
  }
});

test('nobody takes more than others have', async () => {
  await using place = await open();
  for (let one = 0; one < maxUpstreams; one += 1) await place.call('alice', 'ask');
  // One of three, then as many as alice has left would be more than a fair share.
  expect(await place.call('bob', 'ask')).toMatchObject({
    result: { resultType: 'input_required' },
  });
  expect(await place.call('bob', 'ask')).toMatchObject({ error: { code: -32_000 } });
});

test('calls that are under way give way to nobody', async () => {
  await using place = await open();
  const hanging = Array.from({ length: maxUpstreams }, () => place.call('alice', 'hang'));
  const begun = (): number => place.server.peers.flatMap((peer) => peer.of('tools/call')).length;
  await vi.waitUntil(() => begun() === maxUpstreams);
  expect(await place.call('bob', 'any')).toMatchObject({ error: { code: -32_000 } });
  for (const peer of place.server.peers) {
    for (const { id } of peer.of('tools/call')) peer.say({ id, result: text });
  }
  for (const answer of hanging) expect(await answer).toMatchObject({ result: text });
});

test('sessions whose caller does not answer, or only watches, give way to other callers', async () => {
  await using place = await open();
  const [silent, watching, calm] = [
    await place.join('alice'),
    await place.join('alice'),
    await place.join('alice'),
  ];
  const headers = { 'x-user': 'alice' };
  const params = { name: 'ask', arguments: {} };
  const stream = await silent.stream(
    { jsonrpc: '2.0', id: 7, method: 'tools/call', params },
    headers,
  );
  expect(await stream.nextMessage()).toMatchObject({ method: 'elicitation/create' });
  for (const session of [watching, calm]) {
    await session.request('resources/subscribe', { uri: 'memo://a' }, headers);
  }
  expect(await place.call('bob', 'any')).toMatchObject({ result: text });
  // The call has ended with its session.
  expect(await stream.nextMessage()).toMatchObject({ id: 7, error: { code: -32_000 } });
  expect((await silent.request('ping', {}, headers)).status).toBe(404);
  expect((await watching.request('ping', {}, headers)).status).toBe(200);
});
