import type { Buffer } from 'node:buffer';
import type { Readable, Writable } from 'node:stream';
import { createDeferred, idleMs, KitError, Unread, type Budget, type Deferred } from '#base';
import {
  defaultLimits,
  onOneLine,
  type Channel,
  type Limits,
  type MessageOptions,
  type Parts,
  type Sent,
  type Sink,
} from '#jsonrpc';
import { LineReader } from './ndjson.ts';

/** How much is read and written at a time. */
export interface StreamChannelOptions {
  readonly limits?: Partial<Limits> | undefined;
  /** Bytes waiting to be written above which reading pauses. */
  readonly highWaterBytes?: number | undefined;
  /**
   * Reads on however much waits to be written, as a client must: two sides that both wait for room wait for ever.
   * A peer that does not read while we must answer it is cut off.
   */
  readonly alwaysReads?: boolean | undefined;
  /** What is held for the peer is counted here. */
  readonly budget?: Budget | undefined;
}

/** How an output that is not ours to end is written to. */
export interface BorrowedOutput {
  readonly write: (data: string | Uint8Array, done?: () => void) => boolean;
}

/** Characters gathered within one turn before they are written all the same. */
const gatheredLimit = 64 * 1024;
/** How long a peer that does not read may hold up the end. */
const flushMs = 1000;

/** A channel over two byte streams, one JSON message per line. */
export class StreamChannel implements Channel {
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #limits: Limits;
  readonly #borrowed: BorrowedOutput | undefined;
  readonly #highWater: number;
  readonly #alwaysReads: boolean;
  readonly #budget: Budget | undefined;
  /** What the peer has not read. */
  readonly #untaken: Unread;
  /** Lines of this turn: written together when it ends, because a write costs more than a message. */
  #lines = '';
  #reading = false;
  #scheduled = false;
  /** Set from the first write of a turn to its end. */
  #turn: NodeJS.Immediate | undefined;
  #paused = false;
  #closed = false;
  #closing: Promise<void> | undefined;
  #cause: Error | undefined;
  #drained: Deferred<void> | undefined;
  #reader: LineReader | undefined;
  /** What had arrived when reading paused. */
  #unread: Buffer | undefined;
  #sink: Sink | undefined;
  #heardMs: number = performance.now();

  constructor(
    input: Readable,
    output: Writable,
    options: StreamChannelOptions & { readonly borrowed?: BorrowedOutput | undefined } = {},
  ) {
    this.#input = input;
    this.#output = output;
    this.#limits = { ...defaultLimits, ...options.limits };
    this.#borrowed = options.borrowed;
    this.#highWater = options.highWaterBytes ?? 4 * 1024 * 1024;
    this.#alwaysReads = options.alwaysReads ?? false;
    this.#budget = options.budget;
    this.#untaken = new Unread(options.budget, {
      get waiting() {
        return output.writableLength;
      },
      // What is lent to us stays.
      cut: this.#borrowed === undefined ? () => this.#cut() : undefined,
    });
    // From the first moment: an error that nobody listens for ends the process.
    input.once('error', (error: Error) => this.#end(error));
    output.on('error', (error: Error) => this.#end(error));
    input.once('close', () => {
      if (!input.readableEnded) this.#end();
    });
    output.once('close', () => this.#end());
  }

  start(sink: Sink): void {
    this.#sink = sink;
    if (this.#closed) {
      sink.closed(this.#cause);
      return;
    }
    const reader = new LineReader(this.#limits, sink, this.#budget);
    this.#reader = reader;
    this.#input.on('data', (chunk: Buffer) => this.#read(reader, chunk));
    this.#input.once('end', () => {
      reader.end();
      this.#flush();
      if (!this.#closed) sink.ended();
    });
    this.#output.on('drain', () => this.#resume());
  }

  send(text: string): Sent {
    if (this.#closed) return 'dropped';
    const waiting = this.#waiting;
    // Whoever ignores `full` loses what they send, not our memory.
    if (waiting > 4 * this.#highWater) return 'dropped';
    this.reply(text);
    return waiting > this.#highWater ? 'full' : 'sent';
  }

  tell(): undefined {}

  reply(text: string | undefined, options?: MessageOptions): void {
    if (text === undefined || this.#closed || !this.#hasRoom()) return;
    if (options?.parts !== undefined) {
      this.#putParts(options.parts);
      return;
    }
    this.#lines += `${text}\n`;
    if (this.#lines.length > gatheredLimit) this.#flush();
    else if (!this.#reading) this.#flushSoon();
  }

  #putParts([head, bytes, tail]: Parts): void {
    this.#flush();
    const output = this.#output;
    // One write to the kernel, and no copy on the way.
    output.cork();
    this.#put(head);
    this.#put(bytes);
    this.#put(`${tail}\n`);
    output.uncork();
    this.#heedRoom();
  }

  /** A peer that does not read what it must be told is cut off. */
  #hasRoom(): boolean {
    if (!this.#alwaysReads || this.#waiting <= 4 * this.#highWater) return true;
    this.#end(new KitError('overloaded', 'the peer does not read what it is sent'));
    return false;
  }

  letGo(): boolean {
    const isInUse = this.#waiting > 0 || performance.now() - this.#heardMs < idleMs;
    if (isInUse || this.#borrowed !== undefined) return false;
    this.#cut();
    return true;
  }

  lastWords(): string {
    return this.#reader?.unfinished ?? '';
  }

  #cut(): void {
    this.#end(new KitError('overloaded', 'there is no room for it'));
    this.#output.destroy();
    this.#input.destroy();
  }

  drained(): Promise<void> {
    if (this.#closed || this.#waiting <= this.#highWater) return Promise.resolve();
    this.#drained ??= createDeferred();
    return this.#drained.promise;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const output = this.#output;
    this.#flush();
    this.#end();
    if (!output.destroyed && !output.writableEnded) {
      const { promise, resolve } = createDeferred<void>();
      const timer = setTimeout(resolve, flushMs);
      output.once('close', resolve);
      if (this.#borrowed === undefined) output.end(resolve);
      else this.#borrowed.write('', resolve);
      await promise;
      clearTimeout(timer);
    }
    if (this.#borrowed !== undefined) return;
    output.destroy();
    this.#input.destroy();
  }

  get #waiting(): number {
    return this.#output.writableLength + this.#lines.length;
  }

  /** The first lines of a turn leave at once; those that other events of the turn add leave together at its end. */
  #flushSoon(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    const flush = (): void => {
      this.#scheduled = false;
      this.#flush();
    };
    if (this.#turn !== undefined) return;
    this.#turn = setImmediate(() => {
      this.#turn = undefined;
      flush();
    });
    process.nextTick(flush);
  }

  #read(reader: LineReader, chunk: Buffer): void {
    this.#heardMs = performance.now();
    this.#reading = true;
    this.#unread = reader.push(chunk);
    this.#reading = false;
    this.#flush();
  }

  #flush(): void {
    if (this.#lines === '' || this.#closed) return;
    const lines = onOneLine(this.#lines);
    this.#lines = '';
    this.#put(lines);
    this.#heedRoom();
  }

  #put(data: string | Uint8Array): void {
    if (this.#borrowed === undefined) this.#output.write(data);
    else this.#borrowed.write(data);
  }

  #heedRoom(): void {
    this.#untaken.look();
    if (this.#alwaysReads || this.#paused) return;
    if (this.#output.writableLength > this.#highWater) this.#pause(true);
  }

  #pause(paused: boolean): void {
    this.#paused = paused;
    if (this.#reader !== undefined) this.#reader.paused = paused;
    if (paused) this.#input.pause();
  }

  #resume(): void {
    this.#untaken.look();
    this.#drained?.resolve();
    this.#drained = undefined;
    if (!this.#paused || this.#closed) return;
    this.#pause(false);
    if (this.#unread !== undefined && this.#reader !== undefined) {
      this.#read(this.#reader, this.#unread);
    }
    if (!this.#paused) this.#input.resume();
  }

  #end(cause?: Error): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#cause = cause;
    this.#untaken.end();
    this.#reader?.close();
    this.#drained?.resolve();
    this.#drained = undefined;
    this.#pause(true);
    this.#sink?.closed(cause);
  }
}
