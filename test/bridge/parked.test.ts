import { createBridge, type BridgeOptions } from 'mcp-kit/bridge';
import { expect, test } from 'vitest';
import { envelope, text } from '../requirements/bridge-talk.ts';
import { older, script, settle, type Script } from '../requirements/client-script.ts';
import type { Message } from '../support/http-client.ts';
import { openPipe, type Pipe } from '../support/pipe.ts';

const form = { message: 'Who?', requestedSchema: { type: 'object', properties: {} } };

/** A legacy server whose tool asks, and answers when it is answered. */
function asking(): Script {
  return script({
    ...older,
    'tools/call': async (_params, { id, peer }) => {
      const question = `about ${id}`;
      peer.say({ id: question, method: 'elicitation/create', params: form });
      const { error } = await peer.answerTo(question);
      return error === undefined ? text : { ...text, isError: true };
    },
  });
}

interface Talk extends AsyncDisposable {
  readonly pipe: Pipe;
  /** Calls the tool, or goes on with a call. */
  call(id: number, more?: object): Promise<Message>;
  begin(id: number, more?: object): void;
  /** What a client sends that has been asked and answers. */
  parked(id: number): Promise<{ readonly requestState: unknown; readonly inputResponses: object }>;
}

function talk(server: Script, options: BridgeOptions = {}): Talk {
  const bridge = createBridge(server.target, { era: 'legacy', ...options });
  const pipe = openPipe(bridge);
  const begin = (id: number, more: object = {}): void => {
    const params = { name: 'ask', arguments: {}, ...more, _meta: envelope };
    pipe.send({ jsonrpc: '2.0', id, method: 'tools/call', params });
  };
  const call = (id: number, more?: object): Promise<Message> => {
    begin(id, more);
    return pipe.next();
  };
  return {
    pipe,
    call,
    begin,
    async parked(id) {
      const { result = {} } = await call(id);
      const { inputRequests, requestState } = result;
      const [key = ''] = Object.keys(inputRequests as object);
      return { requestState, inputResponses: { [key]: { action: 'accept', content: {} } } };
    },
    async [Symbol.asyncDispose]() {
      await pipe[Symbol.asyncDispose]();
      await bridge.close();
    },
  };
}

const refused = { code: -32_602, message: expect.stringContaining('requestState') as string };
const calls = (server: Script): number =>
  server.heard.filter((method) => method === 'tools/call').length;

test('A state of before a restart, or of another bridge, is refused, and no call is made', async () => {
  const server = asking();
  await using first = talk(server);
  const kept = await first.parked(1);
  // One that knows nothing of its server yet, and one that does.
  await using second = talk(server);
  expect(await second.call(2, kept)).toMatchObject({ id: 2, error: refused });
  await second.parked(3);
  expect(await second.call(4, kept)).toMatchObject({ id: 4, error: refused });
  expect(calls(server)).toBe(2);
  expect(await first.call(5, kept)).toMatchObject({ id: 5, result: text });
});

test('A state that is sent twice at once is good for one of them', async () => {
  const server = asking();
  await using open = talk(server);
  const kept = await open.parked(1);
  open.begin(2, kept);
  open.begin(3, kept);
  const answers = [await open.pipe.next(), await open.pipe.next()];
  expect(answers).toContainEqual(expect.objectContaining({ id: 3, error: refused }));
  expect(answers).toContainEqual(expect.objectContaining({ id: 2 }));
  expect(answers.find(({ id }) => id === 2)).toMatchObject({ result: text });
  expect(calls(server)).toBe(1);
});

test('A call whose server was lost while its client thought about it is said to be lost', async () => {
  const server = asking();
  await using open = talk(server);
  const kept = await open.parked(1);
  server.peer.hangUp();
  await settle();
  expect(await open.call(2, kept)).toMatchObject({
    id: 2,
    error: { code: -32_603, data: { retryable: true, mayHaveRun: true } },
  });
});

test('A call that nobody comes back for is cancelled, and its state is worth nothing', async () => {
  const server = asking();
  await using open = talk(server, { parkedMs: 20 });
  const kept = await open.parked(1);
  const { params } = await server.peer.nth('notifications/cancelled');
  expect(params).toMatchObject({ reason: 'its client did not come back' });
  expect(await open.call(2, kept)).toMatchObject({ id: 2, error: refused });
});

test('A client that comes back and then gives up cancels the call at the server', async () => {
  const server = asking();
  await using open = talk(server);
  const { requestState } = await open.parked(1);
  // Without an answer it is asked again.
  const { result } = await open.call(2, { requestState });
  expect(result).toMatchObject({ resultType: 'input_required' });
  open.begin(3, { requestState: result?.['requestState'], inputResponses: { other: {} } });
  open.pipe.send({
    jsonrpc: '2.0',
    method: 'notifications/cancelled',
    params: { requestId: 3, reason: 'enough' },
  });
  expect((await server.peer.nth('notifications/cancelled')).params).toMatchObject({
    reason: 'enough',
  });
});

test('A question that was put to a call which ends at that moment is put to another one', async () => {
  const server = script({ ...older, 'tools/call': () => undefined });
  await using open = talk(server);
  open.begin(1);
  // The bridge finds out first how to speak with the server.
  await expect.poll(() => calls(server)).toBe(1);
  open.begin(2);
  await server.peer.nth('tools/call', 2);
  const [first, second] = server.peer.of('tools/call');
  server.peer.say({ id: 'q', method: 'elicitation/create', params: form });
  server.peer.say({ id: second?.id, result: text });
  const answers = [await open.pipe.next(), await open.pipe.next()];
  expect(answers.find(({ id }) => id === 2)).toMatchObject({ result: text });
  const { result = {} } = answers.find(({ id }) => id === 1) ?? {};
  const [key = ''] = Object.keys(result['inputRequests'] as object);
  open.begin(3, {
    requestState: result['requestState'],
    inputResponses: { [key]: { action: 'decline' } },
  });
  expect(await server.peer.answerTo('q')).toMatchObject({ result: { action: 'decline' } });
  server.peer.say({ id: first?.id, result: text });
  expect(await open.pipe.next()).toMatchObject({ id: 3, result: text });
});
