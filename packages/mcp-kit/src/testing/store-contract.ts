import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDeferred, KitError, type MaybePromise } from '#base';
import type { LogRead, Store } from '#store';
import { compareWithModel } from './store-model.ts';

/** One behaviour that every store has, as a test of any runner: `test(name, run)`. */
export interface StoreCase {
  readonly name: string;
  run(): Promise<void>;
}

/** How the cases make time pass. */
export interface StoreContractOptions {
  /** Moves the store's clock; by default the time really passes. */
  readonly pass?: ((ms: number) => MaybePromise<void>) | undefined;
  /** Breaks the way to what keeps the data, where there is one: what is asked just then may fail, and what was answered stays true. */
  readonly disturb?: (() => MaybePromise<void>) | undefined;
  /** How often things are done at random, and compared with what a store must answer; 20 times. */
  readonly runs?: number | undefined;
  /** Where the random numbers begin, to repeat a run. */
  readonly seed?: number | undefined;
}

/** What a case works with. */
interface Given {
  readonly store: Store;
  /** A key that no other case uses, so that the cases may share one database. */
  readonly key: string;
  readonly otherKey: string;
  pass(ms: number): MaybePromise<void>;
  /** Milliseconds on the clock by which lifetimes pass: a machine may be slower than one of them. */
  now(): number;
}

type Cases = Readonly<Record<string, (given: Given) => Promise<void>>>;

/** The behaviour of a store, whatever keeps its data; each case opens its own store and closes it. */
export function storeContract(
  open: () => MaybePromise<Store>,
  { pass, disturb, runs = 20, seed = Date.now() % 2 ** 31 }: StoreContractOptions = {},
): readonly StoreCase[] {
  let passedMs = 0;
  const clock =
    pass === undefined
      ? { pass: (ms: number) => sleep(ms), now: () => performance.now() }
      : {
          pass: (ms: number) => {
            passedMs += ms;
            return pass(ms);
          },
          now: () => passedMs,
        };
  const compare =
    (isDisturbed: boolean): ((given: Given) => Promise<void>) =>
    async ({ store, key }) => {
      const how = { pass: pass && clock.pass, disturb: isDisturbed ? disturb : undefined };
      for (let run = 0; run < runs; run += 1) {
        await compareWithModel({ store, name: `${key} ${run}`, seed: seed + run, ...how });
      }
    };
  const modelCases: Record<string, Cases[string]> = {
    'it behaves as the obvious one, whatever is done': compare(false),
  };
  if (disturb !== undefined) {
    modelCases['what it has said is true, also when it fails'] = compare(true);
  }
  return Object.entries({
    ...kvCases,
    ...logCases,
    ...sharedCases,
    ...lossCases,
    ...modelCases,
  }).map(([name, check]) => ({
    name,
    async run() {
      const store = await open();
      try {
        await check({ store, key: randomUUID(), otherKey: randomUUID(), ...clock });
      } finally {
        await store.close();
      }
    },
  }));
}

const ttlMs = 200;
const longerMs = 400;

const kvCases: Cases = {
  'an unknown key has no value': async ({ store: { kv }, key }) => {
    assert.equal(await kv.get(key), undefined);
    assert.equal(await kv.cas(key, 'x', undefined), false);
  },

  'a value is read back until it is replaced or deleted': async ({ store: { kv }, key }) => {
    const strange = 'zw\u00f6lf \u0000 \u{1f3b2}';
    assert.equal(await kv.cas(key, undefined, 'one'), true);
    assert.equal(await kv.get(key), 'one');
    assert.equal(await kv.cas(key, 'one', strange), true);
    assert.equal(await kv.get(key), strange);
    assert.equal(await kv.cas(key, 'one', undefined), false);
    assert.equal(await kv.cas(key, strange, undefined), true);
    assert.equal(await kv.get(key), undefined);
  },

  'an empty string is a value': async ({ store: { kv }, key }) => {
    await kv.cas(key, undefined, '');
    assert.equal(await kv.get(key), '');
    assert.equal(await kv.cas(key, undefined, 'x'), false);
    assert.equal(await kv.cas(key, '', 'x'), true);
  },

  'two keys do not share a value': async ({ store: { kv }, key, otherKey }) => {
    await kv.cas(key, undefined, 'one');
    await kv.cas(otherKey, undefined, 'other');
    await kv.cas(key, 'one', undefined);
    assert.equal(await kv.get(otherKey), 'other');
  },

  'cas writes only over what it expects': async ({ store: { kv }, key }) => {
    assert.equal(await kv.cas(key, 'one', 'two'), false);
    assert.equal(await kv.get(key), undefined);
    assert.equal(await kv.cas(key, undefined, 'one'), true);
    assert.equal(await kv.cas(key, undefined, 'again'), false);
    assert.equal(await kv.cas(key, 'one', 'two'), true);
    assert.equal(await kv.get(key), 'two');
  },

  'of many cas from the same value exactly one wins': async ({ store: { kv }, key }) => {
    await kv.cas(key, undefined, 'start');
    const attempts = Array.from({ length: 20 }, async (_, n) => kv.cas(key, 'start', `${n}`));
    const won = (await Promise.all(attempts)).flatMap((success, n) => (success ? [`${n}`] : []));
    assert.equal(won.length, 1);
    assert.equal(await kv.get(key), won[0]);
  },

  'a value expires after its lifetime': async ({ store: { kv }, key, pass, now }) => {
    const before = now();
    await kv.cas(key, undefined, 'cas', { ttlMs });
    const found = await kv.get(key);
    assert.ok(found === 'cas' || now() - before >= ttlMs);
    await pass(longerMs);
    assert.equal(await kv.get(key), undefined);
    assert.deepEqual(await kv.list(key), []);
    assert.equal(await kv.cas(key, 'cas', 'late'), false);
    assert.equal(await kv.cas(key, undefined, 'anew'), true);
  },

  'every write replaces the lifetime as well': async ({ store: { kv }, key, otherKey, pass }) => {
    await kv.cas(key, undefined, 'same', { ttlMs: longerMs * 100 });
    await kv.cas(key, 'same', 'same');
    await kv.cas(otherKey, undefined, 'same');
    await kv.cas(otherKey, 'same', 'same', { ttlMs });
    await pass(longerMs);
    assert.equal(await kv.get(key), 'same');
    assert.equal(await kv.get(otherKey), undefined);
  },

  'the keys with a value are listed by how they begin': async ({ store: { kv }, key }) => {
    const names = [`${key}/b`, `${key}/a`, `${key}/a*`, `${key}/a"b`, `${key}/\u{1f3b2}`];
    for (const name of [...names, `${key}x`]) await kv.cas(name, undefined, name);
    await kv.cas(`${key}/b`, `${key}/b`, undefined);
    assert.deepEqual(await kv.list(`${key}/`), names.slice(1).toSorted());
    assert.deepEqual(await kv.list(`${key}/a*`), [`${key}/a*`]);
  },

  'a lifetime that is not positive is refused': async ({ store: { kv, log }, key }) => {
    for (const wrong of [0, -1, Number.NaN]) {
      await rejects(async () => kv.cas(key, undefined, 'x', { ttlMs: wrong }));
      await rejects(async () => log.append(key, 1, 'x', { ttlMs: wrong }));
    }
    assert.equal(await kv.get(key), undefined);
    assert.deepEqual(await log.readAfter(key, 0), nothingKnown);
  },
};

const logCases: Cases = {
  'an unknown log is empty and incomplete': async ({ store: { log }, key }) => {
    assert.deepEqual(await log.readAfter(key, 0), nothingKnown);
    await log.delete(key);
    assert.deepEqual(await log.readAfter(key, 0), nothingKnown);
  },

  'a log is read after a position': async ({ store: { log }, key }) => {
    for (const position of [1, 2, 5, 9]) await log.append(key, position, `data ${position}`);
    assert.deepEqual(await log.readAfter(key, 2), {
      entries: [
        { position: 5, data: 'data 5' },
        { position: 9, data: 'data 9' },
      ],
      complete: true,
    });
    assert.deepEqual(positions(await log.readAfter(key, 0)), [1, 2, 5, 9]);
    assert.deepEqual(positions(await log.readAfter(key, 7)), [9]);
    assert.deepEqual(await log.readAfter(key, 9), { entries: [], complete: true });
    assert.deepEqual(await log.readAfter(key, 100), { entries: [], complete: true });
  },

  'a log is read in pages': async ({ store: { log }, key }) => {
    for (let position = 1; position <= 7; position += 1) await log.append(key, position, 'x');
    assert.deepEqual(positions(await log.readAfter(key, 0, 3)), [1, 2, 3]);
    assert.deepEqual(positions(await log.readAfter(key, 3, 3)), [4, 5, 6]);
    const end = await log.readAfter(key, 6, 3);
    assert.deepEqual(positions(end), [7]);
    assert.equal(end.complete, true);
  },

  'a position that does not increase is refused': async ({ store: { log }, key }) => {
    await log.append(key, 3, 'three');
    for (const wrong of [3, 2, -1, 3.5, Number.NaN, Infinity]) {
      await rejects(async () => log.append(key, wrong, 'wrong'));
    }
    await log.append(key, 4, 'four');
    assert.deepEqual(positions(await log.readAfter(key, 3)), [4]);
  },

  'two logs are independent': async ({ store: { log }, key, otherKey }) => {
    await log.append(key, 10, 'ten');
    await log.append(otherKey, 1, 'one');
    assert.deepEqual(await log.readAfter(otherKey, 0), {
      entries: [{ position: 1, data: 'one' }],
      complete: true,
    });
    await log.delete(key);
    assert.deepEqual(positions(await log.readAfter(otherKey, 0)), [1]);
  },

  'many entries stay in order': async ({ store: { log }, key }) => {
    const expected = Array.from({ length: 500 }, (_, n) => n + 1);
    for (const position of expected) await log.append(key, position, `${position}`);
    const read = await log.readAfter(key, 0);
    assert.deepEqual(positions(read), expected);
    assert.ok(read.entries.every(({ position, data }) => data === `${position}`));
    assert.equal(read.complete, true);
  },

  'a log and a value of the same key are different things': async ({ store, key }) => {
    await store.kv.cas(key, undefined, 'value');
    await store.log.append(key, 1, 'entry');
    await store.log.delete(key);
    assert.equal(await store.kv.get(key), 'value');
  },
};

const sharedCases: Cases = {
  'a position that the store gives is above all there were': async ({ store: { log }, key }) => {
    const first = await log.append(key, 'next', 'first');
    assert.equal((await log.readAfter(key, first - 1)).complete, true);
    assert.equal(await log.append(key, first + 1, 'named'), first + 1);
    const third = await log.append(key, 'next', 'third');
    assert.ok(third > first + 1);
    await log.delete(key);
    await sleep(2);
    assert.ok((await log.append(key, 'next', 'anew')) > third);
  },

  'what many append at once is all there, in order': async ({ store: { log }, key }) => {
    const appends = Array.from({ length: 50 }, async (_, n) => {
      return [await log.append(key, 'next', `${n}`), `${n}`] as const;
    });
    const expected = (await Promise.all(appends)).toSorted(([a], [b]) => a - b);
    const { entries } = await log.readAfter(key, 0);
    assert.deepEqual(
      entries.map(({ position, data }) => [position, data]),
      expected,
    );
  },

  'whoever watches is woken by each append, and finds it': async ({ store: { log }, key }) => {
    let seen = 0;
    let woken = createDeferred<void>();
    const end = log.watch(key, () => woken.resolve());
    for (let position = 1; position <= 20; position += 1) {
      await log.append(key, position, 'x');
      while (seen < position) {
        await woken.promise;
        woken = createDeferred<void>();
        seen = positions(await log.readAfter(key, 0)).at(-1) ?? 0;
      }
    }
    end();
    end();
  },

  'whoever watches no more is not woken, and others are': async ({ store: { log }, key }) => {
    const woken = createDeferred<void>();
    let count = 0;
    const end = log.watch(key, () => (count += 1));
    const endOther = log.watch(key, () => woken.resolve());
    end();
    const before = count;
    await log.append(key, 1, 'x');
    await woken.promise;
    assert.equal(count, before);
    endOther();
  },
};

const lossCases: Cases = {
  'a log that begins late does not vouch for what came before': async ({ store: { log }, key }) => {
    await log.append(key, 5, 'five');
    assert.equal((await log.readAfter(key, 3)).complete, false);
    assert.equal((await log.readAfter(key, 4)).complete, true);
  },

  'a deleted log is unknown and may begin anew': async ({ store: { log }, key }) => {
    await log.append(key, 5, 'before');
    await log.delete(key);
    assert.deepEqual(await log.readAfter(key, 5), nothingKnown);
    await log.append(key, 1, 'after');
    assert.deepEqual(await log.readAfter(key, 0), {
      entries: [{ position: 1, data: 'after' }],
      complete: true,
    });
  },

  'a log expires as a whole after its lifetime': async ({ store: { log }, key, pass, now }) => {
    const before = now();
    await log.append(key, 1, 'one', { ttlMs });
    await log.append(key, 2, 'two');
    const found = positions(await log.readAfter(key, 0));
    assert.ok(found.join() === '1,2' || now() - before >= ttlMs);
    await pass(longerMs);
    assert.deepEqual(await log.readAfter(key, 0), nothingKnown);
  },

  'an append with a lifetime prolongs the log': async ({ store: { log }, key, pass, now }) => {
    const before = now();
    await log.append(key, 1, 'one', { ttlMs: longerMs });
    await pass(longerMs / 2);
    const prolonged = now();
    await log.append(key, 2, 'two', { ttlMs: longerMs * 2 });
    const wasLate = now() - before >= longerMs;
    await pass(longerMs);
    const found = positions(await log.readAfter(key, 0));
    assert.ok(found.join() === '1,2' || wasLate || now() - prolonged >= longerMs * 2);
  },
};

const nothingKnown: LogRead = { entries: [], complete: false };

function positions(read: LogRead): readonly number[] {
  return read.entries.map(({ position }) => position);
}

async function rejects(action: () => Promise<unknown>): Promise<void> {
  await assert.rejects(
    action,
    (error) => error instanceof KitError && error.code === 'invalid_argument',
  );
}
