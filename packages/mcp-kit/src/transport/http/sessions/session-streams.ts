import { describeError } from '#base';
import { EventStream, type EventStreamOptions } from '../event-stream.ts';
import { noteIn, type Purpose } from '../events.ts';
import { followedStream, type Resumable } from './followed-stream.ts';
import { abandon, conclude, standingOf, type StreamLog } from './lost-stream.ts';
import type { Nodes } from './nodes.ts';
import type { SessionShared } from './session.ts';
import type { LogEntry } from '#store';

/** A stream, and how far its client has got. */
export interface Located {
  readonly stream: Resumable;
  readonly after: number;
}

interface SessionStreamsOptions {
  readonly sessionId: string;
  readonly shared: Pick<SessionShared, 'log' | 'logger' | 'retryMs' | 'retainMs' | 'profile'>;
  /** Others may have to go on with them. */
  readonly nodes: Nodes | undefined;
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
  #listening: readonly EventStream[] = [];
  #streamCount: number;
  #eventCount: number;
  #reviving: Promise<unknown> | undefined;

  constructor(options: SessionStreamsOptions) {
    this.#options = options;
    this.#streamCount = options.lives * numbersOfOneLife;
    this.#eventCount = this.#streamCount;
  }

  /** The newest: a client that lost its connection opens another long before the loss is noticed here. */
  get listener(): EventStream | undefined {
    return this.#listening.findLast((stream) => stream.attached);
  }

  isListening(stream: Resumable): boolean {
    return this.#listening.some((other) => other === stream);
  }

  /** Another node sends the events of a stream, or no longer does; false where the stream is not gone on with here. */
  follow(number: number, isFollowed: boolean): boolean {
    return this.#streams.get(number)?.follow(isFollowed) === true;
  }

  /** A new stream, remembered so that the client can come back to it. */
  create(purpose: Purpose): EventStream {
    const number = ++this.#streamCount;
    const stream = this.#open(number, purpose);
    this.#forgetFinished();
    const { nodes } = this.#options;
    if (nodes !== undefined && purpose.length > 0) stream.note({ purpose, node: nodes.id });
    return stream;
  }

  /** Names the events of an answer that is sent whole. */
  numberWhole(): Pick<EventStreamOptions, 'nextPosition' | 'eventId'> {
    return this.#numbering(++this.#streamCount, 0);
  }

  /** Finds the stream and position a client names; nothing when it cannot be continued without loss. */
  async locate(lastEventId: string): Promise<Located | undefined> {
    for (const [number, stream] of this.#streams) {
      const after = this.#positionIn(number, lastEventId);
      if (after === undefined) continue;
      if (await this.#has(number, after)) return { stream, after };
    }
    const [, number, after] = /^([1-9]\d{0,14})\.([1-9]\d{0,14})$/.exec(lastEventId) ?? [];
    const { nodes } = this.#options;
    if (nodes === undefined || number === undefined) return undefined;
    // One after the other: two who come back at once must find the same stream.
    const revive = () => this.#revive(nodes, Number(number), Number(after));
    const revived = this.#reviving?.then(revive) ?? revive();
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

  /** Goes on with a stream that another process began, or has; calls that nobody answers any more are answered with that. */
  async #revive(nodes: Nodes, number: number, after: number): Promise<Located | undefined> {
    const known = this.#streams.get(number);
    if (known !== undefined) {
      return (await this.#has(number, after)) ? { stream: known, after } : undefined;
    }
    for (;;) {
      const place = this.#logOf(number);
      const standing = await standingOf(place.log, place.key, after);
      if (standing === undefined) return undefined;
      const { purpose, node, last, isAnswered, isOver, rest } = standing;
      if (isAnswered) {
        const stream = this.#open(number, purpose, last);
        stream.finish(undefined);
        return { stream, after };
      }
      const isOwned = !isOver && node !== nodes.id && (await nodes.isAlive(node));
      if (isOwned) {
        return { stream: this.#followed(nodes, number, { node, purpose }), after };
      }
      if (purpose === 'listening') return { stream: this.#listenAnew(rest), after: 0 };
      await conclude(place);
    }
  }

  #followed(
    nodes: Nodes,
    number: number,
    { node, purpose }: { readonly node: string; readonly purpose: Purpose },
  ): Resumable {
    const { sessionId: session, shared } = this.#options;
    const { logger, retryMs } = shared;
    const place = this.#logOf(number);
    return followedStream({
      ...place,
      logger,
      retryMs,
      eventId: (at) => `${number}.${at}`,
      isCall: purpose !== 'listening',
      isOwned: () => nodes.isAlive(node),
      conclude: () => conclude(place),
      tell: (isOver) => nodes.hint(node, { session, follows: number, isOver }),
    });
  }

  /** A stream of this node, with what is left of one whose node is gone. */
  #listenAnew(rest: readonly LogEntry[]): EventStream {
    const stream = this.create('listening');
    for (const { data } of rest) {
      if (data !== '' && noteIn(data) === undefined) stream.emit(data);
    }
    return stream;
  }

  #logOf(number: number): StreamLog {
    const { sessionId, shared } = this.#options;
    const { log, retainMs } = shared;
    return { log, key: streamKey(sessionId, number), retainMs };
  }

  /** Whether the log has this event of a stream, and all that follow. */
  async #has(number: number, position: number): Promise<boolean> {
    const { log } = this.#options.shared;
    const { entries, complete } = await log.readAfter(
      streamKey(this.#options.sessionId, number),
      position - 1,
      1,
    );
    return complete && entries[0]?.position === position;
  }

  /** `last`: where another process got to. */
  #open(number: number, purpose: Purpose, last = 0): EventStream {
    const { log, logger, retryMs, retainMs } = this.#options.shared;
    const key = streamKey(this.#options.sessionId, number);
    const { nextPosition, eventId } = this.#numbering(number, last);
    const options = { log, logger, retryMs, retainMs, key, nextPosition, eventId };
    const stream = new EventStream(options, last);
    this.#streams.set(number, stream);
    if (purpose === 'listening') this.#listening = this.#listening.concat(stream);
    return stream;
  }

  /** How the events of a stream are counted and named. */
  #numbering(number: number, last: number): Pick<EventStreamOptions, 'nextPosition' | 'eventId'> {
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

/** Where the log of a stream is. Joined, because Node would keep the pieces of a template as well. */
function streamKey(sessionId: string, number: number): string {
  return ['events', sessionId, number].join('/');
}

/** Says of a stream that is followed elsewhere that this node does not go on with it. */
export function giveUp(
  { log, logger, retainMs, place }: Pick<SessionShared, 'log' | 'logger' | 'retainMs' | 'place'>,
  sessionId: string,
  number: number,
): void {
  const key = streamKey(sessionId, number);
  abandon({ log, key, retainMs }, place?.nodes.id ?? '').catch((error: unknown) => {
    logger.error('a stream cannot be given up', { error: describeError(error) });
  });
}
