import { countedFrom, createDeferred, unref, Unread, type Budget, type Deferred } from '#base';
import type { Sent } from '#jsonrpc';
import type { ResponseStream } from './responder.ts';

export interface Pace {
  /** Bytes a client may be behind before its sender should wait. */
  readonly highWaterBytes: number;
  /** How long a client that is behind may take nothing before it is cut off. */
  readonly stallMs: number;
}

/** How often the high-water mark may be passed by senders that do not wait. */
const maxBehind = 4;

export const defaultPace: Pace = { highWaterBytes: 1024 * 1024, stallMs: 30_000 };

/** What an open stream takes besides what is written to it: its connection, and the request that opened it. */
export const streamBytes: number = 16 * 1024;

/** How the streams of an endpoint are paced, counted and kept alive. */
export interface Pacing {
  readonly pace: Pace;
  readonly budget?: Budget | undefined;
  readonly heartbeat?: Heartbeat | undefined;
}

/** An open event stream that a slow reader cannot turn into memory. */
export class PacedStream {
  readonly #out: ResponseStream;
  readonly #pacing: Pacing;
  #open = true;
  #gone = false;
  #congested = false;
  #drained: Deferred<void> | undefined;
  /** Made when there is something to count. */
  #unread: Unread | undefined;
  /** None on most streams, of which there may be thousands. */
  #closeListeners: readonly (() => void)[] | undefined;

  constructor(out: ResponseStream, pacing: Pacing) {
    this.#out = out;
    this.#pacing = pacing;
    pacing.heartbeat?.add(this);
    out.onDrain(() => this.#relax());
    out.onClose(() => this.#close());
  }

  #close(): void {
    this.#open = false;
    this.#gone = true;
    this.#unread?.end();
    this.#relax();
    this.#pacing.heartbeat?.remove(this);
    for (const listener of this.#closeListeners ?? []) listener();
  }

  get open(): boolean {
    return this.#open;
  }

  get unreadBytes(): number {
    return this.#out.waiting;
  }

  /** The client is behind: what is sent now should wait. */
  get congested(): boolean {
    return this.#congested;
  }

  write(text: string): Sent {
    if (!this.#open) return 'dropped';
    this.#out.write(text);
    this.#lookAtUnread();
    if (!this.#congested && this.#out.waiting > this.#pacing.pace.highWaterBytes) {
      this.#congested = true;
      this.#out.cutAfterStall(this.#pacing.pace.stallMs);
    }
    return this.#congested ? 'full' : 'sent';
  }

  /** Writes, unless senders that do not wait have made the client fall far behind. */
  offer(text: string): Sent {
    return this.#out.waiting > maxBehind * this.#pacing.pace.highWaterBytes
      ? 'dropped'
      : this.write(text);
  }

  drained(): Promise<void> {
    if (!this.#congested) return Promise.resolve();
    this.#drained ??= createDeferred();
    return this.#drained.promise;
  }

  /** Keeps intermediaries from closing an idle connection. */
  beat(comment: string): void {
    if (this.#open && !this.#congested) this.#out.write(`: ${comment}\n\n`);
  }

  end(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#out.end();
    this.#relax();
    // What is still on its way may stall as well.
    if (this.#out.waiting > 0 && !this.#gone) this.#out.cutAfterStall(this.#pacing.pace.stallMs);
  }

  /** Breaks the connection off. */
  cut(): void {
    // At once, although it is gone only turns later: whoever writes until it closes must not go on.
    this.#open = false;
    this.#out.cut();
    this.#relax();
  }

  /** Calls back once, when the connection is gone. */
  onClose(listener: () => void): void {
    if (this.#gone) listener();
    else this.#closeListeners = this.#closeListeners?.concat(listener) ?? [listener];
  }

  #lookAtUnread(): void {
    if (this.#out.waiting > countedFrom) {
      this.#unread ??= new Unread(this.#pacing.budget, this.#out);
    }
    this.#unread?.look();
  }

  #relax(): void {
    if (!this.#gone) this.#unread?.look();
    if (this.#congested && this.#open) this.#out.cutAfterStall(undefined);
    this.#congested = false;
    this.#drained?.resolve();
    this.#drained = undefined;
  }
}

/** All open streams of one endpoint, kept alive by one timer. */
export class Heartbeat {
  readonly #streams = new Set<PacedStream>();
  readonly #comment: string;
  readonly #everyMs: number;
  #timer: NodeJS.Timeout | undefined;

  constructor({ comment, everyMs }: { readonly comment: string; readonly everyMs: number }) {
    this.#comment = comment;
    this.#everyMs = everyMs;
  }

  get size(): number {
    return this.#streams.size;
  }

  get unreadBytes(): number {
    let sum = 0;
    for (const stream of this.#streams) sum += stream.unreadBytes;
    return sum;
  }

  add(stream: PacedStream): void {
    this.#streams.add(stream);
    this.#timer ??= unref(setInterval(() => this.#beatAll(), this.#everyMs));
  }

  remove(stream: PacedStream): void {
    this.#streams.delete(stream);
    if (this.#streams.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  endAll(): void {
    for (const stream of this.#streams) stream.end();
  }

  #beatAll(): void {
    for (const open of this.#streams) open.beat(this.#comment);
  }
}
