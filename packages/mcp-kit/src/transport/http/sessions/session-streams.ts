import { EventStream, type EventStreamOptions } from '../event-stream.ts';
import { lostAnswers, standingOf, type Purpose } from './lost-stream.ts';
import type { SessionShared } from './session.ts';

/** A stream, and how far its client has got. */
export interface Located {
  readonly stream: EventStream;
  readonly after: number;
}

interface SessionStreamsOptions {
  readonly sessionId: string;
  readonly shared: Pick<SessionShared, 'log' | 'logger' | 'retryMs' | 'retainMs' | 'profile'>;
  /** Whether another process may have to go on with them. */
  readonly isKept: boolean;
  /** How many processes had the session before: each has numbers of its own. */
  readonly lives: number;
}

/** Answered streams kept for a client that lost the end of one, and those whose answer it may well not have yet. */
const maxSent = 64;
const maxUnsent = 1024;
const numbersOfOneLife = 1e9;

/** The event streams of one session, which its client can come back to. */
export class SessionStreams {
  readonly #options: SessionStreamsOptions;
  readonly #streams = new Map<number, EventStream>();
  /** Those the client opened for what belongs to no request. */
  #listening: EventStream[] = [];
  #streamCount: number;
  #eventCount: number;
  #reviving: Promise<unknown> = Promise.resolve();

  constructor(options: SessionStreamsOptions) {
    this.#options = options;
    this.#streamCount = options.lives * numbersOfOneLife;
    this.#eventCount = this.#streamCount;
  }

  /** The newest: a client that lost its connection opens another long before the loss is noticed here. */
  get listener(): EventStream | undefined {
    return this.#listening.findLast((stream) => stream.attached);
  }

  isListening(stream: EventStream): boolean {
    return this.#listening.includes(stream);
  }

  /** A new stream, remembered so that the client can come back to it. */
  create(purpose: Purpose): EventStream {
    const number = ++this.#streamCount;
    const stream = this.#open(number, purpose);
    this.#forgetFinished();
    if (this.#options.isKept && purpose.length > 0) stream.note(JSON.stringify(purpose));
    return stream;
  }

  /** Names the events of an answer that is sent whole. */
  numberWhole(): Pick<EventStreamOptions, 'nextPosition' | 'eventId'> {
    return this.#numbering(++this.#streamCount);
  }

  /** Finds the stream and position a client names; nothing when it cannot be continued without loss. */
  async locate(lastEventId: string): Promise<Located | undefined> {
    for (const [number, stream] of this.#streams) {
      const after = this.#positionIn(number, lastEventId);
      if (after === undefined) continue;
      if (await this.#has(number, after)) return { stream, after };
    }
    const [, number, after] = /^([1-9]\d{0,14})\.([1-9]\d{0,14})$/.exec(lastEventId) ?? [];
    if (!this.#options.isKept || number === undefined) return undefined;
    // One after the other: two who come back at once must find the same stream.
    const revived = this.#reviving.then(() => this.#revive(Number(number), Number(after)));
    this.#reviving = revived.catch(() => undefined);
    return revived;
  }

  /** Ends all; with `keep` another process may go on with them. */
  close(keep: boolean): void {
    for (const stream of this.#streams.values()) {
      if (keep) stream.leave();
      else stream.close();
    }
    this.#streams.clear();
    this.#listening = [];
  }

  /** Goes on with a stream that another process began; what it did not answer is answered with that. */
  async #revive(number: number, after: number): Promise<Located | undefined> {
    const known = this.#streams.get(number);
    if (known !== undefined) {
      return (await this.#has(number, after)) ? { stream: known, after } : undefined;
    }
    const standing = await standingOf(this.#options.shared.log, this.#logKey(number), after);
    if (standing === undefined) return undefined;
    const { purpose, last, isAnswered } = standing;
    const stream = this.#open(number, purpose, last);
    if (purpose !== 'listening') stream.finish(isAnswered ? undefined : lostAnswers(purpose));
    return { stream, after };
  }

  /** Whether the log has this event of a stream, and all that follow. */
  async #has(number: number, position: number): Promise<boolean> {
    const { log } = this.#options.shared;
    const { entries, complete } = await log.readAfter(this.#logKey(number), position - 1, 1);
    return complete && entries[0]?.position === position;
  }

  /** `last`: where another process got to. */
  #open(number: number, purpose: Purpose, last = 0): EventStream {
    const { log, logger, retryMs, retainMs } = this.#options.shared;
    const key = this.#logKey(number);
    const numbering = this.#numbering(number, last);
    const options = { log, logger, retryMs, retainMs, key, ...numbering };
    const stream = new EventStream(options, last);
    this.#streams.set(number, stream);
    if (purpose === 'listening') this.#listening.push(stream);
    return stream;
  }

  /** How the events of a stream are counted and named. */
  #numbering(number: number, last = 0): Pick<EventStreamOptions, 'nextPosition' | 'eventId'> {
    const { sessionId, shared } = this.#options;
    if (shared.profile.eventIds === 'session-counter') {
      return { nextPosition: () => ++this.#eventCount, eventId: (at) => `${sessionId}-${at}` };
    }
    let position = last;
    return { nextPosition: () => ++position, eventId: (at) => `${number}.${at}` };
  }

  #positionIn(number: number, eventId: string): number | undefined {
    const { sessionId, shared } = this.#options;
    const isCounter = shared.profile.eventIds === 'session-counter';
    const prefix = isCounter ? `${sessionId}-` : `${number}.`;
    if (!eventId.startsWith(prefix)) return undefined;
    const digits = eventId.slice(prefix.length);
    return /^[1-9]\d{0,14}$/.test(digits) ? Number(digits) : undefined;
  }

  #logKey(number: number): string {
    return `events/${this.#options.sessionId}/${number}`;
  }

  /** Whoever opened it has everything that it brought, as far as can be told, and no connection to it. */
  #isOver(stream: EventStream): boolean {
    return !stream.attached && (stream.sent || this.isListening(stream));
  }

  #forgetFinished(): void {
    const streams = this.#streams;
    if (streams.size <= maxSent) return;
    // Counted apart: however many are kept because they may be missed, the latest that were sent are kept as well.
    let over = 0;
    for (const stream of streams.values()) if (this.#isOver(stream)) over += 1;
    for (const [number, stream] of streams) {
      if (over <= maxSent && streams.size <= maxUnsent) return;
      const isOver = this.#isOver(stream);
      const isNeeded = stream.attached || !stream.finished || streams.size <= maxUnsent;
      if (isOver ? over <= maxSent : isNeeded) continue;
      stream.close();
      streams.delete(number);
      if (isOver) over -= 1;
      this.#listening = this.#listening.filter((other) => other !== stream);
    }
  }
}
