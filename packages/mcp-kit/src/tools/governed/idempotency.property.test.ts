import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createDeferred, silentLogger } from '#base';
import type { CallToolResult } from '#protocol';
import { createServer } from '#server';
import { createMemoryStore, type Store } from '#store';
import { connectInMemory } from '#testing';
import type { Envelope } from '../contract/envelope.ts';
import { tool, type Tool } from '../tool.ts';
import { toolSet } from '../tool-set.ts';
import { governed } from './governed-contract.ts';

// Each of these is a server and several clients.
const schedules = Math.min(10_000, Number(process.env['PROPERTY_RUNS']));

// Retries with one key, by processes that may die at any moment.

/**
 * Where a process dies: before or after its nth use of the store, or around the effect; or not at all.
 * One that freezes goes on in the end, long after everybody has given it up.
 */
interface Attempt {
  readonly dies:
    | 'never'
    | 'before store'
    | 'after store'
    | 'before effect'
    | 'after effect'
    | 'freezes';
  readonly at: number;
  /** How long after the attempt before it, in leases. */
  readonly wait: number;
  /** At the same time as the next one. */
  readonly together: boolean;
}

type Kind = 'plan with state' | 'plan' | 'run' | 'idempotent';

const leaseMs = 1_000_000;

class World {
  nowMs = 0;
  effects = 0;
  version = 0;
  readonly shared = createMemoryStore({ now: () => this.nowMs });
  readonly thaw = createDeferred<void>();
  /** Nobody looks any more: the dead may be cleared away. */
  readonly over = createDeferred<void>();
}

/** One process: dead once it has come to where it dies. */
class Mortal {
  readonly #attempt: Attempt;
  readonly #world: World;
  #uses = 0;
  die: () => void = () => {};
  readonly death: Promise<void>;

  constructor(attempt: Attempt, world: World) {
    this.#attempt = attempt;
    this.#world = world;
    this.death = new Promise((resolve) => {
      this.die = resolve;
    });
  }

  readonly asleep = createDeferred<void>();

  get freezes(): boolean {
    return this.#attempt.dies === 'freezes';
  }

  /** Does not come back from where the process dies for as long as anybody looks. */
  async reach(point: Attempt['dies']): Promise<void> {
    if (this.#attempt.dies !== point) return;
    if (point.endsWith('store') && this.#uses !== this.#attempt.at) return;
    this.die();
    await this.#world.over.promise;
    throw new Error('dead');
  }

  store({ kv, ...rest }: Store): Store {
    const use =
      <Args extends unknown[], T>(access: (...args: Args) => T) =>
      async (...args: Args): Promise<Awaited<T>> => {
        await this.reach('before store');
        const value = await access(...args);
        await this.reach('after store');
        this.#uses += 1;
        return value;
      };
    const { get, cas } = kv;
    return {
      ...rest,
      kv: {
        ...kv,
        get: use(get),
        cas: use(cas),
      },
    };
  }
}

function toolOf(kind: Kind, world: World, mortal: Mortal): Tool {
  const head = {
    name: 'update_world_version',
    description: 'Has an effect.',
    safety: 'mutating',
    idempotent: kind === 'idempotent',
  } as const;
  const effect = async (): Promise<void> => {
    await mortal.reach('before effect');
    world.effects += 1;
    world.version += 1;
    await mortal.reach('after effect');
  };
  if (kind === 'run') return tool({ ...head, run: effect });
  return tool({
    ...head,
    async plan() {
      const { version: from } = world;
      const changes = [{ type: 'update', target: 'world', from, to: from + 1 }];
      if (mortal.freezes) {
        mortal.asleep.resolve();
        await world.thaw.promise;
      }
      return { changes, state: kind === 'plan with state' ? from : undefined };
    },
    apply: effect,
  });
}

/** One process asks: for its answer, if it lives to get one, and for the moment it has got so far or sleeps. */
interface Asked {
  readonly answer: Promise<Envelope | undefined>;
  readonly settled: Promise<unknown>;
}

function attemptCall(each: Attempt, kind: Kind, world: World): Asked {
  const mortal = new Mortal(each, world);
  const asking = async (): Promise<Envelope | undefined> => {
    const contract = governed({
      lint: 'off',
      store: mortal.store(world.shared),
      idempotency: { leaseMs, now: () => world.nowMs },
    });
    const set = toolSet([toolOf(kind, world, mortal)], { contract, logger: silentLogger });
    const client = connectInMemory(createServer({ name: 's', version: '1', features: [set] }));
    await client.initialize();
    const call = { name: 'update_world_version', arguments: { idempotencyKey: 'the one' } };
    const answer = client.request('tools/call', call) as Promise<CallToolResult>;
    answer.catch(() => undefined);
    const ended = await Promise.race([answer, mortal.death.then(() => undefined)]);
    await client.close();
    return ended?.structuredContent as Envelope | undefined;
  };
  const answer = asking();
  return { answer, settled: Promise.race([answer, mortal.asleep.promise]) };
}

const attempt: fc.Arbitrary<Attempt> = fc.record({
  dies: fc.constantFrom(
    'never',
    'before store',
    'after store',
    'before effect',
    'after effect',
    'freezes',
  ),
  at: fc.nat({ max: 5 }),
  wait: fc.constantFrom(0, 0, 0.4, 1.5),
  together: fc.boolean(),
});
const kinds = fc.constantFrom<Kind>('plan with state', 'plan', 'run', 'idempotent');

/** Nothing is done twice, and what is told to be done is done. */
function checkEffects(
  effects: number,
  kind: Kind,
  answers: readonly (Envelope | undefined)[],
): void {
  const told = answers.some((answer) => answer?.success === true);
  const most = kind === 'idempotent' ? Infinity : 1;
  assert.ok(effects <= most && effects >= (told ? 1 : 0), `${effects} effects`);
}

test('whatever the schedule of retries and crashes, what is asked under one key is done once', async () => {
  const seen = { done: 0, unknown: 0, crashed: 0 };
  await fc.assert(
    fc.asyncProperty(
      kinds,
      fc.array(attempt, { minLength: 1, maxLength: 5 }),
      async (kind, plan) => {
        const world = new World();
        const all: Asked[] = [];
        for (const each of plan) {
          world.nowMs += each.wait * leaseMs;
          all.push(attemptCall(each, kind, world));
          if (!each.together) await Promise.all(all.map(({ settled }) => settled));
        }
        await Promise.all(all.map(({ settled }) => settled));
        // At last everybody who died is known to be dead, and somebody asks who does not die.
        world.nowMs += 2 * leaseMs;
        const immortal: Attempt = { dies: 'never', at: 0, wait: 0, together: false };
        const last = await attemptCall(immortal, kind, world).answer;
        world.thaw.resolve();
        const answers = await Promise.all(all.map(({ answer }) => answer));
        const crashes = answers.filter((answer) => answer === undefined).length;
        seen.crashed += crashes;

        checkEffects(world.effects, kind, [...answers, last]);
        if (crashes === 0) assert.equal(world.effects, 1);
        if (crashes === 0 || kind === 'idempotent') assert.equal(last?.error, null);
        if (last?.success === true) {
          seen.done += 1;
        } else {
          seen.unknown += 1;
          assert.deepEqual([last?.error?.code, last?.error?.retryable], ['E_CONFLICT', false]);
        }
        world.over.resolve();
        world.shared.close();
        // All of this is one turn: without another, the timers of thousands of servers would wait for the end.
        await new Promise((resolve) => setImmediate(resolve));
      },
    ),
    { numRuns: schedules },
  );
  // Otherwise this would have shown nothing.
  expect(Math.min(seen.done, seen.unknown, seen.crashed)).toBeGreaterThan(schedules / 50);
}, 240_000);
