import { Buffer } from 'node:buffer';
import { oversized, parseMessage, type Limits, type Sink } from '#jsonrpc';
import { Pieces } from './pieces.ts';

const newline = 0x0a;
const carriageReturn = 0x0d;

/** Takes bytes as they come, in any split, and delivers one message per line. A bad line never spoils the next. */
export class LineReader {
  readonly #limits: Limits;
  readonly #sink: Pick<Sink, 'message' | 'malformed'>;
  /** The unfinished line. */
  readonly #begun = new Pieces();
  #skipping = false;
  /** Set by whoever cannot take more for now; what has been pushed is then handed back. */
  paused = false;

  constructor(limits: Limits, sink: Pick<Sink, 'message' | 'malformed'>) {
    this.#limits = limits;
    this.#sink = sink;
  }

  /** Takes bytes; gives back those after a line during which `paused` was set. */
  push(chunk: Buffer): Buffer | undefined {
    let from = 0;
    for (;;) {
      const end = chunk.indexOf(newline, from);
      if (end < 0) break;
      this.#finish(chunk.subarray(from, end));
      from = end + 1;
      if (this.paused) return chunk.subarray(from);
    }
    if (from < chunk.length) this.#keep(from === 0 ? chunk : chunk.subarray(from));
    return undefined;
  }

  /** The last line may lack its newline. */
  end(): void {
    if (this.#begun.size > 0) this.push(Buffer.of(newline));
  }

  #finish(tail: Buffer): void {
    if (this.#begun.size > 0) this.#keep(tail);
    if (this.#skipping) this.#skipping = false;
    else this.#deliver(this.#begun.size > 0 ? this.#begun.take() : tail);
  }

  #keep(part: Buffer): void {
    if (this.#skipping) return;
    this.#begun.add(part);
    // One more, for the carriage return that does not count.
    if (this.#begun.size <= this.#limits.maxBytes + 1) return;
    this.#begun.clear();
    this.#skipping = true;
    this.#sink.malformed(oversized(this.#limits).code, oversized(this.#limits).reason);
  }

  #deliver(bytes: Buffer): void {
    const line = bytes[bytes.length - 1] === carriageReturn ? bytes.subarray(0, -1) : bytes;
    if (line.length === 0) return;
    const parsed = parseMessage(line, this.#limits);
    if (parsed.ok) this.#sink.message(parsed.value);
    else this.#sink.malformed(parsed.code, parsed.reason);
  }
}
