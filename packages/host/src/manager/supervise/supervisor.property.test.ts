import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { afterEach, beforeEach, test, vi } from 'vitest';
import { KitError, type Channel, type Sent, type Sink, type Target } from 'mcp-kit/internal';
import { createEraCache, openSession, type Session } from 'mcp-kit/client';
import { createToolCache } from '../tools/cache.ts';
import { ToolPolicy } from '../tools/tool-policy.ts';
import { moves, type ServerStatus } from './state.ts';
import type { Open, Opened } from './opened.ts';
import { Supervisor } from './supervisor.ts';

const schedules = Math.max(60, Number(process.env['PROPERTY_RUNS']) / 10);

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
  });
});
afterEach(() => {
  vi.useRealTimers();
});

/** How long a process takes to end once it is told to. */
const endingMs = 150;

/** The session that a process was started for. */
interface Owner {
  isTaken: boolean;
}

/** A process as its host sees it: it lives from being started until it has ended. */
class FakeProcess implements Channel {
  readonly owner: Owner;
  readonly #alive: Set<FakeProcess>;
  readonly #isMute: boolean;
  #sink: Sink | undefined;
  #closing: Promise<void> | undefined;

  constructor(alive: Set<FakeProcess>, owner: Owner, isMute: boolean) {
    this.owner = owner;
    this.#alive = alive;
    this.#isMute = isMute;
    alive.add(this);
  }

  start(sink: Sink): void {
    this.#sink = sink;
  }

  send(text: string): Sent {
    const { id } = JSON.parse(text) as { readonly id?: number };
    if (this.#closing !== undefined) return 'dropped';
    const result = { protocolVersion: '2025-11-25', capabilities: {}, content: [] };
    if (id !== undefined && !this.#isMute) {
      queueMicrotask(() => this.#sink?.message({ jsonrpc: '2.0', id, result }));
    }
    return 'sent';
  }

  tell(): undefined {}

  reply(): void {}

  letGo(): boolean {
    return false;
  }

  lastWords(): string {
    return '';
  }

  drained(): Promise<void> {
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.#closing ??= new Promise((resolve) => {
      setTimeout(() => {
        this.#alive.delete(this);
        resolve();
      }, endingMs);
    });
    return this.#closing;
  }

  crash(): void {
    this.#alive.delete(this);
    this.#closing ??= Promise.resolve();
    const details = { exitCode: 1, stderr: 'boom' };
    this.#sink?.closed(new KitError('process_failed', 'ended with exit code 1', { details }));
  }
}

/** What the next start comes to. */
type Fate = 'well' | 'mute' | 'unreachable' | 'missing' | 'refused' | 'crashes at once';

const failures: Partial<Record<Fate, () => KitError>> = {
  unreachable: () => new KitError('unreachable', 'nobody is there'),
  missing: () => new KitError('process_failed', 'cannot start it: ENOENT'),
  refused: () => new KitError('refused_by_policy', 'not approved'),
};

/** A supervisor, the processes it has started, and everything it was asked for. */
class World {
  readonly alive = new Set<FakeProcess>();
  readonly steps: ServerStatus[] = [];
  readonly asked = new Set<Promise<unknown>>();
  readonly sessions: Session[] = [];
  #owner: Owner = { isTaken: false };
  fate: Fate = 'well';
  most = 0;
  readonly supervisor: Supervisor;

  constructor(isRemote: boolean, reconnects: boolean) {
    this.supervisor = new Supervisor({
      name: 'it',
      isRemote,
      reconnects,
      open: this.#open,
      onChange: (status) => this.steps.push(status),
    });
  }

  readonly #open: Open = async (hooks): Promise<Opened> => {
    const owner = { isTaken: false };
    this.#owner = owner;
    const dial = (): Promise<Channel> => this.#dial(owner);
    const target: Target = { label: 'it', key: 'it', wire: 'stream', dial };
    const options = { era: 'legacy', connectTimeoutMs: 1000, eraCache: createEraCache() } as const;
    const session = await openSession(target, { ...options, ...hooks });
    this.sessions.push(session);
    const holding = { known: {} };
    const cache = createToolCache();
    const policy = new ToolPolicy(session, { name: 'it', holding, cache, receipts: false });
    return { session: session.guarded(policy), policy };
  };

  async #dial(owner: Owner): Promise<Channel> {
    await Promise.resolve();
    const failure = failures[this.fate]?.();
    if (failure !== undefined) throw failure;
    const started = new FakeProcess(this.alive, owner, this.fate === 'mute');
    const own = [...this.alive].filter((one) => !one.owner.isTaken);
    this.most = Math.max(this.most, own.length);
    if (this.fate === 'crashes at once') queueMicrotask(() => started.crash());
    return started;
  }

  ask(work: Promise<unknown>): void {
    this.asked.add(work);
    // How it settles is its own affair; that it does is ours.
    const settle = (): void => void this.asked.delete(work);
    work.then(settle, settle);
  }

  take(): void {
    if (this.supervisor.take() !== undefined) this.#owner.isTaken = true;
  }
}

const fates: readonly Fate[] = ['well', 'mute', 'unreachable', 'missing', 'refused'];

const doing: Readonly<Record<string, (world: World) => void>> = {
  'ask for it': (world) => world.ask(world.supervisor.connect()),
  'ask impatiently': (world) => world.ask(world.supervisor.connect({ timeoutMs: 30 })),
  'call on the last session': (world) => {
    const session = world.sessions.at(-1);
    if (session !== undefined) world.ask(session.request('ping', {}, { timeoutMs: 500 }));
  },
  'close the last session': (world) => void world.sessions.at(-1)?.close(),
  crash: (world) => {
    for (const one of world.alive) one.crash();
  },
  stop: (world) => world.ask(world.supervisor.stop()),
  take: (world) => world.take(),
  forgive: (world) => world.supervisor.forgive(),
};

const step = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...Object.keys(doing)) },
  {
    weight: 3,
    arbitrary: fc.constantFrom<Fate>(...fates, 'crashes at once').map((fate) => ({ fate })),
  },
  {
    weight: 4,
    arbitrary: fc.constantFrom(0, 20, 200, 1500, 6000, 40_000).map((passMs) => ({ passMs })),
  },
);

test('whatever happens: only allowed steps, one process at a time, and everybody gets an answer', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 30 }),
      fc.boolean(),
      fc.boolean(),
      async (steps, isRemote, reconnects) => {
        const world = new World(isRemote, reconnects);
        for (const one of steps) {
          if (typeof one === 'string') doing[one]?.(world);
          else if ('fate' in one) world.fate = one.fate;
          else await vi.advanceTimersByTimeAsync(one.passMs);
        }
        // The longest that anything may take: a mute server until its opening times out, and its end.
        await vi.advanceTimersByTimeAsync(5000);
        assert.equal(world.asked.size, 0, 'somebody waits for ever');
        world.fate = 'well';
        world.supervisor.forgive();
        let isWell = false;
        const connect = (): Promise<unknown> => world.supervisor.connect();
        // The first may join a start that was doomed already.
        const again = connect().catch(connect);
        world.ask(again.then(() => (isWell = true)));
        await vi.advanceTimersByTimeAsync(5000);
        assert.ok(isWell, 'it does not recover');
        world.ask(world.supervisor.end());
        for (const session of world.sessions) world.ask(session.close());
        await vi.advanceTimersByTimeAsync(3000);
        assert.equal(world.asked.size, 0, 'the end is waited for, for ever');
        assert.equal(world.alive.size, 0, 'a process is left');
        assert.ok(world.most <= 1, `${world.most} processes at once`);
        checkSteps(world);
        assert.equal(vi.getTimerCount(), 0, 'a timer is left');
      },
    ),
    { numRuns: schedules },
  );
});

function checkSteps({ steps, supervisor }: World): void {
  let state: ServerStatus['state'] = 'idle';
  for (const next of steps) {
    assert.ok(
      next.state === state || moves[state].includes(next.state),
      `${state} became ${next.state}`,
    );
    assert.equal(next.retryAt !== undefined, next.state === 'waiting', `${next.state}: retryAt`);
    const failed = ['waiting', 'stopped', 'refused'].includes(next.state);
    assert.equal(next.error !== undefined, failed, `${next.state}: error`);
    ({ state } = next);
  }
  assert.equal(supervisor.status.state, 'idle');
}
