import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createDeferred, silentLogger, withoutUndefined } from '#base';
import type { CallToolResult } from '#protocol';
import { createServer } from '#server';
import { createMemoryStore, type Store } from '#store';
import { connectInMemory } from '#testing';
import type { Envelope } from '../contract/envelope.ts';
import { fail, type Failure } from '../failure.ts';
import { governed } from '../governed/governed-contract.ts';
import { toolSet } from '../tool-set.ts';
import { defineWorkflow, type Workflow } from './define-workflow.ts';
import type { RunReport } from './report.ts';

const numRuns = Math.min(5000, Number(process.env['PROPERTY_RUNS']) / 5);
const name = 'workflow_update_world_all';

interface CallOptions {
  readonly store?: Store;
  readonly now?: () => number;
  readonly idempotencyKey?: string;
}

/** One call of a workflow, by a process of its own. */
async function callOnce(workflow: Workflow, options: CallOptions = {}): Promise<Envelope> {
  const { store, now, idempotencyKey } = options;
  const governance = {
    lint: 'off',
    store,
    idempotency: { leaseMs, now },
  } as const;
  const set = toolSet([workflow], { contract: governed(governance), logger: silentLogger });
  const client = connectInMemory(createServer({ name: 's', version: '1', features: [set] }));
  try {
    await client.initialize();
    const args = idempotencyKey === undefined ? {} : { idempotencyKey };
    const result = await client.request('tools/call', { name, arguments: args });
    return (result as CallToolResult).structuredContent as Envelope;
  } finally {
    await client.close();
  }
}

// What a stage leaves behind when it fails, whatever the stages.

type Trouble = 'none' | 'refuses' | 'away' | 'bug';

interface Member {
  /** Which of the stages above it it is after, as bits. */
  readonly after: number;
  readonly undoes: boolean;
  readonly finds: boolean;
  readonly trouble: Trouble;
  /** It fails when its effect is there already. */
  readonly late: boolean;
  readonly undoFails: boolean;
}

const member: fc.Arbitrary<Member> = fc.record({
  after: fc.nat({ max: 31 }),
  undoes: fc.boolean(),
  finds: fc.boolean(),
  trouble: fc.constantFrom('none', 'none', 'none', 'refuses', 'away', 'bug'),
  late: fc.boolean(),
  undoFails: fc.constantFrom(false, false, false, true),
});

const troubles: Readonly<Record<Trouble, () => Error | undefined>> = {
  none: () => undefined,
  refuses: () => fail('E_CONFLICT', 'No.'),
  away: () => fail('E_UNAVAILABLE', 'Away.'),
  bug: () => new Error('bug'),
};

const afterOf = ({ after }: Member, index: number): readonly string[] =>
  Array.from({ length: index }, (_, above) => above)
    .filter((above) => (after & (1 << above)) !== 0)
    .map((above) => `s${above}`);

interface Watched {
  readonly world: Set<string>;
  readonly undone: string[];
}

function workflowOf(members: readonly Member[], { world, undone }: Watched): Workflow {
  let workflow: Workflow = defineWorkflow({
    name,
    description: 'Does what it is made of.',
    safety: 'mutating',
    logger: silentLogger,
  });
  for (const [index, each] of members.entries()) {
    const stage = `s${index}`;
    const { undoes, finds, undoFails, trouble } = each;
    // A stage that refuses and cannot be undone has done nothing: that is what refusing means.
    const late = each.late && (undoes || finds || trouble !== 'refuses');
    const undo = (): void => {
      undone.push(stage);
      if (undoFails) throw new Error('cannot');
      world.delete(stage);
    };
    const find = () => (world.has(stage) ? { output: undefined } : undefined);
    workflow = workflow.stage(stage, {
      after: afterOf(each, index) as never[],
      plan: () => ({ changes: [{ type: 'create', target: stage }], state: world.has(stage) }),
      async apply() {
        await Promise.resolve();
        const error = troubles[trouble]();
        if (error === undefined || late) world.add(stage);
        if (error !== undefined) throw error;
      },
      ...withoutUndefined({
        undo: undoes ? undo : undefined,
        find: finds ? find : undefined,
      }),
    });
  }
  return workflow;
}

/** Whatever is there is named, and whatever could be taken back is gone. */
function checkLeft(members: readonly Member[], watched: Watched, error: Failure): void {
  const { notUndone, stages } = error.details as Pick<RunReport, 'notUndone' | 'stages'>;
  const named = new Set(notUndone.map(({ stage }) => stage));
  for (const stage of watched.world) assert.ok(named.has(stage), `${stage} is left, unnamed`);
  for (const [index, { undoes, undoFails }] of members.entries()) {
    if (undoes && !undoFails) assert.ok(!named.has(`s${index}`), `s${index} was not undone`);
  }
  const failed = stages.find(({ stage }) => stage === error.stage);
  assert.equal(failed?.status, 'failed');
  assert.equal(failed?.error?.code, error.code);
  assert.equal(error.retryable && named.size > 0, false);
}

test('after any failure the state is what it was, or the report names what is left', async () => {
  const seen = { done: 0, clean: 0, left: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(member, { minLength: 1, maxLength: 5 }), async (members) => {
      const watched: Watched = { world: new Set(), undone: [] };
      const { error } = await callOnce(workflowOf(members, watched));
      const { world, undone } = watched;
      if (error === null) {
        seen.done += 1;
        assert.equal(world.size, members.length);
        assert.ok(members.every(({ trouble }) => trouble === 'none'));
        return;
      }
      checkLeft(members, watched, error);
      seen[world.size === 0 ? 'clean' : 'left'] += 1;
      // Last first: none is undone before one that builds on it.
      for (const [index, each] of members.entries()) {
        const at = undone.indexOf(`s${index}`);
        for (const earlier of afterOf(each, index)) {
          assert.ok(at < 0 || !undone.slice(0, at).includes(earlier));
        }
      }
    }),
    { numRuns },
  );
  // Otherwise this would have shown nothing.
  expect(Math.min(seen.done, seen.clean, seen.left)).toBeGreaterThan(numRuns / 50);
});

// Processes that die, or sleep for too long, at any step of a run.

const leaseMs = 1_000_000;

/** How a stage makes up for not knowing whether it was done. */
type Kind = 'idempotent' | 'finds' | 'undoes' | 'neither';

interface Attempt {
  readonly dies:
    | 'never'
    | 'before store'
    | 'after store'
    | 'before effect'
    | 'after effect'
    | 'sleeps';
  /** At the how manieth of these. */
  readonly at: number;
  readonly does: 'call' | 'resume' | 'undo';
  /** The first stage that it applies fails, and would not at another time. */
  readonly fails: boolean;
}

class World {
  nowMs = 0;
  readonly counts = new Map<string, number>();
  readonly shared = createMemoryStore({ now: () => this.nowMs });
  readonly awake = createDeferred<void>();
  /** The one run that calls with one key have, once it was looked for. */
  runId: string | undefined;
  readonly asleep: Promise<unknown>[] = [];

  add(stage: string, by: number): void {
    this.counts.set(stage, (this.counts.get(stage) ?? 0) + by);
  }

  has(stage: string): boolean {
    return (this.counts.get(stage) ?? 0) > 0;
  }
}

/** One process, which comes no further than where it dies. */
class Mortal {
  readonly #attempt: Attempt;
  readonly #world: World;
  readonly #passed = new Map<string, number>();
  readonly gone = createDeferred<undefined>();
  #dead = false;
  #fails: boolean;

  constructor(attempt: Attempt, world: World) {
    this.#attempt = attempt;
    this.#world = world;
    this.#fails = attempt.fails;
  }

  failOnce(): void {
    const fails = this.#fails;
    this.#fails = false;
    if (fails) throw fail('E_UNAVAILABLE', 'Not now.');
  }

  async reach(point: Attempt['dies']): Promise<void> {
    if (this.#dead) await new Promise(() => {});
    const passed = this.#passed.get(point) ?? 0;
    this.#passed.set(point, passed + 1);
    const { dies, at } = this.#attempt;
    if (dies !== point || passed !== at) return;
    if (point === 'sleeps') {
      // What goes on beside it comes to where it waits for the store as well.
      setImmediate(() => this.gone.resolve(undefined));
      await this.#world.awake.promise;
    } else {
      this.#dead = true;
      this.gone.resolve(undefined);
      await new Promise(() => {});
    }
  }

  store(): Store {
    const { kv, ...rest } = this.#world.shared;
    const use =
      <Args extends unknown[], T>(access: (...args: Args) => T) =>
      async (...args: Args): Promise<Awaited<T>> => {
        // Only one that was written down, by compare and swap, has begun; a key that was given back may begin another.
        const [, runId] = /^workflow\/\w+\/(.+)/.exec(String(args[0])) ?? [];
        if (args.length > 2) this.#world.runId = runId ?? this.#world.runId;
        await this.reach('before store');
        await this.reach('sleeps');
        const value = await access(...args);
        await this.reach('after store');
        return value;
      };
    const { get, cas, list } = kv;
    return { ...rest, kv: { get: use(get), cas: use(cas), list: use(list) } };
  }
}

function mortalWorkflow(kinds: readonly Kind[], world: World, mortal: Mortal): Workflow {
  let workflow: Workflow = defineWorkflow({
    name,
    description: 'Has an effect per stage.',
    safety: 'mutating',
    store: mortal.store(),
    leaseMs,
    now: () => world.nowMs,
    logger: silentLogger,
  });
  for (const [index, kind] of kinds.entries()) {
    const stage = `s${index}`;
    const effect = async (by: () => number): Promise<void> => {
      await mortal.reach('before effect');
      world.add(stage, by());
      await mortal.reach('after effect');
    };
    const isThere = (): boolean => world.has(stage);
    workflow = workflow.stage(stage, {
      // Two beginnings, and the rest after both.
      after: index === 1 ? [] : undefined,
      idempotent: kind === 'idempotent',
      plan: () => ({ changes: [{ type: 'create', target: stage }], state: isThere() }),
      apply() {
        mortal.failOnce();
        return effect(() => (kind === 'idempotent' && isThere() ? 0 : 1));
      },
      ...withoutUndefined({
        undo: kind === 'neither' ? undefined : () => effect(() => (isThere() ? -1 : 0)),
        find: kind === 'finds' ? () => (isThere() ? { output: undefined } : undefined) : undefined,
      }),
    });
  }
  return workflow;
}

/** What one process does until it has done it, or is gone. */
function live(attempt: Attempt, kinds: readonly Kind[], world: World): Promise<unknown> {
  const mortal = new Mortal(attempt, world);
  const workflow = mortalWorkflow(kinds, world, mortal);
  const work = async (): Promise<unknown> => {
    if (attempt.does === 'call') {
      const now = (): number => world.nowMs;
      return callOnce(workflow, { store: mortal.store(), now, idempotencyKey: 'the one' });
    }
    const reports: RunReport[] = [];
    for (const { runId } of await workflow.runs())
      reports.push(await workflow[attempt.does](runId));
    return reports;
  };
  const working = work().catch((error: unknown) => error);
  if (attempt.dies === 'sleeps') world.asleep.push(working);
  return Promise.race([working, mortal.gone.promise]);
}

const attempt: fc.Arbitrary<Attempt> = fc.record({
  dies: fc.constantFrom(
    'never',
    'before store',
    'after store',
    'before effect',
    'after effect',
    'sleeps',
  ),
  at: fc.nat({ max: 12 }),
  does: fc.constantFrom('call', 'resume', 'undo'),
  fails: fc.constantFrom(false, false, true),
});
const kindOf = fc.constantFrom<Kind>('idempotent', 'finds', 'undoes', 'neither');

/** What the report says of each stage is how it is. */
function checkReport({ status, notUndone }: RunReport, world: World, kinds: readonly Kind[]): void {
  const named = new Set(notUndone.map(({ stage }) => stage));
  for (const index of kinds.keys()) {
    const count = world.counts.get(`s${index}`) ?? 0;
    if (status === 'done') assert.equal(count, 1, `s${index}: done ${count} times`);
    else if (!named.has(`s${index}`)) assert.equal(count, 0, `s${index}: ${count} left, unnamed`);
    else assert.ok(kinds[index] === 'neither' && count <= 1, `s${index}: ${count} could be undone`);
  }
  assert.equal(status === 'open', named.size > 0);
}

test('whenever processes die, a run is resumed or undone, each stage once', async () => {
  const seen = { done: 0, undone: 0, open: 0, none: 0 };
  await fc.assert(
    fc.asyncProperty(
      fc.array(kindOf, { minLength: 1, maxLength: 4 }),
      fc.array(attempt, { maxLength: 4 }),
      fc.constantFrom<Attempt['does']>('resume', 'undo'),
      async (kinds, attempts, does) => {
        const world = new World();
        const begin: Attempt = { dies: 'never', at: 0, does: 'call', fails: false };
        for (const each of attempts.length === 0 ? [begin] : attempts) {
          await live(each, kinds, world);
          world.nowMs += 2 * leaseMs;
        }
        // At last somebody sees to it who does not die, and then those awake who have slept.
        await live({ dies: 'never', at: 0, does, fails: false }, kinds, world);
        world.awake.resolve();
        await Promise.all(world.asleep);
        const reporter = mortalWorkflow(kinds, world, new Mortal(begin, world));
        const report = await reporter.report(world.runId ?? '');
        seen[report?.status ?? 'none'] += 1;
        if (report === undefined) assert.equal([...world.counts.values()].some(Boolean), false);
        else checkReport(report, world, kinds);
        world.shared.close();
      },
    ),
    { numRuns },
  );
  expect(Math.min(seen.done, seen.undone, seen.open)).toBeGreaterThan(numRuns / 50);
}, 240_000);
