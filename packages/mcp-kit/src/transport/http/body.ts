import type { Buffer } from 'node:buffer';
import { idleMs, type Budget, type Hold, type Holder } from '#base';
import type { Limits } from '#jsonrpc';
import { Pieces } from '../pieces.ts';
import { noRoomNow, tooLarge } from './refusals.ts';
import { single, type Headers, type Refusal } from './responder.ts';

/** The body of a request as it comes in: no larger than it may be, and counted unless it comes whole at once. */
export class Body implements Holder {
  readonly #bounds: { readonly limits: Limits; readonly budget: Budget };
  readonly #announced: number;
  readonly #giveUp: (refusal: Refusal) => void;
  readonly #pieces = new Pieces();
  #held: Hold | undefined;
  #cameMs = 0;

  /** `giveUp` is called once when no more of it is to be read. */
  constructor(
    bounds: { readonly limits: Limits; readonly budget: Budget },
    headers: Headers,
    giveUp: (refusal: Refusal) => void,
  ) {
    this.#bounds = bounds;
    this.#announced = Number(single(headers, 'content-length') ?? Infinity);
    this.#giveUp = giveUp;
  }

  /** Takes a piece; true when it is counted from now on, until `take` or `end`. */
  add(piece: Buffer): boolean {
    const { limits, budget } = this.#bounds;
    this.#pieces.add(piece);
    if (this.#pieces.size > limits.maxBytes) {
      this.#refuse(tooLarge(limits));
      return false;
    }
    const isFirst = this.#held === undefined;
    if (isFirst && this.#pieces.size === this.#announced) return false;
    if (!budget.admits('bodies', piece.length, this.#held)) {
      this.#refuse(noRoomNow);
      return false;
    }
    this.#cameMs = performance.now();
    this.#held ??= budget.hold('bodies', 0, this);
    this.#held.resize(this.#pieces.size);
    return isFirst;
  }

  /** All of it. */
  take(): Buffer {
    this.#held?.resize(0);
    return this.#pieces.take();
  }

  /** Forgets it. */
  end(): void {
    this.#held?.resize(0);
    this.#pieces.clear();
  }

  letGo(): boolean {
    if (performance.now() - this.#cameMs < idleMs) return false;
    this.#refuse(noRoomNow);
    return true;
  }

  #refuse(refusal: Refusal): void {
    this.end();
    this.#giveUp(refusal);
  }
}
