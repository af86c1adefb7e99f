import { createDeferred, isPromise, unref, type Deferred, type Logger } from '#base';
import type { Sent } from '#jsonrpc';
import type { Log, LogEntry } from '#store';
import { eventOf, noteText, type Note } from './events.ts';
import type { PacedStream } from './paced-stream.ts';

export interface EventStreamOptions {
  readonly log: Log;
  readonly logger: Logger;
  /** Names this stream's log. */
  readonly key: string;
  /** The next position; increases with every call. */
  readonly nextPosition: () => number;
  /** How a position appears on the wire. */
  readonly eventId: (position: number) => string;
  readonly retryMs: number;
  /** How long events are kept for a client that may come back. */
  readonly retainMs: number;
}

/**
 * What a stream may have unsent before its sender should wait, and before one that does not wait is not heard.
 * Far below what a log holds: events that were sent but may not have arrived need room there too.
 */
const backlogHighWater = 1024 * 1024;
const backlogLimit = 2 * backlogHighWater;

/** How many events are written before looking up. */
const pageSize = 64;

/** What an event weighs: its characters, and the objects around them. */
const weightOf = (text: string): number => text.length + 32;

/**
 * The messages of one stream, in order, each exactly once, over as many connections as the client needs to fetch them.
 * Everything is in the log before it is on the wire; `#written` says how far the current connection has got.
 */
export class EventStream {
  readonly #options: EventStreamOptions;
  #first = 0;
  #last = 0;
  #written = 0;
  /** The furthest any connection has got: what is behind it is the backlog. */
  #reached = 0;
  #backlog = 0;
  /** What the present connection is still to get, after `#before`: however little the log can keep, a client that stays gets everything. */
  #unsent: LogEntry[] = [];
  #before = 0;
  #connection: PacedStream | undefined;
  #finished = false;
  #released: { readonly retryMs: number | undefined } | undefined;
  /** Its client has lost a connection, and may lose the next. */
  #wasCut = false;
  /** Another process sends what is in the log: how far its client is behind is looked after there. */
  #isFollowed = false;
  #pumping = false;
  #appending: Promise<void> | undefined;
  #waiting: Deferred<void> | undefined;
  /** What could not be stored ends the log: what follows must not look like all there was, or another process has the stream. */
  #hasLog = true;
  /** How far the log has what it can have: nobody hears of an event before. */
  #stored = 0;

  /** `last`: where another process got to, whose stream this goes on with. */
  constructor(options: EventStreamOptions, last = 0) {
    this.#options = options;
    this.#last = last;
    this.#reached = last;
  }

  get attached(): boolean {
    return this.#isFollowed || this.#connection?.open === true;
  }

  /** Another process sends what is in the log, or no longer does; false where the log has not all of it. */
  follow(isFollowed: boolean): boolean {
    this.#isFollowed = isFollowed && this.#hasLog;
    if (!this.#isFollowed) return this.#hasLog;
    this.#wasCut = true;
    this.#connection?.end();
    this.#connection = undefined;
    this.#unsent = [];
    this.#pass(this.#last, '');
    this.#backlog = 0;
    this.#letGo();
    return true;
  }

  /** Its last message has been added. */
  get finished(): boolean {
    return this.#finished;
  }

  /** Its last message has been on the wire, and nothing speaks against that it arrived. */
  get sent(): boolean {
    return this.#finished && this.#reached === this.#last && !this.#wasCut;
  }

  /** Nothing is left for a client that has seen this position. */
  endsAt(position: number): boolean {
    return this.#finished && position === this.#last;
  }

  /** Notes something in the log for other processes; no client hears of it. */
  note(note: Note): void {
    this.#add(noteText(note));
  }

  /** An event without a message: gives the client a place to come back to before there is any. */
  prime(): void {
    this.#add('');
  }

  /** Adds a message, unless far too much is unsent already. */
  emit(text: string): Sent {
    if (this.#finished || this.#backlog > backlogLimit) return 'dropped';
    this.#add(text);
    return this.#congested ? 'full' : 'sent';
  }

  /** Adds the last message, if there is one, and ends the connection once everything is through. */
  finish(text: string | undefined): void {
    if (this.#finished) return;
    if (text !== undefined) this.#add(text);
    this.#finished = true;
    this.#pump();
  }

  /** Continues on a new connection, after the last event the client has seen. The old connection, if any, ends. */
  attach(connection: PacedStream, after: number): void {
    this.#isFollowed = false;
    this.#connection?.end();
    this.#connection = connection;
    this.#unsent = [];
    this.#wasCut ||= after > 0 && this.#released === undefined;
    this.#released = undefined;
    this.#written = after;
    connection.onClose(() => {
      if (this.#connection !== connection) return;
      this.#connection = undefined;
      // Whoever comes back is served from the log.
      this.#unsent = [];
      if (!this.#congested) this.#letGo();
    });
    this.#pump();
  }

  /** Ends the connection but not the stream, once everything is through: the client is to come back after a while. */
  release(retryMs: number | undefined): void {
    if (this.#connection === undefined || this.#finished) return;
    this.#released = { retryMs };
    this.#pump();
  }

  drained(): Promise<void> {
    if (!this.#congested) return Promise.resolve();
    this.#waiting ??= this.#awaitRoom();
    // Which notices when there is room again, also when nothing is left to write.
    this.#pump();
    return this.#waiting.promise;
  }

  /** A client that stays away longer than its events are kept will not make room. */
  #awaitRoom(): Deferred<void> {
    const waiting = createDeferred<void>();
    const timer = unref(setTimeout(waiting.resolve, this.#options.retainMs));
    void waiting.promise.then(() => clearTimeout(timer));
    return waiting;
  }

  /** Forgets everything; whoever waits for room goes on. */
  close(): void {
    this.leave();
    this.#forget();
  }

  /** The same, but what is in the log stays for another process. */
  leave(): void {
    this.#finished = true;
    this.#connection?.end();
    this.#connection = undefined;
    this.#unsent = [];
    this.#letGo();
  }

  /** The whole stream as one text, for an answer that is complete before it is sent. */
  completeText(final: string, primed: boolean): string {
    const first = primed ? this.#append('') : '';
    const text = first + this.#append(final);
    this.#finished = true;
    return text;
  }

  get #congested(): boolean {
    // What a client fetches again must not be pushed out of the log by what is new.
    const catchingUp = this.#connection !== undefined && this.#written < this.#reached;
    return catchingUp || this.#connection?.congested === true || this.#backlog > backlogHighWater;
  }

  #append(text: string): string {
    const position = this.#options.nextPosition();
    void this.#record(position, text);
    this.#last = position;
    this.#first ||= position;
    return this.#pass(position, text);
  }

  #forget(): void {
    const { log, key, logger } = this.#options;
    const deleted = log.delete(key);
    if (!isPromise(deleted)) return;
    deleted.catch((error: unknown) => {
      logger.error('events could not be deleted', { key, error: String(error) });
    });
  }

  #record(position: number, text: string): Promise<void> | undefined {
    const { log, key, retainMs, logger } = this.#options;
    const append = () => (this.#hasLog ? log.append(key, position, text, { ttlMs: retainMs }) : 0);
    const failed = (error: unknown): void => {
      this.#hasLog = false;
      logger.error('an event could not be stored', { key, error: String(error) });
    };
    // A slow store must not let a later event overtake an earlier one.
    const appended = this.#appending?.then(append) ?? attempt(append, failed);
    if (!isPromise(appended)) {
      this.#stored = position;
      return undefined;
    }
    const done: Promise<void> = appended.catch(failed).then(() => {
      this.#stored = position;
      if (this.#appending === done) this.#appending = undefined;
    });
    this.#appending = done;
    return done;
  }

  #add(text: string): void {
    const position = this.#options.nextPosition();
    const previous = this.#last;
    this.#last = position;
    this.#first ||= position;
    const stored = this.#record(position, text);
    if (this.#isFollowed) {
      this.#pass(position, text);
      return;
    }
    const connection = this.#connection;
    const live = stored === undefined && this.#written === previous && !this.#pumping;
    if (connection !== undefined && live && connection.open && !connection.congested) {
      connection.write(this.#pass(position, text));
      return;
    }
    this.#backlog += weightOf(text);
    if (connection !== undefined) {
      if (this.#unsent.length === 0) this.#before = previous;
      this.#unsent.push({ position, data: text });
    }
    if (stored !== undefined) void stored.then(() => this.#pump());
    else this.#pump();
  }

  /** Writes what the log has and the connection has not, until there is nothing left or no room. */
  #pump(): void {
    if (this.#pumping) return;
    this.#pumping = true;
    this.#pumpAll().catch((error: unknown) => {
      this.#options.logger.error('events could not be read', { error: String(error) });
      this.#connection?.end();
    });
  }

  async #pumpAll(): Promise<void> {
    try {
      for (;;) {
        const connection = this.#connection;
        if (connection === undefined || !connection.open) return;
        if (connection.congested) {
          await connection.drained();
        } else if (this.#written === this.#last) {
          this.#letGo();
          if (this.#finished || this.#released !== undefined) this.#hangUp(connection);
          return;
        } else {
          await this.#pumpPage(connection);
        }
      }
    } finally {
      // In the same turn as the last look at the log: whatever is added from now on starts a new pump.
      this.#pumping = false;
    }
  }

  async #pumpPage(connection: PacedStream): Promise<void> {
    await this.#appending;
    if (this.#connection !== connection) return;
    if (this.#unsent.length > 0 && this.#written === this.#before) {
      const next = this.#unsent.slice(0, pageSize);
      const stored = next.filter(({ position }) => position <= this.#stored);
      const sent = this.#write(connection, stored);
      this.#unsent.splice(0, sent);
      this.#before = this.#written;
    } else {
      await this.#replayPage(connection);
    }
    if (this.#reached === this.#last) this.#backlog = 0;
    if (!this.#congested) this.#letGo();
  }

  async #replayPage(connection: PacedStream): Promise<void> {
    const { log, key, logger } = this.#options;
    const { entries, complete } = await log.readAfter(key, this.#written, pageSize);
    if (this.#connection !== connection) return;
    const [next] = entries;
    const continues = this.#written === 0 ? next?.position === this.#first : complete;
    if (next === undefined || !continues) {
      // A clean end would say that this was all: the client is to ask, and to be told.
      logger.warn('events were lost before they were sent', { key });
      connection.cut();
      return;
    }
    const upTo = this.#unsent.length > 0 ? this.#before : Infinity;
    this.#write(
      connection,
      entries.filter(({ position }) => position <= upTo),
    );
  }

  /** Writes until there is no room; returns how many it wrote. */
  #write(connection: PacedStream, entries: readonly LogEntry[]): number {
    let sent = 0;
    for (const { position, data } of entries) {
      if (position > this.#reached) this.#backlog -= weightOf(data);
      connection.write(this.#pass(position, data));
      sent++;
      if (connection.congested) break;
    }
    return sent;
  }

  #hangUp(connection: PacedStream): void {
    const retryMs = this.#finished ? undefined : this.#released?.retryMs;
    if (retryMs !== undefined) connection.write(`retry: ${retryMs}\n\n`);
    this.#connection = undefined;
    connection.end();
  }

  #letGo(): void {
    this.#waiting?.resolve();
    this.#waiting = undefined;
  }

  /** The event as it goes out now. */
  #pass(position: number, text: string): string {
    this.#written = position;
    this.#reached = Math.max(this.#reached, position);
    return this.#format(position, text);
  }

  #format(position: number, text: string): string {
    return eventOf(this.#options, position, text);
  }
}

/** What comes of something that may fail at once. */
function attempt<T>(work: () => T, failed: (error: unknown) => void): T | undefined {
  try {
    return work();
  } catch (error) {
    failed(error);
    return undefined;
  }
}
