import { isPromise } from '#base';
import type { CallLimit } from '../tool.ts';
import { fail, type ToolFailure } from '../failure.ts';
import type { Wrap } from './layer.ts';

const minuteMs = 60_000;
const maxKnown = 10_000;

/** What one counted party has under way, and how many calls it has left for now. */
interface Budget {
  running: number;
  left: number;
  filledMs: number;
}

/** Lets so many calls through at once and so many a minute, the latter evenly refilled. */
class Gate {
  readonly #limit: CallLimit;
  readonly #budgets = new Map<string, Budget>();

  constructor(limit: CallLimit) {
    this.#limit = limit;
  }

  /** Takes a place; returns why there is none. */
  enter(party: string): ToolFailure | undefined {
    const { concurrent = Infinity, perMinute = Infinity } = this.#limit;
    const budget = this.#budgetOf(party);
    const nowMs = performance.now();
    if (perMinute !== Infinity) {
      const refill = ((nowMs - budget.filledMs) / minuteMs) * perMinute;
      budget.left = Math.min(perMinute, budget.left + refill);
    }
    budget.filledMs = nowMs;
    if (budget.running >= concurrent) return overloaded('too many calls at once', 1000);
    if (budget.left < 1) {
      return overloaded('too many calls', Math.ceil(((1 - budget.left) / perMinute) * minuteMs));
    }
    budget.left -= 1;
    budget.running += 1;
    return undefined;
  }

  leave(party: string): void {
    const budget = this.#budgets.get(party);
    if (budget !== undefined) budget.running -= 1;
  }

  #budgetOf(party: string): Budget {
    let budget = this.#budgets.get(party);
    if (budget === undefined) {
      if (this.#budgets.size >= maxKnown) this.#forgetIdle();
      budget = { running: 0, left: this.#limit.perMinute ?? Infinity, filledMs: performance.now() };
      this.#budgets.set(party, budget);
    }
    return budget;
  }

  /** Whoever has nothing under way and was not here for a minute has all its calls left anyway; then the oldest go. */
  #forgetIdle(): void {
    const since = performance.now() - minuteMs;
    for (const [party, { running, filledMs }] of this.#budgets) {
      if (running === 0 && filledMs < since) this.#budgets.delete(party);
    }
    for (const [party, { running }] of this.#budgets) {
      if (this.#budgets.size <= 0.9 * maxKnown) return;
      if (running === 0) this.#budgets.delete(party);
    }
  }
}

function overloaded(what: string, retryAfterMs: number): ToolFailure {
  return fail('E_UNAVAILABLE', `Not now: ${what}.`, {
    suggestion: `Try again in ${retryAfterMs} ms.`,
    details: { retryAfterMs },
  });
}

/** Bounds what each caller may ask of all tools together, and what all callers may ask of a tool that says so. */
export function limitLayer(perCaller: CallLimit | undefined): Wrap {
  const callers = perCaller && new Gate(perCaller);
  return (next, { tool }) => {
    const shared = tool.limit && new Gate(tool.limit);
    if (callers === undefined && shared === undefined) return next;
    return (call) => {
      const caller = call.account ?? '';
      const refusal = callers?.enter(caller);
      if (refusal !== undefined) throw refusal;
      const full = shared?.enter('');
      if (full !== undefined) {
        callers?.leave(caller);
        throw full;
      }
      const leave = (): void => {
        callers?.leave(caller);
        shared?.leave('');
      };
      try {
        const outcome = next(call);
        if (isPromise(outcome)) {
          // What is answered because its time is up still takes its place until it ends.
          return outcome.finally(() => {
            if (call.leftOver === undefined) leave();
            else void call.leftOver.then(leave);
          });
        }
        leave();
        return outcome;
      } catch (error) {
        leave();
        throw error;
      }
    };
  };
}
