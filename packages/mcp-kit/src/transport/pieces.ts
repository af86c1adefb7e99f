import { Buffer } from 'node:buffer';

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
