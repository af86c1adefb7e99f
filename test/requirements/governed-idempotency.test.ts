import { describe, expect, test, vi } from 'vitest';
import { createDeferred } from 'mcp-kit/internal';
import { openSession } from 'mcp-kit/client';
import { RpcError } from 'mcp-kit/jsonrpc';
import { elicit } from 'mcp-kit/protocol';
import { createServer } from 'mcp-kit/server';
import { createMemoryStore, type Kv } from 'mcp-kit/store';
import { connectInMemory, memoryTarget } from 'mcp-kit/testing';
import { fail, tool, toolSet, type Envelope, type Tool } from 'mcp-kit/tools';
import { governed as govern } from 'mcp-kit/tools/governed';
import { send } from '../support/http-client.ts';
import { modern, serving } from '../support/mcp-http.ts';
import { createGoverned, startGoverned } from './governed-fixture.ts';

const chair = { parentUuid: 'root', name: 'Chair', idempotencyKey: 'k1' };

/** What every call says of itself alone. */
const aboutCall = {
  traceId: expect.any(String),
  durationMs: expect.any(Number),
  timestamp: expect.any(String),
};

/** A tool whose end the test decides. */
function deciding(work: () => Promise<void>): Tool {
  return tool({
    name: 'set_thing_state',
    description: 'Does what the test says.',
    safety: 'mutating',
    input: { type: 'object', properties: { n: { type: 'integer' } } },
    plan: () => ({ changes: [] }),
    apply: work,
  });
}

describe('an idempotency key', () => {
  test('that is in use answers E_CONFLICT, which is worth another try', async () => {
    const gate = createDeferred<void>();
    let runs = 0;
    const made = deciding(() => {
      runs += 1;
      return gate.promise;
    });
    await using governed = await startGoverned({ tools: [made], lint: 'off' });
    const first = governed.ask('set_thing_state', { idempotencyKey: 'k' });
    const second = await governed.ask('set_thing_state', { idempotencyKey: 'k' });
    expect(second.error).toMatchObject({ code: 'E_CONFLICT', retryable: true });
    gate.resolve();
    expect(await first).toMatchObject({ success: true });
    const third = await governed.ask('set_thing_state', { idempotencyKey: 'k' });
    expect(third).toMatchObject({ success: true, meta: { replayed: true } });
    expect(runs).toBe(1);
  });

  test('is not taken by a call whose time is up while the store lets it wait', async () => {
    const { kv, ...store } = createMemoryStore();
    const gate = createDeferred<void>();
    const ended = createDeferred<void>();
    const taken: string[] = [];
    const slow: Kv = {
      ...kv,
      async get(key) {
        await gate.promise;
        // When whoever asked has gone on.
        setImmediate(() => ended.resolve());
        return kv.get(key);
      },
      cas(...args) {
        taken.push(args[0]);
        return kv.cas(...args);
      },
    };
    const tools = [deciding(() => Promise.resolve())];
    await using governed = await startGoverned({
      tools,
      lint: 'off',
      store: { ...store, kv: slow },
    });
    const late = await governed.ask('set_thing_state', { idempotencyKey: 'k', timeoutMs: 20 });
    expect(late.error).toMatchObject({ code: 'E_TIMEOUT' });
    gate.resolve();
    await ended.promise;
    expect(taken).toEqual([]);
    expect(await governed.ask('set_thing_state', { idempotencyKey: 'k' })).toMatchObject({
      success: true,
    });
  });

  test('stays known when the tool refuses as the protocol does after it began to change something', async () => {
    let runs = 0;
    const made = deciding(() => {
      runs += 1;
      throw new RpcError(-32_602, 'half done');
    });
    await using governed = await startGoverned({ tools: [made], lint: 'off' });
    const args = { idempotencyKey: 'k' };
    await expect(governed.ask('set_thing_state', args)).rejects.toThrow('half done');
    const again = await governed.ask('set_thing_state', args);
    expect(again.error).toMatchObject({
      code: 'E_CONFLICT',
      retryable: false,
      details: { reason: 'outcome_unknown' },
    });
    expect(runs).toBe(1);
  });

  test('answers again with all of a whole result, and says of failures as well that they are repeated', async () => {
    const made = tool({
      name: 'execute_thing_raw',
      description: 'Returns whole results.',
      safety: 'mutating',
      supportsDryRun: false,
      input: { type: 'object', properties: { isError: { type: 'boolean' } } },
      run: ({ isError = false }) => ({
        content: [
          { type: 'text', text: 'one' },
          { type: 'text', text: 'two' },
        ],
        structuredContent: { n: 1 },
        _meta: { mark: 'kept' },
        isError,
      }),
    });
    await using governed = await startGoverned({ tools: [made], lint: 'off' });
    for (const isError of [false, true]) {
      const args = { isError, idempotencyKey: `whole ${isError}` };
      const first = await governed.call('execute_thing_raw', args);
      const again = await governed.call('execute_thing_raw', args);
      const { meta, ...told } = Object(first.structuredContent) as { meta: object };
      expect(again).toEqual({
        ...first,
        structuredContent: {
          ...told,
          meta: { ...meta, ...aboutCall, replayed: true },
        },
      });
    }
  });

  test('with other arguments is E_CONFLICT, and no retry will help', async () => {
    await using governed = await startGoverned();
    await governed.ask('create_node_child', chair);
    const { error } = await governed.ask('create_node_child', { ...chair, name: 'Table' });
    expect(error).toMatchObject({ code: 'E_CONFLICT', retryable: false });
    expect(governed.scene.writes).toBe(1);
  });

  test('may be used anew by another tool, and without one nothing is remembered', async () => {
    await using governed = await startGoverned();
    await governed.ask('create_node_child', chair);
    const renamed = { nodeUuids: ['lamp'], name: 'L', idempotencyKey: 'k1' };
    expect(await governed.ask('update_node_names', renamed)).toMatchObject({ success: true });
    const { idempotencyKey: _key, ...keyless } = chair;
    const { error } = await governed.ask('create_node_child', keyless);
    expect(error).toMatchObject({ code: 'E_CONFLICT', message: '"Chair" is there already.' });
  });

  test('gives failures again as well', async () => {
    await using governed = await startGoverned();
    const args = { ...chair, parentUuid: 'later' };
    const first = await governed.ask('create_node_child', args);
    governed.scene.nodes.set('later', {
      name: 'Later',
      parentUuid: null,
      position: { x: 0, y: 0, z: 0 },
    });
    const second = await governed.ask('create_node_child', args);
    expect([first.error?.code, second.error?.code]).toEqual(['E_NOT_FOUND', 'E_NOT_FOUND']);
    expect([first.meta.replayed, second.meta.replayed]).toEqual([undefined, true]);
  });

  test('is free again after a failure that is worth another try, when nothing was changed', async () => {
    let away = true;
    const made = tool({
      name: 'set_thing_state',
      description: 'Is away at first.',
      safety: 'mutating',
      plan() {
        if (away) throw fail('E_UNAVAILABLE', 'Away.');
        return { changes: [] };
      },
      apply() {},
    });
    await using governed = await startGoverned({ tools: [made], lint: 'off' });
    const args = { idempotencyKey: 'k' };
    expect(await governed.ask('set_thing_state', args)).toMatchObject({ success: false });
    away = false;
    const second = await governed.ask('set_thing_state', args);
    expect(second).toMatchObject({ success: true });
    expect(second.meta.replayed).toBeUndefined();
  });

  test('answers again with a failure that may have changed something, and says that asking is no use', async () => {
    let runs = 0;
    const made = deciding(() => {
      runs += 1;
      throw fail('E_UNAVAILABLE', 'The disk went away.');
    });
    await using governed = await startGoverned({ tools: [made], lint: 'off' });
    const first = await governed.ask('set_thing_state', { idempotencyKey: 'k' });
    expect(first.error).toMatchObject({ code: 'E_UNAVAILABLE', retryable: true });
    const second = await governed.ask('set_thing_state', { idempotencyKey: 'k' });
    expect(second).toMatchObject({
      error: {
        code: 'E_UNAVAILABLE',
        message: 'The disk went away.',
        retryable: false,
        suggestion: expect.stringContaining('use a new key'),
      },
      meta: { replayed: true },
    });
    expect(runs).toBe(1);
  });

  test('is not touched by a dry run', async () => {
    await using governed = await startGoverned();
    await governed.ask('create_node_child', { ...chair, dryRun: true });
    const done = await governed.ask('create_node_child', chair);
    expect(done).toMatchObject({ success: true });
    expect(done.meta.replayed).toBeUndefined();
  });

  test('survives a restart when the store does', async () => {
    const store = createMemoryStore();
    await using before = await startGoverned({ store });
    const first = await before.ask('create_node_child', chair);
    await using after = await startGoverned({ store });
    const second = await after.ask('create_node_child', chair);
    expect(second.data).toEqual(first.data);
    expect(after.scene.writes).toBe(0);
  });

  test('is forgotten after its time', async () => {
    let now = 0;
    const store = createMemoryStore({ now: () => now });
    const idempotency = { keepMs: 1000 };
    await using governed = await startGoverned({ store, idempotency });
    await governed.ask('create_node_child', chair);
    now = 2000;
    governed.scene.nodes.clear();
    const { error } = await governed.ask('create_node_child', chair);
    expect(error).toMatchObject({ code: 'E_NOT_FOUND' });
  });

  test('remembers that something was done even when the answer is too large to be kept', async () => {
    const made = tool({
      name: 'set_thing_state',
      description: 'Says much.',
      safety: 'mutating',
      output: { type: 'object', properties: { text: { type: 'string' } } },
      plan: () => ({ changes: [] }),
      apply: () => ({ text: 'x'.repeat(5000) }),
    });
    const idempotency = { maxAnswer: 1000 };
    await using governed = await startGoverned({ tools: [made], lint: 'off', idempotency });
    await governed.ask('set_thing_state', { idempotencyKey: 'k' });
    const second = await governed.call('set_thing_state', { idempotencyKey: 'k' });
    expect(second).toMatchObject({
      content: [{ text: expect.stringContaining('not kept') }],
      structuredContent: { success: true, data: null, meta: { replayed: true } },
    });
  });

  test('promises nothing while its store is away, and nothing is done', async () => {
    const store = createMemoryStore();
    const broken = { ...store, kv: { ...store.kv, get: () => Promise.reject(new Error('down')) } };
    await using governed = await startGoverned({ store: broken });
    const { error } = await governed.ask('create_node_child', chair);
    expect(error).toMatchObject({ code: 'E_UNAVAILABLE', retryable: true });
    expect(governed.scene.writes).toBe(0);
  });
});

test('a caller that has used up what is kept for it is refused, and nothing is done twice', async () => {
  const done: string[] = [];
  const made = tool({
    name: 'create_thing_new',
    description: 'Makes a thing.',
    safety: 'mutating',
    input: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    output: { type: 'object', properties: { text: { type: 'string' } } },
    plan: ({ name }: { name: string }) => ({ changes: [{ type: 'create', target: name }], name }),
    apply({ name }) {
      done.push(name);
      return { text: 'x'.repeat(3000) };
    },
  });
  const idempotency = { maxKept: 100_000 };
  const { server } = createGoverned({ tools: [made], lint: 'off', idempotency });
  const identify = (headers: Readonly<Record<string, unknown>>): string =>
    String(headers['x-user']);
  await using served = await serving(server, { identify });
  const create = async (user: string, name: string): Promise<Envelope> => {
    const args = { name, idempotencyKey: name };
    const params = { name: 'create_thing_new', arguments: args };
    const call = modern('tools/call', params, { headers: { 'x-user': user } });
    const { message } = await send(served.url, call);
    return message.result?.['structuredContent'] as Envelope;
  };
  let refused: Envelope | undefined;
  for (let n = 0; n < 200 && refused === undefined; n += 1) {
    const envelope = await create('ann', `a${n}`);
    if (!envelope.success) refused = envelope;
  }
  expect(done.length).toBeGreaterThan(20);
  expect(refused?.error).toMatchObject({
    code: 'E_UNAVAILABLE',
    retryable: true,
    message: 'There is no room for more idempotency keys.',
    suggestion: expect.stringContaining('Nothing was done'),
  });
  // Every key that was taken is known, the first ones without their answers.
  const taken = [...done];
  for (const name of taken) {
    expect(await create('ann', name)).toMatchObject({ success: true, meta: { replayed: true } });
  }
  expect(done).toEqual(taken);
  expect(await create('ann', 'a0')).toMatchObject({ data: null });
  expect(await create('bob', 'b')).toMatchObject({ data: { text: 'x'.repeat(3000) } });
  expect(await create('bob', 'b')).toMatchObject({ data: { text: 'x'.repeat(3000) } });
});

test('the same key of two callers is two keys', async () => {
  const { server, scene } = createGoverned();
  const identify = (headers: Readonly<Record<string, unknown>>): string =>
    String(headers['x-user']);
  await using served = await serving(server, { identify });
  const create = async (user: string, name: string): Promise<unknown> => {
    const params = { name: 'create_node_child', arguments: { ...chair, name } };
    const call = modern('tools/call', params, { headers: { 'x-user': user } });
    return (await send(served.url, call)).message.result?.['structuredContent'];
  };
  expect(await create('ann', 'Chair')).toMatchObject({ success: true });
  expect(await create('bob', 'Table')).toMatchObject({ success: true });
  expect(await create('bob', 'Chair')).toMatchObject({ error: { code: 'E_CONFLICT' } });
  expect(scene.writes).toBe(2);
});

test.each([
  ['while it planned: the key is free', 'plan', { success: true }],
  ['while it wrote: nobody knows', 'apply', { error: { code: 'E_CONFLICT', retryable: false } }],
])('a call that was cancelled %s', async (_what, where, then) => {
  const begun = createDeferred<void>();
  let times = 0;
  const wait = (signal: AbortSignal): Promise<never> =>
    new Promise((_resolve, reject) => {
      begun.resolve();
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
  const made = tool({
    name: 'set_thing_state',
    description: 'Is interrupted the first time.',
    safety: 'mutating',
    async plan(_args, { signal }) {
      times += 1;
      if (where === 'plan' && times === 1) await wait(signal);
      return { changes: [] };
    },
    async apply(_plan, { signal }) {
      if (where === 'apply' && times === 1) await wait(signal);
    },
  });
  const { server } = createGoverned({ tools: [made], lint: 'off' });
  const session = await openSession(memoryTarget(server), { name: 't', version: '1' });
  try {
    const args = { idempotencyKey: 'k' };
    const controller = new AbortController();
    const cancelled = session.callTool('set_thing_state', args, { signal: controller.signal });
    await begun.promise;
    controller.abort();
    await expect(cancelled).rejects.toMatchObject({ code: 'aborted' });
    await vi.waitFor(
      async () => {
        const { structuredContent } = await session.callTool('set_thing_state', args);
        expect(structuredContent).toMatchObject(then);
      },
      { timeout: 30_000 },
    );
  } finally {
    await session.close();
  }
});

test('a call that timed out goes on, and its key knows how it ended', async () => {
  const gate = createDeferred<void>();
  const made = deciding(() => gate.promise);
  await using governed = await startGoverned({ tools: [made], lint: 'off' });
  const args = { idempotencyKey: 'k' };
  const late = await governed.ask('set_thing_state', { ...args, timeoutMs: 20 });
  expect(late.error).toMatchObject({
    code: 'E_TIMEOUT',
    suggestion: expect.stringContaining('same idempotencyKey'),
  });
  gate.resolve();
  await new Promise((resolve) => setImmediate(resolve));
  const after = await governed.ask('set_thing_state', args);
  expect(after).toMatchObject({ success: true, meta: { replayed: true } });
});

test.each(['legacy', 'modern'] as const)(
  'apply must not ask, because it would run again: %s',
  async (era) => {
    let begun = 0;
    const requestedSchema = { type: 'object', properties: {} } as const;
    const question = { sure: elicit({ message: 'Sure?', requestedSchema }) };
    const asking = (resumable: boolean): Tool =>
      tool({
        name: 'set_thing_state',
        description: 'Asks late.',
        safety: 'mutating',
        plan: () => ({ changes: [] }),
        resumable,
        async apply(_plan, context) {
          begun += 1;
          await context.ask(question);
        },
      });
    for (const resumable of [false, true]) {
      begun = 0;
      const { server, logged } = createGoverned({ tools: [asking(resumable)], lint: 'off' });
      const inputs = { elicit: () => ({ action: 'accept', content: {} }) as const };
      const session = await openSession(memoryTarget(server), { era, inputs });
      try {
        const { isError = false } = await session.callTool('set_thing_state');
        expect(isError).toBe(!resumable);
        expect(begun).toBe(resumable && era === 'modern' ? 2 : 1);
        const told = JSON.stringify(logged.filter(({ level }) => level === 'error'));
        expect(told.includes('apply must not ask')).toBe(!resumable);
      } finally {
        await session.close();
      }
    }
  },
);

test('rounds of questions under one key are one call', async () => {
  let writes = 0;
  const made = tool({
    name: 'delete_thing_state',
    description: 'Asks first.',
    safety: 'destructive',
    async plan(_args, context) {
      const requestedSchema = { type: 'object', properties: { yes: { type: 'boolean' } } };
      const { sure } = await context.ask({ sure: elicit({ message: 'Sure?', requestedSchema }) });
      if (sure.action !== 'accept') throw fail('E_PRECONDITION_FAILED', 'The user said no.');
      return { changes: [{ type: 'delete', target: 'thing' }] };
    },
    apply() {
      writes += 1;
    },
  });
  const set = toolSet([made], { contract: govern({ lint: 'off' }) });
  const server = createServer({ name: 's', version: '1', features: [set] });
  const client = connectInMemory(server, { capabilities: { elicitation: {} } });
  try {
    const call = { name: 'delete_thing_state', arguments: { idempotencyKey: 'k' } };
    const question = (await client.requestModern('tools/call', call)) as { requestState: string };
    expect(question).toMatchObject({ resultType: 'input_required' });
    const { requestState } = question;
    const inputResponses = { sure: { action: 'accept', content: { yes: true } } };
    const again = { ...call, inputResponses, requestState };
    const done = await client.requestModern('tools/call', again);
    expect(done).toMatchObject({ structuredContent: { success: true } });
    const replayed = await client.requestModern('tools/call', again);
    expect(replayed).toMatchObject({ structuredContent: { meta: { replayed: true } } });
    expect(writes).toBe(1);
  } finally {
    await client.close();
  }
});
