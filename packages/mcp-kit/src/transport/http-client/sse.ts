import { Buffer } from 'node:buffer';
import { KitError, longestTimerMs } from '#base';
import { defaultLimits } from '#jsonrpc';
import { Ends, Pieces } from '../buffers.ts';

/** One event of a stream of Server-Sent Events. */
export interface SseEvent {
  /** `message`, unless the stream says otherwise. */
  readonly type: string;
  readonly data: string;
  /** The last id that the stream has named, for `Last-Event-ID`. */
  readonly id: string | undefined;
}

/** The events of a stream, such as the body of a `fetch`, as they come; one of more than `maxBytes` ends it with an error. */
export async function* parseSse(
  chunks: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>,
  { maxBytes = defaultLimits.maxBytes }: { readonly maxBytes?: number | undefined } = {},
): AsyncGenerator<SseEvent, void, undefined> {
  const events: SseEvent[] = [];
  let id: string | undefined;
  const reader = new SseReader(maxBytes, {
    event: (type, data) => events.push({ type, data: data.toString(), id }),
    position: (named) => {
      id = named;
    },
    retry: () => {},
    oversized: () => {
      throw new KitError('invalid_answer', `an event has more than ${maxBytes} bytes`);
    },
  });
  for await (const chunk of chunks) {
    reader.push(Buffer.from(chunk));
    yield* events.splice(0);
  }
  reader.end();
  yield* events;
}

/** What an event stream says. Calls come in the order of the bytes. */
export interface SseSink {
  /** An event with data; a type that was not given is `message`. */
  event(type: string, data: Buffer): void;
  /** Everything up to here can be skipped when the stream is continued: the id, as the bytes of a header. */
  position(id: string): void;
  /** How long to wait before the stream is continued. */
  retry(ms: number): void;
  /** An event was larger than allowed and has been skipped; these are the first and last characters of its data. */
  oversized(head: string, tail: string): void;
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const colon = 0x3a;
const space = 0x20;
const byteOrderMark = Buffer.of(0xef, 0xbb, 0xbf);
const newline = Buffer.of(lineFeed);

/** Bytes a line may have beside the data in it. */
const lineExtra = 64;
const longestId = 4096;

/** Takes the bytes of an event stream as they come, in any split; linear in time, bounded in memory. */
export class SseReader {
  readonly #maxBytes: number;
  readonly #sink: SseSink;
  /** The unfinished line. */
  readonly #line = new Pieces();
  #firstLine = true;
  /** What the rest of the unfinished line is of: data that is too large, or nothing of use. */
  #skipping: 'data' | 'nothing' | undefined;
  /** The last byte was a carriage return, so a line feed that follows belongs to it. */
  #returned = false;
  // The unfinished event.
  readonly #data = new Pieces();
  #hasData = false;
  #type = '';
  #id: string | undefined;
  /** Its data, once they are too large. */
  #oversized: Ends | undefined;

  constructor(maxBytes: number, sink: SseSink) {
    this.#maxBytes = maxBytes;
    this.#sink = sink;
  }

  push(chunk: Buffer): void {
    let from = this.#returned && chunk[0] === lineFeed ? 1 : 0;
    if (chunk.length > 0) this.#returned = false;
    // Each is looked for again only when it has been passed: most streams have no carriage return at all.
    let feed = next(chunk, lineFeed, from);
    let back = next(chunk, carriageReturn, from);
    for (let end = Math.min(feed, back); end < chunk.length; end = Math.min(feed, back)) {
      this.#finishLine(chunk.subarray(from, end));
      from = end + 1;
      if (end === back) {
        this.#returned = from === chunk.length;
        if (chunk[from] === lineFeed) from += 1;
        back = next(chunk, carriageReturn, from);
      }
      if (feed < from) feed = next(chunk, lineFeed, from);
    }
    if (from < chunk.length) this.#keep(from === 0 ? chunk : chunk.subarray(from));
  }

  /** The stream is complete: its last event may lack its blank line, but is then no position to continue after. */
  end(): void {
    if (this.#line.size > 0 || this.#skipping !== undefined) this.#finishLine(Buffer.alloc(0));
    this.#id = undefined;
    this.#dispatch();
  }

  #keep(part: Buffer): void {
    if (this.#skipping !== undefined) {
      if (this.#skipping === 'data') this.#oversized?.add(part);
      return;
    }
    // A comment need not be kept, however long it is.
    if (this.#line.size === 0 && part[0] === colon) {
      this.#skipping = 'nothing';
      return;
    }
    this.#line.add(part);
    if (this.#line.size > this.#maxBytes + lineExtra) {
      this.#skipping = this.#skip(this.#line.take());
    }
  }

  #finishLine(tail: Buffer): void {
    if (this.#line.size > 0 || this.#skipping !== undefined) this.#keep(tail);
    const skipped = this.#skipping !== undefined;
    this.#skipping = undefined;
    const line = this.#line.size > 0 ? this.#line.take() : tail;
    if (!skipped && line.length > this.#maxBytes + lineExtra) this.#skip(line);
    else if (!skipped) this.#takeLine(line);
    this.#firstLine = false;
  }

  #takeLine(given: Buffer): void {
    const line = this.#withoutMark(given);
    if (line.length === 0) this.#dispatch();
    else this.#field(line);
  }

  /** A line that is too long spoils its event when it is data; else it says nothing of use. */
  #skip(given: Buffer): 'data' | 'nothing' {
    const line = this.#withoutMark(given);
    if (line.toString('latin1', 0, 5) !== 'data:') return 'nothing';
    this.#refuse(line.subarray(line[5] === space ? 6 : 5));
    return 'data';
  }

  #withoutMark(line: Buffer): Buffer {
    return this.#firstLine && byteOrderMark.equals(line.subarray(0, 3)) ? line.subarray(3) : line;
  }

  #field(line: Buffer): void {
    const at = line.indexOf(colon);
    const nameEnd = at < 0 ? line.length : at;
    // No field has a longer name; a comment has none.
    if (nameEnd === 0 || nameEnd > 5) return;
    const name = line.toString('latin1', 0, nameEnd);
    const from = line[nameEnd + 1] === space ? nameEnd + 2 : nameEnd + 1;
    switch (name) {
      case 'data':
        this.#addData(line.subarray(from));
        break;
      case 'event':
        this.#type = line.toString('utf8', from);
        break;
      case 'id':
        this.#identify(line.toString('latin1', from));
        break;
      case 'retry':
        this.#wait(line.toString('latin1', from));
        break;
      default:
    }
  }

  #addData(value: Buffer): void {
    if (this.#oversized !== undefined) {
      this.#oversized.add(value);
      return;
    }
    if (this.#hasData) this.#data.add(newline);
    this.#hasData = true;
    this.#data.add(value);
    if (this.#data.size > this.#maxBytes) this.#oversized = new Ends(this.#data.take());
  }

  /** Only what fits into a header can be said back. */
  #identify(id: string): void {
    if (id.length <= longestId && /^[\t\x20-\x7e\x80-\xff]*$/.test(id)) this.#id = id;
  }

  #wait(digits: string): void {
    if (/^\d+$/.test(digits)) this.#sink.retry(Math.min(Number(digits), longestTimerMs));
  }

  #refuse(data: Buffer): void {
    if (this.#oversized !== undefined) {
      this.#oversized.add(data);
      return;
    }
    // What came in lines before belongs to it as well.
    this.#data.add(data);
    this.#oversized = new Ends(this.#data.take());
  }

  #dispatch(): void {
    const data = this.#data.size > 0 ? this.#data.take() : undefined;
    const type = this.#type === '' ? 'message' : this.#type;
    const id = this.#id;
    const oversized = this.#oversized;
    this.#hasData = false;
    this.#type = '';
    this.#id = undefined;
    this.#oversized = undefined;
    if (id !== undefined) this.#sink.position(id);
    if (oversized !== undefined) this.#sink.oversized(oversized.head, oversized.tail);
    else if (data !== undefined) this.#sink.event(type, data);
  }
}

/** Where the byte is next, or the end. */
function next(chunk: Buffer, byte: number, from: number): number {
  const at = chunk.indexOf(byte, from);
  return at < 0 ? chunk.length : at;
}
