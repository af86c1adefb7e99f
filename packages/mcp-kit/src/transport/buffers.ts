import { Buffer } from 'node:buffer';
import { idleMs, type Budget, type Hold, type Holder } from '#base';

/** Enough to see what a message is, and to find the id of a response in. */
const endBytes = 256;

/** The beginning and the end of a message that is too large to be kept. */
export class Ends {
  /** How it begins. */
  readonly head: string;
  #tail: Buffer;

  constructor(begun: Buffer) {
    this.head = begun.toString('utf8', 0, endBytes);
    this.#tail = Buffer.from(begun.subarray(-endBytes));
  }

  /** How it ends, as far as it has come. */
  get tail(): string {
    return this.#tail.toString('latin1');
  }

  add(part: Buffer): void {
    // Copied, so that a few bytes do not keep all of a large piece.
    this.#tail =
      part.length >= endBytes
        ? Buffer.from(part.subarray(-endBytes))
        : Buffer.concat([this.#tail, part]).subarray(-endBytes);
  }
}

/** Loose pieces above which they are joined. */
const maxLoose = 1024;

/**
 * The bytes of one message as they come. Joined when it is complete, because joining at every piece would be quadratic;
 * on the way only when there are very many, because a piece costs far more memory than the byte it may consist of.
 */
export class Pieces {
  #pieces: Buffer[] = [];
  #joined = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(piece: Buffer): void {
    this.#size += piece.length;
    this.#pieces.push(piece);
    if (this.#pieces.length - this.#joined < maxLoose) return;
    const loose = this.#pieces.splice(this.#joined);
    this.#joined = this.#pieces.push(Buffer.concat(loose));
  }

  /** All of it, in one; nothing is kept. */
  take(): Buffer {
    const [first] = this.#pieces;
    const whole =
      first !== undefined && this.#pieces.length === 1
        ? first
        : Buffer.concat(this.#pieces, this.#size);
    this.clear();
    return whole;
  }

  clear(): void {
    this.#pieces = [];
    this.#joined = 0;
    this.#size = 0;
  }
}

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
