// What clients make a bridge hold between its requests is counted, and let go when there is no room.
import { createBudget } from 'mcp-kit/internal';
import { createBridge } from 'mcp-kit/bridge';
import { expect, onTestFinished, test } from 'vitest';
import { text } from '../requirements/bridge-talk.ts';
import { older, script } from '../requirements/client-script.ts';
import { open, send, type Message } from '../support/http-client.ts';
import { modern, notification, serving, startSession } from '../support/mcp-http.ts';

const kibibyte = 1024;
const form = { message: 'Who?', requestedSchema: { type: 'object', properties: {} } };
const capabilities = { elicitation: { form: {} } };

/** A legacy server whose tool asks before it answers. */
const asking = () =>
  script({
    ...older,
    initialize: () => ({
      protocolVersion: '2025-11-25',
      capabilities: { tools: { listChanged: true }, resources: { subscribe: true } },
      serverInfo: { name: 'asking', version: '1' },
    }),
    'resources/subscribe': () => ({}),
    'resources/unsubscribe': () => ({}),
    'tools/call': async (_params, { id, peer }) => {
      peer.say({ id: `about ${id}`, method: 'elicitation/create', params: form });
      await peer.answerTo(`about ${id}`);
      return text;
    },
  });

async function bridged(limit: number) {
  const budget = createBudget(limit);
  const server = asking();
  const bridge = createBridge(server.target, { era: 'legacy' });
  const front = await serving(bridge, { budget });
  onTestFinished(async () => {
    await front.close();
    await bridge.close();
  });
  return { budget, server, url: front.url };
}

const padding = { padding: 'x'.repeat(16 * kibibyte) };

async function call(url: string, more: object = {}): Promise<Message> {
  const params = { name: 'ask', arguments: padding, ...more };
  return (await send(url, modern('tools/call', params, { capabilities }))).message;
}

const answerTo = ({ result = {} }: Message): object => {
  const { inputRequests = {}, requestState } = result;
  const [key = ''] = Object.keys(inputRequests as object);
  return { requestState, inputResponses: { [key]: { action: 'accept', content: {} } } };
};

test('parked calls are counted, and the oldest are let go', async () => {
  const { budget, url } = await bridged(400 * kibibyte);
  const parked: Message[] = [];
  for (let number = 0; number < 12; number += 1) parked.push(await call(url));
  expect(parked.map(({ result }) => result?.['resultType'])).toEqual(
    parked.map(() => 'input_required'),
  );
  expect(budget.held.calls).toBeGreaterThan(40 * kibibyte);
  expect(budget.held.calls).toBeLessThanOrEqual(200 * kibibyte);
  expect(budget.letGo.calls).toBeGreaterThan(0);
  const [first = {}] = parked;
  expect(await call(url, answerTo(first))).toMatchObject({ error: { code: -32_602 } });
  const last = parked.at(-1) ?? {};
  expect(await call(url, answerTo(last))).toMatchObject({ result: text });
});

test('a call that goes on is no longer counted as parked', async () => {
  const { budget, url } = await bridged(4096 * kibibyte);
  const asked = await call(url);
  expect(budget.held.calls).toBeGreaterThan(32 * kibibyte);
  expect(await call(url, answerTo(asked))).toMatchObject({ result: text });
  expect(budget.held.calls).toBe(0);
});

test('subscriptions keep only what they ask for, and the oldest are let go', async () => {
  const { budget, url } = await bridged(400 * kibibyte);
  const listen = () =>
    open(
      url,
      modern('subscriptions/listen', { notifications: { toolsListChanged: true }, ...padding }),
    );
  const first = await listen();
  onTestFinished(() => first.close());
  await first.nextMessage();
  expect(budget.held.listens).toBeLessThan(20 * kibibyte);
  expect(budget.used - budget.held.connections).toBeLessThan(40 * kibibyte);
  for (let number = 0; number < 40; number += 1) {
    const stream = await listen();
    onTestFinished(() => stream.close());
  }
  expect(budget.held.listens).toBeLessThanOrEqual(200 * kibibyte);
  expect(budget.letGo.listens).toBeGreaterThan(0);
  expect(await first.nextMessage()).toMatchObject({ error: { code: -32_000 } });
});

test('resources that are watched through a session are counted as long as they are watched', async () => {
  const { budget, url } = await bridged(4096 * kibibyte);
  const session = await startSession(url);
  const before = budget.held.sessions;
  const uri = `test://${'x'.repeat(4000)}`;
  for (let time = 0; time < 3; time += 1) await session.request('resources/subscribe', { uri });
  expect(budget.held.sessions - before).toBeGreaterThan(8000);
  expect(budget.held.sessions - before).toBeLessThan(12_000);
  await session.request('resources/unsubscribe', { uri });
  expect(budget.held.sessions).toBe(before);
});

test('what a server says and asks before its client is ready is counted, and bounded', async () => {
  const { budget, server, url } = await bridged(4096 * kibibyte);
  const session = await startSession(url, { capabilities, ready: false });
  const [peer] = server.peers;
  const before = budget.held.sessions;
  for (let number = 0; number < 300; number += 1) {
    peer?.say({
      method: 'notifications/message',
      params: { level: 'info', data: number, ...padding },
    });
  }
  peer?.say({ id: 'much', method: 'elicitation/create', params: { ...form, ...padding } });
  peer?.say({ id: 'little', method: 'elicitation/create', params: form });
  expect(await peer?.answerTo('much')).toMatchObject({ error: { code: -32_000 } });
  expect(budget.held.sessions - before).toBeGreaterThan(32 * kibibyte);
  expect(budget.held.sessions - before).toBeLessThan(65 * kibibyte);
  await session.post(notification('notifications/initialized'));
  using stream = await session.listen();
  expect(await stream.nextMessage()).toMatchObject({ params: { data: 0 } });
  expect(await stream.nextMessage()).toMatchObject({ method: 'elicitation/create' });
});
