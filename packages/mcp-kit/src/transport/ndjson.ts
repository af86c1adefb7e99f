import { Buffer } from 'node:buffer';
import { idleMs, type Budget, type Hold } from '#base';
import { noRoom, oversized, parseMessage, rpcErrors, type Limits, type Sink } from '#jsonrpc';
import { Ends, Pieces } from './buffers.ts';

const newline = 0x0a;
const carriageReturn = 0x0d;
const nothing = Buffer.alloc(0);

type LineSink = Pick<Sink, 'message' | 'malformed' | 'skipped'>;

/** Lines that are shorter are not counted while they come: most are whole at once. */
const countedFrom = 64 * 1024;

/** Takes bytes as they come, in any split, and delivers one message per line. A bad line never spoils the next. */
export class LineReader {
  readonly #limits: Limits;
  readonly #sink: LineSink;
  /** The line that is unfinished, where there is one: most come whole. */
  #begun: Pieces | undefined;
  /** The line that is being skipped because it is too long. */
  #skipped: Ends | undefined;
  readonly #budget: Budget | undefined;
  /** What the unfinished line takes. */
  #held: Hold | undefined;
  #cameMs = 0;
  /** Set by whoever cannot take more for now; what has been pushed is then handed back. */
  paused = false;

  constructor(limits: Limits, sink: LineSink, budget?: Budget) {
    this.#limits = limits;
    this.#sink = sink;
    this.#budget = budget;
  }

  /** What has come of a line that has not ended, for people. */
  get unfinished(): string {
    if (this.#begun === undefined || this.#begun.size === 0) return '';
    const { size, head } = this.#begun;
    return `an unfinished line, of ${size} bytes so far: ${head}`;
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

  /** Gives up the line that is unfinished, unless some of it came just now: its rest is skipped. */
  letGo(): boolean {
    if (performance.now() - this.#cameMs < idleMs) return false;
    this.#skip(noRoom.code, noRoom.message);
    return true;
  }

  /** Forgets what is unfinished. */
  close(): void {
    this.#begun = undefined;
    this.#held?.resize(0);
  }

  /** The last line may lack its newline. */
  end(): void {
    if (this.#begun !== undefined || this.#skipped !== undefined) this.push(Buffer.of(newline));
  }

  #finish(tail: Buffer): void {
    if (this.#begun === undefined && this.#skipped === undefined) {
      this.#deliver(tail);
      return;
    }
    this.#keep(tail);
    const skipped = this.#skipped;
    if (skipped !== undefined) {
      this.#skipped = undefined;
      this.#sink.skipped(skipped.head, skipped.tail);
    } else this.#deliver(this.#take());
  }

  #take(): Buffer {
    const begun = this.#begun?.take() ?? nothing;
    this.#begun = undefined;
    this.#held?.resize(0);
    return begun;
  }

  #keep(part: Buffer): void {
    if (this.#skipped !== undefined) {
      this.#skipped.add(part);
      return;
    }
    this.#begun ??= new Pieces();
    this.#begun.add(part);
    const { size } = this.#begun;
    // One more, for the carriage return that does not count.
    if (size > this.#limits.maxBytes + 1) {
      const { code, reason } = oversized(this.#limits);
      this.#skip(code, reason);
    } else if (size > countedFrom) this.#count(size, part.length);
  }

  /** The line has so many bytes now, with these that have come. */
  #count(size: number, more: number): void {
    if (this.#budget?.admits('bodies', more, this.#held) === false) {
      this.#skip(noRoom.code, noRoom.message);
      return;
    }
    this.#cameMs = performance.now();
    this.#held ??= this.#budget?.hold('bodies', 0, this);
    this.#held?.resize(size);
  }

  /** Reads over the rest of a line, and says why once it is known whose it is. */
  #skip(code: number, reason: string): void {
    this.#skipped = new Ends(this.#take());
    this.#sink.malformed(code, reason, this.#skipped.head);
  }

  #deliver(bytes: Buffer): void {
    const line = bytes[bytes.length - 1] === carriageReturn ? bytes.subarray(0, -1) : bytes;
    if (line.length === 0) return;
    const parsed = parseMessage(line, this.#limits);
    if (parsed.ok) {
      this.#sink.message(parsed.value, undefined, line.length);
      return;
    }
    const { head, tail } = new Ends(line);
    this.#sink.malformed(parsed.code, parsed.reason, head);
    // Over a limit, but a message: whoever waits for it must not wait on.
    if (parsed.code === rpcErrors.invalidRequest) this.#sink.skipped(head, tail);
  }
}
