import type { MaybePromise } from 'mcp-kit/internal';
import type { Store } from 'mcp-kit/store';
import type { World } from './world.ts';

/** What can be wrong with a store or with how it is asked: each is planted to see that a run finds it. */
export const bugs = [
  'a position is taken although another has it',
  'an append is acknowledged and not made',
  'what was read already is read again',
  'a page begins with its end',
  'a gap is told as complete',
  'a lease lapses by a clock that is ahead',
  'a node is taken for dead that is only slow',
] as const;
export type Bug = (typeof bugs)[number];

/** One process: its questions to the store take time, wait while it is stopped, and come to nothing once it is gone. */
export interface Process {
  readonly store: Store;
  /** `gone` never runs again. */
  state: 'running' | 'stopped' | 'gone';
  /** Does what the process does by itself, when it runs. */
  work(what: () => void): void;
  go(): void;
}

const slowestMs = 8;

export function startProcess(world: World, shared: Store, bug?: Bug): Process {
  const waiting: (() => void)[] = [];
  const work = (what: () => void): void => {
    if (own.state === 'running') what();
    else if (own.state === 'stopped') waiting.push(what);
  };
  /** Asks, and hears the answer: both take time. */
  const ask = <T>(question: () => MaybePromise<T>): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      world.after(world.below(slowestMs), () =>
        work(() => {
          let answer: () => void;
          try {
            const value = question();
            answer = () => resolve(value);
          } catch (error) {
            answer = () => reject(error);
          }
          world.after(world.below(slowestMs), () => work(answer));
        }),
      );
    });
  const { kv, log } = planted(shared, world, bug);
  const own: Process = {
    state: 'running',
    work,
    go() {
      own.state = 'running';
      for (const what of waiting.splice(0)) what();
    },
    store: {
      kv: {
        get: (key) => ask(() => kv.get(key)),
        cas: (...given) => ask(() => kv.cas(...given)),
        list: (prefix) => ask(() => kv.list(prefix)),
      },
      log: {
        append: (...given) => ask(() => log.append(...given)),
        readAfter: (...given) => ask(() => log.readAfter(...given)),
        watch: (key, woken) =>
          log.watch(key, () => void world.after(world.below(slowestMs), () => work(woken))),
        delete: (key) => ask(() => log.delete(key)),
      },
      close: () => undefined,
    },
  };
  return own;
}

/** The store, with a bug. */
function planted({ kv, log, close }: Store, world: World, bug: Bug | undefined): Store {
  const isPlanted = (one: Bug): boolean => bug === one;
  const append: Store['log']['append'] = (key, position, ...more) => {
    if (isPlanted('an append is acknowledged and not made') && world.oneIn(10)) return 0;
    const entries = readAll({ kv, log, close }, key);
    const last = entries.at(-1)?.position ?? 0;
    const isTaken = position !== 'next' && position <= last;
    const moves = isPlanted('a position is taken although another has it') && isTaken;
    return log.append(key, moves ? last + 1 : position, ...more);
  };
  const readAfter: Store['log']['readAfter'] = (key, position, limit) => {
    const again = isPlanted('what was read already is read again') && world.oneIn(3) ? 1 : 0;
    const read = log.readAfter(key, position - again, limit) as ReturnType<typeof readOf>;
    const entries = [...read.entries];
    if (isPlanted('a page begins with its end')) entries.reverse();
    if (isPlanted('a gap is told as complete') && world.oneIn(4)) entries.shift();
    return { ...read, entries };
  };
  const cas: Store['kv']['cas'] = (...given) => {
    const [key, expected, value, write] = given;
    const lapses = isPlanted('a lease lapses by a clock that is ahead') && key.startsWith('node/');
    return kv.cas(key, expected, value, lapses ? { ttlMs: 1 } : write);
  };
  const get: Store['kv']['get'] = (key) => {
    const isDead = isPlanted('a node is taken for dead that is only slow') && world.oneIn(3);
    return isDead && key.startsWith('node/') ? undefined : kv.get(key);
  };
  return { kv: { ...kv, cas, get }, log: { ...log, append, readAfter }, close };
}

const readOf = (store: Store, key: string) =>
  store.log.readAfter(key, 0) as Exclude<ReturnType<Store['log']['readAfter']>, Promise<unknown>>;

/** All that a log has, of a store that answers at once. */
export function readAll(store: Store, key: string): ReturnType<typeof readOf>['entries'] {
  return readOf(store, key).entries;
}
