import { createBridge } from 'mcp-kit/bridge';
import type { Id, Params } from 'mcp-kit/jsonrpc';
import type { Era } from 'mcp-kit/protocol';
import { describe, expect, test } from 'vitest';
import { capabilities, clientInfo, envelope, text } from '../requirements/bridge-talk.ts';
import {
  metaOf,
  newer,
  older,
  script,
  settle,
  type Message,
  type Script,
} from '../requirements/client-script.ts';
import { openPipe, type Pipe } from '../support/pipe.ts';

const done = { resultType: 'complete', ...text };

interface Talk extends AsyncDisposable {
  readonly pipe: Pipe;
  readonly server: Script;
  call(id: Id, name: string, meta?: object): void;
  tell(method: string, params: Params): void;
  /** The calls that have reached the server, which answers none by itself, as soon as there are so many. */
  calls(count: number): Promise<readonly Message[]>;
  answer(call: Message | undefined, result?: object): void;
}

async function talk(client: Era, era: Era): Promise<Talk> {
  const serve = { 'tools/call': () => undefined, 'odd/last': () => ({ resultType: 'complete' }) };
  const server = script({ ...(era === 'legacy' ? older : newer), ...serve });
  const bridge = createBridge(server.target, { era });
  const pipe = openPipe(bridge);
  const own = client === 'modern' ? envelope : {};
  if (client === 'legacy') {
    const params = { protocolVersion: '2025-11-25', capabilities, clientInfo };
    pipe.send({ jsonrpc: '2.0', id: 'hello', method: 'initialize', params });
    await pipe.next();
    pipe.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }
  const arrived = (): Message[] => server.peers.flatMap((peer) => peer.of('tools/call'));
  return {
    pipe,
    server,
    call(id, name, meta) {
      const params = { name, arguments: {}, _meta: { ...own, ...meta } };
      pipe.send({ jsonrpc: '2.0', id, method: 'tools/call', params });
    },
    tell: (method, params) => pipe.send({ jsonrpc: '2.0', method, params }),
    async calls(count) {
      await expect.poll(() => arrived().length).toBe(count);
      return arrived();
    },
    answer: (call, result = done) => server.peer.say({ id: call?.id, result }),
    async [Symbol.asyncDispose]() {
      await pipe[Symbol.asyncDispose]();
      await bridge.close();
    },
  };
}

const eras = ['legacy', 'modern'] as const;
const cells = eras.flatMap((client) => eras.map((server) => ({ client, server })));

describe.each(cells)('between a $client client and a $server server', ({ client, server: era }) => {
  test('calls that are made at once before anything is known share one conversation', async () => {
    await using open = await talk(client, era);
    for (const id of [1, 2, 3, 4]) open.call(id, `call ${id}`);
    await open.calls(4);
    expect(open.server.peers.filter((peer) => peer.of('tools/call').length > 0)).toHaveLength(1);
  });

  test('two calls that want their progress under one name are told apart at the server', async () => {
    await using open = await talk(client, era);
    for (const id of [1, 2]) open.call(id, `call ${id}`, { progressToken: 'same' });
    const tokens = (await open.calls(2)).map((call) => metaOf(call)['progressToken']);
    expect(new Set(tokens).size).toBe(2);
    for (const [progress, progressToken] of tokens.entries()) {
      open.server.peer.notify('notifications/progress', { progressToken, progress });
      const params = { progressToken: 'same', progress };
      expect(await open.pipe.next()).toMatchObject({ params });
    }
  });

  test('what is cancelled is cancelled with its reason, and its late answer is nobody’s', async () => {
    await using open = await talk(client, era);
    for (const id of [1, 2]) open.call(id, `call ${id}`);
    const [first, second] = await open.calls(2);
    open.tell('notifications/cancelled', { requestId: 1, reason: 'seen enough' });
    expect((await open.server.peer.nth('notifications/cancelled')).params).toEqual({
      requestId: first?.id,
      reason: 'seen enough',
    });
    open.answer(first);
    open.answer(second);
    expect(await open.pipe.next()).toMatchObject({ id: 2, result: text });
    await settle();
    expect(open.pipe.unread).toEqual([]);
  });

  test('a cancellation that crosses the answer harms nobody', async () => {
    await using open = await talk(client, era);
    open.call(1, 'quick');
    const [call] = await open.calls(1);
    open.answer(call);
    open.tell('notifications/cancelled', { requestId: 1 });
    open.server.peer.notify('notifications/cancelled', { requestId: 'nobody' });
    open.call(2, 'next');
    open.answer((await open.calls(2))[1]);
    const answers = [await open.pipe.next()];
    if (answers[0]?.id === 1) answers.push(await open.pipe.next());
    expect(answers.at(-1)).toMatchObject({ id: 2, result: text });
  });

  test('what the client tells without being heard of before is told to the server, in order', async () => {
    await using open = await talk(client, era);
    open.call(1, 'first');
    await open.calls(1);
    open.tell('odd/told', { odd: [1, { deep: null }], _meta: { 'com.example/odd': 1 } });
    open.call(2, 'second');
    await open.calls(2);
    expect(open.server.heard.slice(-3)).toEqual(['tools/call', 'odd/told', 'tools/call']);
    const { params } = await open.server.peer.nth('odd/told');
    expect(params).toMatchObject({ odd: [1, { deep: null }], _meta: { 'com.example/odd': 1 } });
  });

  test('ids are whatever the client says, and only those under way are taken', async () => {
    await using open = await talk(client, era);
    const ids = [0, '0', '', -1, 'é'];
    for (const id of ids) open.call(id, 'any');
    open.call(0, 'again');
    const refused = { code: -32_600, message: expect.stringContaining('under way') as string };
    expect(await open.pipe.next()).toMatchObject({ id: 0, error: refused });
    for (const call of await open.calls(ids.length)) open.answer(call);
    const answered: unknown[] = [];
    for (const _ of ids) answered.push((await open.pipe.next()).id);
    expect(new Set(answered)).toEqual(new Set(ids));
  });
});

test('A question that a legacy server takes back is taken back with its reason', async () => {
  await using open = await talk('legacy', 'legacy');
  open.call(1, 'asks');
  await open.calls(1);
  const params = { message: 'Who?', requestedSchema: { type: 'object', properties: {} } };
  open.server.peer.say({ id: 0, method: 'elicitation/create', params });
  const { id } = await open.pipe.next();
  open.server.peer.notify('notifications/cancelled', { requestId: 0, reason: 'never mind' });
  expect(await open.pipe.next()).toMatchObject({
    method: 'notifications/cancelled',
    params: { requestId: id, reason: 'never mind' },
  });
});
