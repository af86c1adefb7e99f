/** Time, chance and the order of things: equal for equal seeds, and none of it real. */
export interface World {
  nowMs(): number;
  /** A number from 0 up to below `most`. */
  below(most: number): number;
  /** Whether something happens that happens once in so many times. */
  oneIn(times: number): boolean;
  pick<T>(from: readonly T[]): T;
  /** Calls later; the function given back prevents it. */
  after(ms: number, work: () => void): () => void;
  /** Lets time pass until something is so, or for as long as that; false when it came to that. */
  pass(forMs: number, until: () => boolean): Promise<boolean>;
}

interface Due {
  readonly atMs: number;
  readonly work: () => void;
  isOff: boolean;
}

/** Settles when all that is to be done without time passing is done. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export function createWorld(seed: number): World {
  let state = (seed * 2_654_435_761 + 1) >>> 0;
  let nowMs = 0;
  const queue: Due[] = [];
  /** Mulberry32. */
  const random = (): number => {
    state = (state + 0x6d_2b_79_f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (most: number): number => Math.floor(random() * most);
  const add = (due: Due): void => {
    const at = queue.findLastIndex((other) => other.atMs <= due.atMs);
    queue.splice(at + 1, 0, due);
  };
  return {
    nowMs: () => nowMs,
    below,
    oneIn: (times) => below(times) === 0,
    pick: (from) => from[below(from.length)] as (typeof from)[number],
    after(ms, work) {
      const due = { atMs: nowMs + ms, work, isOff: false };
      add(due);
      return () => void (due.isOff = true);
    },
    async pass(forMs, until) {
      const endMs = nowMs + forMs;
      for (;;) {
        if (until()) return true;
        const [due] = queue;
        if (due === undefined || due.atMs > endMs) {
          nowMs = endMs;
          return false;
        }
        queue.shift();
        nowMs = due.atMs;
        if (due.isOff) continue;
        due.work();
        await turn();
      }
    },
  };
}

type Timers = Pick<
  typeof globalThis,
  'setInterval' | 'clearInterval' | 'setTimeout' | 'clearTimeout'
>;

/** Has all timers run in a world for as long as something is under way. */
export async function inTime<T>(world: World, work: () => Promise<T>): Promise<T> {
  const { setInterval, clearInterval, setTimeout, clearTimeout } = globalThis;
  const every = (tick: () => void, ms: number): (() => void) => {
    let cancel = (): void => undefined;
    const next = (): void => {
      cancel = world.after(ms, () => {
        next();
        tick();
      });
    };
    next();
    return () => cancel();
  };
  const stop = (cancel: unknown): void => (cancel as (() => void) | undefined)?.();
  const simulated = {
    setInterval: every,
    setTimeout: (then: () => void, ms: number) => world.after(ms, then),
    clearInterval: stop,
    clearTimeout: stop,
  };
  Object.assign(globalThis, simulated as unknown as Timers);
  try {
    return await work();
  } finally {
    Object.assign(globalThis, { setInterval, clearInterval, setTimeout, clearTimeout });
  }
}
