import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { createDeferred, type Deferred } from 'mcp-kit/internal';
import { elicit } from 'mcp-kit/protocol';
import { createMemoryStore, type Store } from 'mcp-kit/store';
import { connectInMemory, type InMemoryClient } from 'mcp-kit/testing';
import { fail, tool } from 'mcp-kit/tools';
import { afterEach, beforeEach, test, vi } from 'vitest';
import { capabilities, mortal, serverOf, type SeenTask } from './task-tools.ts';

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance', 'Date'],
  });
});
afterEach(() => {
  vi.useRealTimers();
});

const leaseMs = 1000;
const ttlMs = 60_000;
const names = ['a', 'b', 'c'] as const;
type Name = (typeof names)[number];

/** A task as it should be. */
interface Expected {
  readonly taskId: string;
  readonly isRepeatable: boolean;
  status: string;
  /** The process that works on it has died, and nobody has noticed. */
  isLeft: boolean;
  isCancelled: boolean;
  endsMs: number;
}

/** One process at a time, over one store, and what should become of its tasks. */
class World {
  readonly #store: Store = createMemoryStore();
  readonly #tasks = new Map<Name, Expected>();
  #gates = new Map<Name, Deferred<'ok' | 'failed'>>();
  #die: () => void = () => {};
  #client!: InMemoryClient;

  constructor() {
    this.#start();
  }

  async do(action: Action): Promise<void> {
    const task = this.#tasks.get(action.name);
    if (action.kind === 'begin') await this.#begin(action);
    else if (action.kind === 'crash') this.#crash();
    else if (action.kind === 'wait') await this.#wait(action.ms);
    else if (task !== undefined) await this.#act(action, task);
    await settled();
    for (const expected of this.#tasks.values()) await this.#check(expected);
  }

  close(): void {
    this.#die();
    void this.#client.close();
    void this.#store.close();
  }

  #start(): void {
    const { store, die } = mortal(this.#store);
    const gates = new Map<Name, Deferred<'ok' | 'failed'>>();
    this.#gates = gates;
    this.#die = die;
    const common = {
      description: 'Works until it is told to end.',
      task: 'always',
      input: {
        type: 'object',
        properties: { name: { enum: names }, asks: { type: 'boolean' } },
        required: ['name', 'asks'],
      },
      async run({ name, asks }: { name: Name; asks: boolean }, context) {
        const form = elicit({ message: 'Go on?', requestedSchema: { type: 'object' } });
        if (asks) await context.ask({ goOn: form });
        const gate = createDeferred<'ok' | 'failed'>();
        gates.set(name, gate);
        context.signal.addEventListener('abort', () => gate.reject(context.signal.reason));
        context.signal.throwIfAborted();
        if ((await gate.promise) === 'failed') throw fail('E_UNAVAILABLE', 'away');
        return 'done';
      },
    } satisfies Omit<Parameters<typeof tool>[0], 'name'>;
    const server = serverOf(
      [
        tool({ ...common, name: 'update_once' }),
        tool({ ...common, name: 'update_again', idempotent: true }),
      ],
      { store, leaseMs, ttlMs },
    );
    this.#client = connectInMemory(server, { capabilities });
  }

  async #begin({ name, isRepeatable, asks }: Action): Promise<void> {
    if (this.#tasks.has(name)) return;
    const called = isRepeatable ? 'update_again' : 'update_once';
    const params = { name: called, arguments: { name, asks } };
    const { taskId } = (await this.#client.requestModern('tools/call', params)) as SeenTask;
    await settled();
    this.#tasks.set(name, {
      taskId,
      isRepeatable,
      status: asks ? 'input_required' : 'working',
      isLeft: false,
      isCancelled: false,
      endsMs: performance.now() + ttlMs,
    });
  }

  async #act({ kind, name }: Action, task: Expected): Promise<void> {
    const { taskId } = task;
    const isGone = task.status === 'gone';
    const ask = (method: string, more = {}): Promise<unknown> => {
      const asked = this.#client.requestModern(method, { taskId, ...more });
      return isGone ? assert.rejects(asked, { code: -32602 }) : asked;
    };
    if (kind === 'answer') {
      await ask('tasks/update', { inputResponses: { goOn: { action: 'accept', content: {} } } });
      if (task.status === 'input_required') task.status = 'working';
    } else if (kind === 'slip') {
      await ask('tasks/update', { inputResponses: { goOn: 'no answer', other: {} } });
    } else if (kind === 'cancel') {
      await ask('tasks/cancel');
      if (isOpen(task)) task.isCancelled = true;
      if (isOpen(task) && !task.isLeft) task.status = 'cancelled';
    } else if (kind === 'finish' || kind === 'fail') {
      const isAt = task.status === 'working' && !task.isLeft;
      if (isAt) this.#gates.get(name)?.resolve(kind === 'finish' ? 'ok' : 'failed');
      if (isAt) task.status = 'completed';
    }
  }

  #crash(): void {
    this.#die();
    void this.#client.close();
    for (const task of this.#tasks.values()) if (isOpen(task)) task.isLeft = true;
    this.#start();
  }

  /** What was left is found, and what is old is forgotten. */
  async #wait(ms: number): Promise<void> {
    await vi.advanceTimersByTimeAsync(ms);
    await settled();
    for (const task of this.#tasks.values()) {
      if (performance.now() >= task.endsMs) task.status = 'gone';
      else if (task.isLeft && isOpen(task)) {
        task.isLeft = false;
        if (task.isCancelled) task.status = 'cancelled';
        else if (!task.isRepeatable) task.status = 'failed';
      }
    }
  }

  async #check({ taskId, status }: Expected): Promise<void> {
    const seen = (await this.#client
      .requestModern('tasks/get', { taskId })
      .catch(({ code }: { readonly code: number }) => ({
        status: code === -32602 ? 'gone' : code,
      }))) as SeenTask;
    const has = (member: 'inputRequests' | 'result' | 'error'): boolean => member in seen;
    assert.deepEqual(
      [seen.status, has('inputRequests'), has('result'), has('error')],
      [status, status === 'input_required', status === 'completed', status === 'failed'],
    );
  }
}

const isOpen = ({ status }: Expected): boolean =>
  status === 'working' || status === 'input_required';

/** Everything that follows from what was done has been done. */
async function settled(): Promise<void> {
  for (let turns = 0; turns < 6; turns += 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

interface Action {
  readonly kind: string;
  readonly name: Name;
  readonly isRepeatable: boolean;
  readonly asks: boolean;
  readonly ms: number;
}

const action: fc.Arbitrary<Action> = fc.record({
  kind: fc.constantFrom(
    'begin',
    'begin',
    'begin',
    'answer',
    'answer',
    'slip',
    'cancel',
    'finish',
    'finish',
    'fail',
    'crash',
    'wait',
  ),
  name: fc.constantFrom(...names),
  isRepeatable: fc.boolean(),
  asks: fc.boolean(),
  // Always long enough to notice that a process has died.
  ms: fc.constantFrom(3 * leaseMs, 4 * leaseMs, ttlMs),
});

test('Whatever is asked, answered, cancelled, killed and forgotten in whatever order, tasks are as they should be', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 14 }), async (actions) => {
      const world = new World();
      try {
        for (const one of actions) await world.do(one);
      } finally {
        world.close();
      }
    }),
    { numRuns: Math.min(10_000, Number(process.env['PROPERTY_RUNS'])) },
  );
});
