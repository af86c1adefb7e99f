import { KitError } from './error.ts';
import { crypto } from './node-modules.ts';

/** How often something may happen. */
export interface Rate {
  readonly perSecond: number;
  /** How many may come at once after a pause. */
  readonly burst: number;
}

const seconds: Readonly<Record<string, number>> = { s: 1, min: 60, h: 3600 };

/** `20/s`, `600/min` or `1000/h`: so many at once, and as many again in that time. `20/s burst 40` allows more at once. */
export const ratePattern: string = String.raw`^[1-9]\d{0,8}/(s|min|h)( burst [1-9]\d{0,8})?$`;

export function parseRate(text: string): Rate {
  const parts = /^(\d+)\/(s|min|h)(?: burst (\d+))?$/.exec(text);
  const [, count = '', unit = '', burst = count] = parts ?? [];
  const perSecond = Number(count) / (seconds[unit] ?? 1);
  if (new RegExp(ratePattern).test(text)) return { perSecond, burst: Number(burst) };
  throw new KitError('invalid_argument', `not a rate: ${JSON.stringify(text)}`, {
    hint: 'Write 20/s, 600/min, 1000/h, or with more at once: 20/s burst 40.',
  });
}

/** Keys that are remembered; whoever comes with more than that has many of them forgotten. */
const maxKeys = 100_000;
/** Callers make keys up: of longer ones a digest is kept, which is longer by itself than any key that is kept as it is. */
const maxKeyLength = 63;

/** Counts by key, and says how long to wait when there were too many. One number per key, and no timers. */
export class RateLimiter {
  readonly #spacingMs: number;
  readonly #slackMs: number;
  /** When the last one that was let through would be due if all came evenly spaced. */
  readonly #due = new Map<string, number>();

  constructor({ perSecond, burst }: Rate) {
    this.#spacingMs = 1000 / perSecond;
    this.#slackMs = (burst - 1) * this.#spacingMs;
  }

  /** 0 when one more is fine, which is then counted; else the time until it would be. */
  take(named: string, nowMs: number): number {
    const key = named.length <= maxKeyLength ? named : crypto().hash('sha256', named);
    const dueMs = Math.max(this.#due.get(key) ?? 0, nowMs);
    const waitMs = dueMs - this.#slackMs - nowMs;
    if (waitMs > 0) return waitMs;
    this.#due.set(key, dueMs + this.#spacingMs);
    if (this.#due.size > maxKeys) this.#forget(nowMs);
    return 0;
  }

  get size(): number {
    return this.#due.size;
  }

  /** What is due no more is as good as never seen; if that is not enough, the oldest go. */
  #forget(nowMs: number): void {
    for (const [key, dueMs] of this.#due) if (dueMs <= nowMs) this.#due.delete(key);
    const keep = maxKeys * 0.9;
    for (const key of this.#due.keys()) {
      if (this.#due.size <= keep) return;
      this.#due.delete(key);
    }
  }
}
