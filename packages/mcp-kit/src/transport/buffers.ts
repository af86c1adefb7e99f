import { Buffer } from 'node:buffer';

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

  constructor(first?: Buffer) {
    if (first !== undefined) this.add(first);
  }

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

  /** How it begins. */
  get head(): string {
    return Buffer.concat(this.#pieces, Math.min(this.#size, endBytes)).toString();
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
