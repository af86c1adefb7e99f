import type { LimitRule } from '@mcp-kit/host';
import { gateway, type GatewayOptions } from '@mcp-kit/host/gateway';
import { openSession, type Session } from 'mcp-kit/client';
import { createDeferred, parseRate } from 'mcp-kit/internal';
import type { Target } from 'mcp-kit/protocol';
import { createServer } from 'mcp-kit/server';
import { createMemoryStore } from 'mcp-kit/store';
import { memoryTarget } from 'mcp-kit/testing';
import { tool, toolSet } from 'mcp-kit/tools';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';

type KeyStore = NonNullable<GatewayOptions['keys']>;

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).toReversed()) await one[Symbol.asyncDispose]();
});

/** What a server that keeps count of what it does has done. */
interface World {
  readonly done: string[];
  readonly traces: unknown[];
  readonly stopped: Promise<void>;
  /** Cuts all connections to the server. */
  cut(): Promise<void>;
  /** Whether the next call cuts the connection before it answers. */
  cuts: number;
}

function worldOf(): { readonly world: World; readonly target: Target } {
  const stopped = createDeferred<void>();
  const channels = new Set<{ close(): Promise<void> }>();
  const world: World = {
    done: [],
    traces: [],
    stopped: stopped.promise,
    cuts: 0,
    async cut() {
      await Promise.all([...channels].map((channel) => channel.close()));
    },
  };
  const input = { type: 'object', properties: { what: { type: 'string' } } } as const;
  const own = (name: string, annotations: object) =>
    tool({
      name,
      description: name,
      input,
      annotations,
      async run({ what = '' }, context) {
        world.done.push(`${name} ${what}`);
        world.traces.push(context.meta['traceparent']);
        if (world.cuts > 0) {
          world.cuts -= 1;
          await world.cut();
        }
        return `${name}: key sk-proj-0123456789abcdef`;
      },
    });
  const slow = tool({
    name: 'wait',
    description: 'Waits until it is told to stop.',
    annotations: { readOnlyHint: true },
    run: (_args, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          stopped.resolve();
          reject(new Error('stopped'));
        });
      }),
  });
  const tools = [own('pay', { destructiveHint: true }), own('look', { readOnlyHint: true }), slow];
  const server = createServer({ name: 'bank', version: '1', features: [toolSet(tools)] });
  const inner = memoryTarget(server);
  const target: Target = {
    ...inner,
    async dial(signal) {
      const channel = await inner.dial(signal);
      channels.add(channel);
      return channel;
    },
  };
  return { world, target };
}

async function open(options: GatewayOptions = {}): Promise<{ world: World; session: Session }> {
  const { world, target } = worldOf();
  const service = gateway({ bank: target }, { waitMs: 60_000, ...options });
  const session = await openSession(memoryTarget(service));
  opened.push(service, session);
  await service.settled();
  return { world, session };
}

const withLimits = (...limits: LimitRule[]): GatewayOptions => ({ settings: { limits } });

/** Calls a tool under a key: its name, what for, and the key. */
async function call(
  session: Session,
  ...words: readonly [string, string, string]
): Promise<unknown> {
  const [name, what, key] = words;
  const params = {
    name: `bank__${name}`,
    arguments: { what },
    _meta: { 'mcp-kit/idempotencyKey': key },
  };
  return session.request('tools/call', params).catch((error: unknown) => error);
}

describe('What is asked under one key', () => {
  test('is done once, and answered alike', async () => {
    const { world, session } = await open();
    const first = await call(session, 'pay', 'a', 'k1');
    const again = await call(session, 'pay', 'a', 'k1');
    expect(first).toMatchObject({ content: [{ text: expect.stringContaining('pay') }] });
    expect(again).toMatchObject({ ...Object(first), _meta: { 'mcp-kit/replayed': true } });
    expect(world.done).toEqual(['pay a']);
    expect(await call(session, 'pay', 'b', 'k1')).toMatchObject({
      data: { conflict: 'idempotencyKey' },
    });
    expect(await call(session, 'pay', 'b', 'k2')).toMatchObject({ content: [{}] });
    await call(session, 'look', 'c', 'k3');
    await call(session, 'look', 'c', 'k3');
    expect(world.done).toEqual(['pay a', 'pay b', 'look c', 'look c']);
  });

  test('at the same time is done once, and the other is told to ask again', async () => {
    const { world, session } = await open();
    const both = await Promise.all([
      call(session, 'pay', 'a', 'k'),
      call(session, 'pay', 'a', 'k'),
    ]);
    expect(world.done).toEqual(['pay a']);
    expect(both).toContainEqual(
      expect.objectContaining({ data: expect.objectContaining({ retryable: true }) }),
    );
  });

  test('and broke off is not done again: nobody knows whether it took effect', async () => {
    const { world, session } = await open();
    world.cuts = 1;
    expect(await call(session, 'pay', 'a', 'k')).toMatchObject({ isError: true });
    const again = await call(session, 'pay', 'a', 'k');
    expect((again as Error).message).toContain('may have taken effect');
    expect(world.done).toEqual(['pay a']);
  });

  test('of another process is known where both have the store', async () => {
    const keys = createMemoryStore();
    const first = await open({ keys });
    await call(first.session, 'pay', 'a', 'k');
    const second = await open({ keys });
    expect(await call(second.session, 'pay', 'a', 'k')).toMatchObject({
      _meta: { 'mcp-kit/replayed': true },
    });
    expect(second.world.done).toEqual([]);
  });

  test('in a process that died is under way no longer than that process could be', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const { kv } = createMemoryStore();
    // The process ends while it waits: nothing it would write after that is written.
    const dying: KeyStore = {
      kv: { get: kv.get, cas: (...given) => given[1] === undefined && kv.cas(...given) },
    };
    const first = await open({ keys: dying });
    await call(first.session, 'pay', 'a', 'k');
    const { session, world } = await open({ keys: { kv } });
    expect(await call(session, 'pay', 'a', 'k')).toMatchObject({ data: { retryable: true } });
    vi.setSystemTime(Date.now() + 31_000);
    const later = await call(session, 'pay', 'a', 'k');
    expect(later).toMatchObject({ data: { retryable: false } });
    expect((later as Error).message).toContain('may have taken effect');
    expect(world.done).toEqual([]);
  });

  test('is not begun where that cannot be kept, and answered where it cannot be kept any more', async () => {
    const { kv } = createMemoryStore();
    let isAway = true;
    const fail = (): never => {
      throw new Error('the disk is full');
    };
    const keys: KeyStore = {
      // What is new can be kept, and nothing after it.
      kv: {
        get: kv.get,
        cas: (...given) => (isAway || given[1] !== undefined ? fail() : kv.cas(...given)),
      },
    };
    const { session, world } = await open({ keys });
    const refused = await call(session, 'pay', 'a', 'k');
    expect(refused).toMatchObject({ data: { retryable: true, mayHaveRun: false } });
    expect(world.done).toEqual([]);
    isAway = false;
    expect(await call(session, 'pay', 'a', 'k')).toMatchObject({ content: [{}] });
    expect(world.done).toEqual(['pay a']);
  });
});

test('what cannot do anything twice is asked again when the way to its server broke, and nothing else is', async () => {
  const { world, session } = await open();
  world.cuts = 1;
  const looked = await session.callTool('bank__look', { what: 'a' });
  expect(looked.isError ?? false).toBe(false);
  expect(world.done).toEqual(['look a', 'look a']);
  world.cuts = 1;
  expect(await session.callTool('bank__pay', { what: 'b' })).toMatchObject({ isError: true });
  expect(world.done).toEqual(['look a', 'look a', 'pay b']);
});

test('a call is part of the trace of its client, or begins one', async () => {
  const { world, session } = await open();
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const _meta = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
  await session.request('tools/call', { name: 'bank__look', arguments: {}, _meta });
  await session.callTool('bank__look', {});
  const [first, second] = world.traces.map(String);
  expect(first).toMatch(new RegExp(`^00-${traceId}-(?!00f067aa0ba902b7)[0-9a-f]{16}-01$`));
  expect(second).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
});

describe('Limits', () => {
  test('say how often a tool may be called, and when to try again', async () => {
    const { world, session } = await open(withLimits({ tools: ['LOOK'], rate: parseRate('1/h') }));
    await session.callTool('bank__look', {});
    const refused = await session.callTool('bank__look', {});
    expect(refused).toMatchObject({
      isError: true,
      _meta: { 'mcp-kit/unavailable': { retryable: true } },
    });
    await session.callTool('bank__pay', {});
    expect(world.done).toEqual(['look ', 'pay ']);
  });

  test('end what takes too long, and tell the server', async () => {
    const { world, session } = await open(withLimits({ tools: ['wait'], timeoutMs: 50 }));
    const ended = await session.callTool('bank__wait', {});
    expect(ended).toMatchObject({
      isError: true,
      _meta: { 'mcp-kit/unavailable': { code: 'timeout', mayHaveRun: true } },
    });
    await world.stopped;
  });

  test('take secrets out of results, where that is wanted', async () => {
    const plain = await open();
    expect(await plain.session.callTool('bank__look', {})).toMatchObject({
      content: [{ text: expect.stringContaining('sk-proj-') }],
    });
    const { session } = await open(withLimits({ servers: ['bank'], redact: true }));
    expect(await session.callTool('bank__look', {})).toMatchObject({
      content: [{ text: 'look: key [hidden]' }],
    });
  });
});
