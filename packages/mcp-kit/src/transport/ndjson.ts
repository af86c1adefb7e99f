import { Buffer } from 'node:buffer';
import { oversized, parseMessage, rpcErrors, type Limits, type Sink } from '#jsonrpc';
import { Ends, Pieces } from './pieces.ts';

const newline = 0x0a;
const carriageReturn = 0x0d;

type LineSink = Pick<Sink, 'message' | 'malformed' | 'skipped'>;

/** Takes bytes as they come, in any split, and delivers one message per line. A bad line never spoils the next. */
export class LineReader {
  readonly #limits: Limits;
  readonly #sink: LineSink;
  /** The unfinished line. */
  readonly #begun = new Pieces();
  /** The line that is being skipped because it is too long. */
  #skipped: Ends | undefined;
  /** Set by whoever cannot take more for now; what has been pushed is then handed back. */
  paused = false;

  constructor(limits: Limits, sink: LineSink) {
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
    if (this.#begun.size > 0 || this.#skipped !== undefined) this.push(Buffer.of(newline));
  }

  #finish(tail: Buffer): void {
    if (this.#begun.size > 0 || this.#skipped !== undefined) this.#keep(tail);
    const skipped = this.#skipped;
    if (skipped !== undefined) {
      this.#skipped = undefined;
      this.#sink.skipped?.(skipped.head, skipped.tail);
    } else this.#deliver(this.#begun.size > 0 ? this.#begun.take() : tail);
  }

  #keep(part: Buffer): void {
    if (this.#skipped !== undefined) {
      this.#skipped.add(part);
      return;
    }
    this.#begun.add(part);
    // One more, for the carriage return that does not count.
    if (this.#begun.size <= this.#limits.maxBytes + 1) return;
    this.#skipped = new Ends(this.#begun.take());
    const { code, reason } = oversized(this.#limits);
    this.#sink.malformed(code, reason, this.#skipped.head);
  }

  #deliver(bytes: Buffer): void {
    const line = bytes[bytes.length - 1] === carriageReturn ? bytes.subarray(0, -1) : bytes;
    if (line.length === 0) return;
    const parsed = parseMessage(line, this.#limits);
    if (parsed.ok) {
      this.#sink.message(parsed.value);
      return;
    }
    const { head, tail } = new Ends(line);
    this.#sink.malformed(parsed.code, parsed.reason, head);
    // Over a limit, but a message: whoever waits for it must not wait on.
    if (parsed.code === rpcErrors.invalidRequest) this.#sink.skipped?.(head, tail);
  }
}
