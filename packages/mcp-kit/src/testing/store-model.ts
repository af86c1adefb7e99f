import assert from 'node:assert/strict';
import type { MaybePromise } from '#base';
import type { LogEntry, LogRead, Store } from '#store';

/** A store in which things are done at random, and beside it all that it may have. */
interface ModelRun {
  readonly store: Store;
  /** Texts that no other run uses begin its keys. */
  readonly name: string;
  readonly seed: number;
  /** Moves the clock of the store, where that can be done. */
  readonly pass?: ((ms: number) => MaybePromise<void>) | undefined;
  /** Breaks the way to what keeps the data. */
  readonly disturb?: (() => MaybePromise<void>) | undefined;
}

const steps = 120;
const texts: readonly string[] = ['', 'a', 'b', 'zw\u00f6lf \u0000 \u{1f3b2}', 'x'.repeat(300)];

/** Does things at random; whatever the store answers must be true of one that does what it says. Prints the seed where it is not. */
export async function compareWithModel(run: ModelRun): Promise<void> {
  const dice = diceOf(run.seed);
  const values = new Map([0, 1, 2].map((at) => [`${run.name}/${at}`, new ModelValue()]));
  const logs = new Map([0, 1].map((at) => [`${run.name}-log/${at}`, new ModelLog()]));
  try {
    for (let step = 0; step < steps; step += 1) {
      const what = dice(20);
      if (what === 0 && run.disturb !== undefined) await run.disturb();
      else if (what === 1 && run.pass !== undefined) {
        const ms = 50 * (1 + dice(6));
        await run.pass(ms);
        for (const value of values.values()) value.pass(ms);
      } else if (what === 2) await list(run, values);
      else if (what < 10) await oneValue(run, values, dice);
      else await together(run, logs, dice);
    }
    for (const [key, value] of values) value.is(await retried(() => run.store.kv.get(key)));
    for (const [key, log] of logs) {
      log.has(0, await retried(() => run.store.log.readAfter(key, 0)));
    }
  } catch (error) {
    throw new Error(`seed ${run.seed}: ${String(error)}`, { cause: error });
  }
}

/** Numbers below `n` that follow from a seed. */
function diceOf(seed: number): (n: number) => number {
  let state = seed >>> 0;
  return (n) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
}

/** What failed, and perhaps was done nevertheless. */
const failed = Symbol('failed');

/** Only a store that is disturbed may fail. */
async function attempt<T>(run: ModelRun, work: () => MaybePromise<T>): Promise<T | typeof failed> {
  try {
    return await work();
  } catch (error) {
    if (run.disturb === undefined) throw error;
    return failed;
  }
}

async function retried<T>(work: () => MaybePromise<T>): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (tries === 50) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

/** What a key may hold, and until when. */
class ModelValue {
  #possible: { readonly text: string | undefined; leftMs: number }[] = [
    { text: undefined, leftMs: Infinity },
  ];

  get isSurelyThere(): boolean {
    return this.#possible.every(({ text }) => text !== undefined);
  }

  mayBe(text: string | undefined): boolean {
    return this.#possible.some((one) => one.text === text);
  }

  get mayBeThere(): boolean {
    return this.#possible.some(({ text }) => text !== undefined);
  }

  pass(ms: number): void {
    this.#possible = this.#possible.map(({ text, leftMs }) =>
      leftMs > ms ? { text, leftMs: leftMs - ms } : { text: undefined, leftMs: Infinity },
    );
  }

  is(text: string | undefined): void {
    assert.ok(this.mayBe(text), `it has ${JSON.stringify(text)}`);
    this.#possible = this.#possible.filter((one) => one.text === text);
  }

  isNot(text: string | undefined): void {
    this.#possible = this.#possible.filter((one) => one.text !== text);
    assert.ok(this.#possible.length > 0, `it has ${JSON.stringify(text)} and does not write`);
  }

  becomes(text: string | undefined, leftMs: number, isSure: boolean): void {
    const next = { text, leftMs: text === undefined ? Infinity : leftMs };
    this.#possible = isSure ? [next] : [...this.#possible, next];
  }
}

async function oneValue(
  run: ModelRun,
  values: ReadonlyMap<string, ModelValue>,
  dice: (n: number) => number,
): Promise<void> {
  const key = `${run.name}/${dice(values.size)}`;
  const value = values.get(key) ?? new ModelValue();
  if (dice(3) === 0) {
    const found = await attempt(run, () => run.store.kv.get(key));
    if (found !== failed) value.is(found);
    return;
  }
  const any = (): string | undefined => (dice(4) === 0 ? undefined : texts[dice(texts.length)]);
  const known = [undefined, ...texts].find((text) => value.mayBe(text));
  const expected = dice(3) === 0 ? any() : known;
  const next = any();
  // A lifetime only where the clock is moved by hand.
  const ttlMs = run.pass !== undefined && dice(2) === 0 ? 50 * (1 + dice(8)) - 25 : undefined;
  const done = await attempt(run, () => run.store.kv.cas(key, expected, next, { ttlMs }));
  if (done === false) value.isNot(expected);
  if (done === true) value.is(expected);
  if (done === true || (done === failed && value.mayBe(expected))) {
    value.becomes(next, ttlMs ?? Infinity, done === true);
  }
}

async function list(run: ModelRun, values: ReadonlyMap<string, ModelValue>): Promise<void> {
  const keys = await attempt(run, () => run.store.kv.list(`${run.name}/`));
  if (keys === failed) return;
  assert.deepEqual(keys, keys.toSorted());
  assert.equal(new Set(keys).size, keys.length);
  for (const key of keys) assert.ok(values.get(key)?.mayBeThere, `${key} is listed`);
  for (const [key, value] of values) {
    assert.ok(!value.isSurelyThere || keys.includes(key), `${key} is not listed`);
  }
}

/** What a log has, and what it may have besides: what was not acknowledged. */
class ModelLog {
  #count = 0;
  #entries: LogEntry[] = [];
  readonly #perhaps = new Set<string>();

  get last(): number {
    return this.#entries.at(-1)?.position ?? 0;
  }

  newText(): string {
    return `entry ${(this.#count += 1)}`;
  }

  perhaps(data: string): void {
    this.#perhaps.add(data);
  }

  appended(position: number, data: string): void {
    assert.ok(Number.isSafeInteger(position) && position > this.last, `position ${position}`);
    this.#entries.push({ position, data });
  }

  has(after: number, { entries }: LogRead): void {
    const known = new Map(this.#entries.map((entry) => [entry.position, entry.data]));
    for (const { position, data } of entries) {
      if (known.has(position)) continue;
      assert.ok(this.#perhaps.delete(data), `${data} at ${position} was never appended, or twice`);
      this.#entries.push({ position, data });
    }
    this.#entries.sort((a, b) => a.position - b.position);
    assert.deepEqual(
      entries,
      this.#entries.filter(({ position }) => position > after),
    );
  }
}

/** Several appends at once, then a look. */
async function together(
  run: ModelRun,
  logs: ReadonlyMap<string, ModelLog>,
  dice: (n: number) => number,
): Promise<void> {
  const key = `${run.name}-log/${dice(logs.size)}`;
  const log = logs.get(key) ?? new ModelLog();
  const added = Array.from({ length: 1 + dice(4) }, () => log.newText());
  const appends = added.map(async (data) => ({
    data,
    position: await attempt(run, () => run.store.log.append(key, 'next', data)),
  }));
  const answered: LogEntry[] = [];
  for (const { data, position } of await Promise.all(appends)) {
    if (typeof position === 'number') answered.push({ position, data });
    else log.perhaps(data);
  }
  for (const { data, position } of answered.toSorted((a, b) => a.position - b.position)) {
    log.appended(position, data);
  }
  const after = dice(2) === 0 ? 0 : log.last;
  const read = await attempt(run, () => run.store.log.readAfter(key, after));
  if (read !== failed) log.has(after, read);
}
