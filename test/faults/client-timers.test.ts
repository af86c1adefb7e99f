import type { InputHandlers } from 'mcp-kit/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  failure,
  newer,
  older,
  open,
  refuse,
  script,
  settle,
  text,
} from '../requirements/client-script.ts';

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'],
  });
});
afterEach(() => {
  vi.useRealTimers();
});

const form = { message: 'Who?', requestedSchema: { type: 'object', properties: {} } };
const question = {
  resultType: 'input_required',
  inputRequests: { q: { method: 'elicitation/create', params: form } },
};
const inputs: InputHandlers = {
  elicit: () => ({ action: 'cancel' }),
  elicitUrl: () => ({ action: 'accept' }),
};

/** Asks for everything that takes a while, and waits for what a test can wait for. */
function talkative() {
  const visit = { url: 'https://example.com/', message: 'Go.', elicitationId: 'e' };
  return script({
    ...older,
    ...newer,
    'tools/list': () => ({ tools: [], ttlMs: 60_000 }),
    'tools/call': async ({ name, inputResponses }, call) => {
      if (name === 'hang') return undefined;
      if (name === 'visit' && call.peer.of('tools/call').length < 2) {
        return refuse(-32042, { elicitations: [visit] })({}, call);
      }
      if (name === 'ask' && inputResponses === undefined) return question;
      return text('done');
    },
  });
}

test('everything a legacy session does leaves no timer behind', async () => {
  const server = talkative();
  const session = await open(server, { era: 'legacy', inputs, onNotification() {} });
  const visiting = session.callTool('visit');
  await settle();
  server.peer.notify('notifications/elicitation/complete', { elicitationId: 'e' });
  await visiting;
  expect(vi.getTimerCount()).toBe(0);
  server.peer.say({ id: 1, method: 'elicitation/create', params: form });
  await server.peer.answerTo(1);
  await settle();
  await session.subscribe('x:1');
  const subscription = await session.listen({ resourceSubscriptions: ['x:2'] });
  subscription.close();
  await session.setLogLevel('info');
  await settle();
  expect(vi.getTimerCount()).toBe(0);
  await session.close();
});

test('everything a modern session does leaves no timer behind', async () => {
  const server = talkative();
  const session = await open(server, { era: 'modern', inputs });
  await session.listTools();
  await session.callTool('ask');
  expect(vi.getTimerCount()).toBe(0);
  const subscription = await session.listen({ toolsListChanged: true });
  // One for as long as it is open.
  expect(vi.getTimerCount()).toBe(1);
  subscription.close();
  await subscription.closed;
  await session.subscribe('x:1');
  await session.unsubscribe('x:1');
  await settle();
  expect(vi.getTimerCount()).toBe(0);
  await session.close();
});

test('a session that is closed in the middle of everything leaves no timer behind', async () => {
  for (const era of ['legacy', 'modern'] as const) {
    const server = talkative();
    const session = await open(server, {
      era,
      onNotification() {},
      inputs: { elicit: () => new Promise(() => {}), elicitUrl: () => ({ action: 'accept' }) },
    });
    await settle();
    const calls = ['hang', 'ask', 'visit'].map((name) => session.callTool(name).catch(() => {}));
    server.peer.say({ id: 1, method: 'elicitation/create', params: form });
    await settle();
    expect(vi.getTimerCount()).toBeGreaterThan(0);
    await session.close();
    await Promise.all(calls);
    await settle();
    expect(vi.getTimerCount()).toBe(0);
  }
});

test('a session that does not open leaves no timer behind', async () => {
  const server = script({ 'server/discover': () => undefined, initialize: () => undefined });
  const opening = failure(open(server, { connectTimeoutMs: 10_000 }));
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await opening).toMatchObject({ code: 'timeout' });
  expect(vi.getTimerCount()).toBe(0);
});
