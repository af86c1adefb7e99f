import { createBridge } from 'mcp-kit/bridge';
import { openSession, type Session } from 'mcp-kit/client';
import { elicit, type Era } from 'mcp-kit/protocol';
import { createServer, type Server } from 'mcp-kit/server';
import { tool, toolSet, type Envelope, type Trace } from 'mcp-kit/tools';
import { createTraces, governed } from 'mcp-kit/tools/governed';
import { serveHttp, type HttpListening, type HttpOptions } from 'mcp-kit/transport/http';
import { httpTarget } from 'mcp-kit/transport/http-client';
import { describe, expect, test } from 'vitest';
import { newer, script } from '../requirements/client-script.ts';
import { send, type Message } from '../support/http-client.ts';
import { modern, serving } from '../support/mcp-http.ts';

const identify: NonNullable<HttpOptions['identify']> = (headers) => String(headers['x-user']);

/** A governed server with a note for each caller, and what was written in order. */
function notes(): { readonly server: Server; readonly written: string[] } {
  const written: string[] = [];
  const write = tool({
    name: 'set_note_text',
    description: 'Writes a note.',
    safety: 'mutating',
    input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    output: { type: 'object', properties: { text: { type: 'string' } } },
    plan: ({ text }) => ({ changes: [{ type: 'update', target: 'note', to: text }], text }),
    apply({ text }) {
      written.push(text);
      return { text };
    },
  });
  const whoami = tool({
    name: 'get_caller_name',
    description: 'Names the caller.',
    safety: 'readonly',
    run: (_args, { principal }) => ({ principal: principal ?? null }),
  });
  const ask = tool({
    name: 'get_user_answer',
    description: 'Asks the user.',
    safety: 'readonly',
    run: async (_args, context) => {
      const form = {
        message: 'Who?',
        requestedSchema: { type: 'object', properties: {} },
      } as const;
      const { answer } = await context.ask({ answer: elicit(form) });
      return { action: answer.action };
    },
  });
  const set = toolSet([write, whoami, ask], { contract: governed({ lint: 'off' }) });
  return { server: createServer({ name: 'notes', version: '1', features: [set] }), written };
}

interface Place extends AsyncDisposable {
  readonly url: string;
  readonly written: readonly string[];
  as(user: string, era: Era): Promise<Session>;
}

/** A server over HTTP, with a bridge in front of it that knows its callers. */
async function open(era: Era, hops = 1): Promise<Place> {
  const { server, written } = notes();
  const closing: (() => Promise<unknown>)[] = [];
  const listen = async (service: Parameters<typeof serveHttp>[0]): Promise<HttpListening> => {
    const listening = await serveHttp(service, { identify });
    closing.unshift(() => listening.close());
    return listening;
  };
  let { url } = await listen(server);
  for (let hop = 0; hop < hops; hop += 1) {
    const target = httpTarget(url, { headers: { 'x-user': `bridge ${hop}` } });
    const bridge = createBridge(target, { era });
    closing.unshift(() => bridge.close());
    ({ url } = await listen(bridge));
  }
  const sessions: Session[] = [];
  return {
    url,
    written,
    async as(user, clientEra) {
      const target = httpTarget(url, { headers: { 'x-user': user } });
      const session = await openSession(target, { era: clientEra });
      sessions.push(session);
      return session;
    },
    async [Symbol.asyncDispose]() {
      for (const session of sessions) await session.close();
      for (const close of closing) await close();
    },
  };
}

async function call(session: Session, name: string, args: object = {}): Promise<Envelope> {
  const { structuredContent } = await session.callTool(name, { ...args });
  return structuredContent as Envelope;
}

const cells = (['legacy', 'modern'] as const).flatMap((client) =>
  (['legacy', 'modern'] as const).flatMap((server) =>
    [1, 2].map((hops) => ({ client, server, hops })),
  ),
);

describe.each(cells)(
  'callers of a $client client at a $server server, through $hops of our bridges',
  ({ client, server, hops }) => {
    test('have keys, plans, traces and names of their own', async () => {
      await using place = await open(server, hops);
      const alice = await place.as('alice', client);
      const bob = await place.as('bob', client);
      const first = { text: 'by alice', idempotencyKey: 'k' };
      expect(await call(alice, 'set_note_text', first)).toMatchObject({ success: true });
      // The same key and the same arguments: bob's write is his own, and is done.
      const own = await call(bob, 'set_note_text', first);
      expect(own).toMatchObject({ success: true, data: { text: 'by alice' } });
      expect(own.meta).not.toHaveProperty('replayed');
      expect(place.written).toEqual(['by alice', 'by alice']);
      const again = await call(alice, 'set_note_text', first);
      expect(again.meta).toMatchObject({ replayed: true });

      const plan = { text: 'planned' };
      const { data } = await call(alice, 'set_note_text', { ...plan, dryRun: true });
      const { planToken } = data as { planToken: string };
      expect(await call(bob, 'set_note_text', { ...plan, planToken })).toMatchObject({
        error: { code: 'E_CONFLICT', details: { reason: 'unknown' } },
      });
      const done = await call(alice, 'set_note_text', { ...plan, planToken });
      expect(done).toMatchObject({ success: true });

      const { traceId } = done.meta;
      expect(await call(bob, 'get_trace_by_id', { traceId })).toMatchObject({ success: false });
      expect(await call(alice, 'get_trace_by_id', { traceId })).toMatchObject({ success: true });

      const [a, b] = [await call(alice, 'get_caller_name'), await call(bob, 'get_caller_name')];
      expect(a.data).not.toEqual(b.data);
      expect(JSON.stringify([a.data, b.data])).not.toMatch(/alice|bob/);
    });
  },
);

/** Asks as somebody, in the modern era. */
async function askAs(
  user: string,
  url: string,
  params: Readonly<Record<string, unknown>>,
): Promise<Message> {
  const capabilities = { elicitation: { form: {} } };
  const asked = modern('tools/call', { arguments: {}, ...params }, { capabilities });
  return (await send(url, { ...asked, headers: { ...asked.headers, 'x-user': user } })).message;
}

const responses = { answer: { action: 'accept', content: {} } };
const refused = { code: -32_602, message: expect.stringContaining('requestState') as string };

test('what a caller carries between questions is of use to that caller only', async () => {
  await using place = await open('modern');
  const name = 'get_user_answer';
  const asked = await askAs('alice', place.url, { name });
  expect(asked).toMatchObject({ result: { resultType: 'input_required' } });
  const { requestState } = asked.result ?? {};
  const answered = { name, inputResponses: responses, requestState };
  expect(await askAs('bob', place.url, answered)).toMatchObject({ error: refused });
  expect(await askAs('alice', place.url, answered)).toMatchObject({
    result: { structuredContent: { data: { action: 'accept' } } },
  });
});

describe('a server that knows nothing of callers', () => {
  const state = 'the state, as it is';
  const careless = () =>
    script({
      ...newer,
      'tools/call': ({ requestState }) =>
        requestState === undefined
          ? { resultType: 'input_required', inputRequests: {}, requestState: state }
          : {
              resultType: 'complete',
              content: [{ type: 'text', text: JSON.stringify(requestState) }],
            },
    });

  test('gets its states back from whom they were given to, and from nobody else', async () => {
    const server = careless();
    await using bridge = createBridge(server.target, { era: 'modern' });
    await using front = await serving(bridge, { identify });
    const { result } = await askAs('alice', front.url, { name: 'any' });
    const requestState = result?.['requestState'];
    expect(requestState).not.toBe(state);
    for (const forged of [requestState, state, 7]) {
      const answer = await askAs('bob', front.url, { name: 'any', requestState: forged });
      expect(answer).toMatchObject({ error: refused });
    }
    const calls = server.peers.flatMap((peer) => peer.of('tools/call'));
    expect(calls).toHaveLength(1);
    expect(await askAs('alice', front.url, { name: 'any', requestState })).toMatchObject({
      result: { content: [{ text: JSON.stringify(state) }] },
    });
  });

  test('has a conversation with each caller, and is not told their names', async () => {
    const server = careless();
    await using bridge = createBridge(server.target, { era: 'modern' });
    await using front = await serving(bridge, { identify });
    for (const user of ['alice', 'bob', 'alice', 'bob'])
      await askAs(user, front.url, { name: user });
    const names = server.peers.map((peer) =>
      peer.of('tools/call').map(({ params }) => params?.['name']),
    );
    expect(names.filter((list) => list.length > 0)).toEqual([
      ['alice', 'alice'],
      ['bob', 'bob'],
    ]);
    const metas = server.peers.flatMap((peer) =>
      peer.of('tools/call').map(({ params }) => JSON.stringify(params?.['_meta'])),
    );
    expect(new Set(metas).size).toBe(2);
    expect(metas.join(' ')).not.toMatch(/alice|bob/);
  });
});

describe('one who asks on behalf of callers that it makes up', () => {
  test('gets no more calls than one caller', async () => {
    const madeTool = tool({
      name: 'get_one',
      description: 'One.',
      safety: 'readonly',
      run: () => 1,
    });
    const contract = governed({ lint: 'off', limit: { perMinute: 3 } });
    const features = [toolSet([madeTool], { contract })];
    const server = createServer({ name: 'limited', version: '1', features });
    await using front = await serving(server, { identify });
    const outcomes: unknown[] = [];
    for (let made = 0; made < 5; made += 1) {
      const meta = { 'mcp-kit/caller': `made up ${made}` };
      const asked = modern('tools/call', { name: 'get_one', arguments: {} }, { meta });
      const headers = { ...asked.headers, 'x-user': 'mallory' };
      const { message } = await send(front.url, { ...asked, headers });
      outcomes.push(message.result?.['isError'] ?? false);
    }
    expect(outcomes).toEqual([false, false, false, true, true]);
  });

  test('pushes out no traces but its own', () => {
    const traces = createTraces(4);
    const trace = (traceId: string): Trace => ({
      traceId,
      tool: 'any',
      timestamp: '',
      durationMs: 0,
      success: true,
      errorCode: null,
      argsSummary: {},
    });
    traces.add(trace('1'), 'alice');
    traces.add(trace('2'), 'alice');
    for (let made = 0; made < 9; made += 1) {
      traces.add(trace(`m${made}`), `made up ${made}`, 'mallory');
    }
    expect(traces.list('alice')).toHaveLength(2);
    expect(traces.find('m8', 'made up 8')).toBeDefined();
    expect(traces.find('m8', 'mallory')).toBeUndefined();
  });
});
