import { idleMs, type Budget, type Hold, type Holder } from '#base';

/** Where something is written that a reader takes away. */
export interface Output {
  /** Bytes that were written and not taken. */
  readonly waiting: number;
  /** Breaks it off; absent where it must stay. */
  readonly cut?: (() => void) | undefined;
}

/** Less is on its way most of the time, and not worth counting. */
const countedFrom = 16 * 1024;

/** Counts what is waiting at one output; when there is no room, a reader that takes nothing is cut off. */
export class Unread implements Holder {
  readonly #budget: Budget | undefined;
  readonly #output: Output;
  #held: Hold | undefined;
  #movedMs = 0;

  constructor(budget: Budget | undefined, output: Output) {
    this.#budget = budget;
    this.#output = output;
  }

  /** Counts what is waiting now; to be called when something was written or taken. */
  look(): void {
    const { waiting } = this.#output;
    const before = this.#held?.bytes ?? 0;
    const counted = waiting > countedFrom ? waiting : 0;
    if (counted === before) return;
    if (before === 0 || counted < before) this.#movedMs = performance.now();
    const holder = this.#output.cut === undefined ? undefined : this;
    this.#held ??= this.#budget?.hold('unread', 0, holder);
    this.#held?.resize(counted);
  }

  /** Nothing waits any more. */
  end(): void {
    this.#held?.resize(0);
  }

  letGo(): boolean {
    this.look();
    if (performance.now() - this.#movedMs < idleMs) return false;
    this.#output.cut?.();
    this.end();
    return true;
  }
}
