import { idleMs, type Budget, type Logger } from '#base';
import {
  Connection,
  type Channel,
  type ConnectionOptions,
  type HttpAside,
  type MessageOptions,
  type Origin,
  type RpcError,
  type Sent,
} from '#jsonrpc';
import { Conversation, understandsPriming, type Serve } from '#protocol';
import type { Log } from '#store';
import {
  EventStream,
  KeptAnswers,
  maxKeptCharacters,
  messageEvent,
  primingEvent,
  type EventStreamOptions,
} from './event-stream.ts';
import { PacedStream, streamBytes, type Heartbeat, type Pace } from './paced-stream.ts';
import type { Profile } from './profile.ts';
import type { Caller } from './admit.ts';
import { ownAside, Reply, type ReplyPolicy } from './reply.ts';
import type { HeaderList, ResponseStream } from './responder.ts';

/** What all sessions of an endpoint share. */
export interface SessionShared {
  readonly serve: Serve;
  readonly profile: Profile;
  readonly log: Log;
  readonly logger: Logger;
  readonly heartbeat: Heartbeat;
  readonly pace: Pace;
  readonly retryMs: number;
  /** How long events are kept for a client that may come back. */
  readonly retainMs: number;
  readonly budget: Budget;
  readonly connection: ConnectionOptions;
  /** Ends a session that gives way. */
  readonly end: (session: Session) => void;
}

/** Messages kept for a client that has no stream open; beyond, the oldest are dropped. */
const maxUndelivered = 256;
const maxUndeliveredSize = 1024 * 1024;
/** Answered streams kept for a client that lost the end of one, and those whose answer it may well not have yet. */
const maxSent = 64;
const maxUnsent = 1024;

/** What a text takes that is kept: up to two bytes per character, and what is around it. */
const weightOf = (text: string): number => 2 * text.length + 64;

/** One legacy client over HTTP: a conversation whose messages travel in many requests. */
export class Session implements Channel, ReplyPolicy {
  readonly id: string;
  readonly connection: Connection;
  readonly #shared: SessionShared;
  #conversation: Conversation | undefined;
  #streams: Map<number, EventStream> | undefined;
  /** Streams the client opened for what belongs to no request. */
  #listening: EventStream[] | undefined;
  #undelivered: string[] | undefined;
  #undeliveredSize = 0;
  #answers: KeptAnswers | undefined;
  #streamCount = 0;
  #eventCount = 0;
  lastSeenMs: number = performance.now();
  /** When the last stream that was opened by GET has closed. */
  #leftMs = -Infinity;
  readonly #client: string | undefined;

  constructor(id: string, shared: SessionShared, { principal, client }: Caller) {
    this.id = id;
    this.#shared = shared;
    this.#client = client;
    this.connection = new Connection(
      this,
      (connection) => (this.#conversation = new Conversation(connection, shared.serve, this)),
      // The same object for all, unless clients are told apart: it is part of what an idle session weighs.
      principal === undefined ? shared.connection : { ...shared.connection, principal },
    );
  }

  /** Whether it was opened by this caller, whatever token it shows now. */
  isOf({ principal, client }: Caller): boolean {
    return this.connection.principal === principal && this.#client === client;
  }

  /** `initialize` was answered. */
  get initialized(): boolean {
    return this.#version !== undefined;
  }

  get ready(): boolean {
    return this.#conversation?.handshake.phase === 'ready';
  }

  get acceptsBatch(): boolean {
    return this.#conversation?.acceptsBatch() === true;
  }

  /** The client understands the empty event that marks where to resume. */
  get canResume(): boolean {
    return understandsPriming(this.#version);
  }

  get #version(): string | undefined {
    return this.#conversation?.handshake.client?.version;
  }

  /** A refused handshake has opened none. */
  get openedHeaders(): HeaderList {
    return this.initialized ? ['mcp-session-id', this.id] : [];
  }

  /** A client that takes no stream with its answer may have one open elsewhere. */
  divert(text: string): Sent {
    return this.send(text);
  }

  /** An error that answers a request is an answer, unless it says itself what it is to HTTP. */
  asideOf(error: RpcError): HttpAside | undefined {
    return ownAside(error);
  }

  /** Messages that wait for a stream. */
  get undelivered(): number {
    return this.#undelivered?.length ?? 0;
  }

  /** Nobody waits for anything: no stream is open, and whoever asked something has left. */
  isIdle(): boolean {
    if (this.#listener !== undefined) return false;
    return !this.connection.isServing((origin) => origin instanceof Reply && origin.attended);
  }

  /** Its client has closed all its streams, and not asked for anything since. */
  get isLeft(): boolean {
    return this.#shared.profile.endsWithStreams && this.lastSeenMs <= this.#leftMs;
  }

  start(): void {}

  send(text: string, options?: MessageOptions): Sent {
    if (options?.origin instanceof Reply) return options.origin.emit(text);
    if (this.#listener !== undefined) return this.#listener.emit(text);
    if (!this.connection.keep(weightOf(text))) return 'dropped';
    this.#undelivered ??= [];
    this.#undelivered.push(text);
    this.#undeliveredSize += text.length;
    return this.#dropOldest() ? 'full' : 'sent';
  }

  /** Keeps what waits for a stream within bounds. */
  #dropOldest(): boolean {
    const kept = this.#undelivered ?? [];
    const before = kept.length;
    while (
      kept.length > maxUndelivered ||
      (this.#undeliveredSize > maxUndeliveredSize && kept.length > 1)
    ) {
      const oldest = kept.shift() ?? '';
      this.#undeliveredSize -= oldest.length;
      this.connection.keep(-weightOf(oldest));
    }
    return kept.length < before;
  }

  tell(): undefined {}

  letGo(): boolean {
    if (performance.now() - this.lastSeenMs < idleMs) return false;
    this.#shared.end(this);
    return true;
  }

  lastWords(): string {
    return '';
  }

  reply(text: string | undefined, options?: MessageOptions): void {
    if (options?.origin instanceof Reply) options.origin.answer(text, options);
  }

  drained(origin?: Origin): Promise<void> {
    if (origin instanceof Reply) return origin.drained();
    return this.#listener?.drained() ?? Promise.resolve();
  }

  /** The newest: a client that lost its connection opens another long before the loss is noticed here. */
  get #listener(): EventStream | undefined {
    return this.#listening?.findLast((stream) => stream.attached);
  }

  /** Opens a stream on a connection. */
  openStream(out: ResponseStream): EventStream {
    const stream = this.#createStream();
    this.#connect(stream, out, 0);
    if (this.canResume) stream.prime();
    return stream;
  }

  /** A whole stream in one text: an answer that nothing preceded. */
  completeStream(text: string): string {
    if (text.length > maxKeptCharacters) {
      return this.#createStream().completeText(text, this.canResume);
    }
    const { nextPosition, eventId } = this.#numbering(++this.#streamCount);
    const primingId = this.canResume ? eventId(nextPosition()) : undefined;
    const finalId = eventId(nextPosition());
    const final = messageEvent(finalId, text);
    // Whoever has no place before it to come back to cannot ask for it.
    const kept = primingId === undefined ? '' : final;
    if (this.connection.keep(weightOf(kept))) {
      this.#answers ??= new KeptAnswers();
      const forgotten = this.#answers.keep({ primingId, finalId, final: kept });
      if (forgotten !== undefined) this.connection.keep(-weightOf(forgotten.final));
    }
    return primingId === undefined ? final : primingEvent(primingId, this.#shared.retryMs) + final;
  }

  /** What follows an event of an answer that was sent whole; `undefined` when it was of none. */
  restOfAnswer(eventId: string): string | undefined {
    return this.#answers?.after(eventId);
  }

  /** Opens a stream for what belongs to no request, and sends what has been waiting for one. */
  listen(out: ResponseStream): void {
    const stream = this.openStream(out);
    this.#listening ??= [];
    this.#listening.push(stream);
    this.#deliver(stream);
  }

  /** Finds the stream and position a client names; nothing when it cannot be continued without loss. */
  async locate(
    lastEventId: string,
  ): Promise<{ readonly stream: EventStream; readonly after: number } | undefined> {
    for (const [number, stream] of this.#streams ?? []) {
      const after = this.#positionIn(number, lastEventId);
      if (after === undefined) continue;
      const read = await this.#shared.log.readAfter(this.#logKey(number), after - 1, 1);
      const [entry] = read.entries;
      if (read.complete && entry?.position === after) return { stream, after };
    }
    return undefined;
  }

  resume(
    found: { readonly stream: EventStream; readonly after: number },
    out: ResponseStream,
  ): void {
    this.#connect(found.stream, out, found.after);
    if (this.#listening?.includes(found.stream)) this.#deliver(found.stream);
  }

  async close(): Promise<void> {
    for (const stream of this.#streams?.values() ?? []) stream.close();
    this.#streams = undefined;
    this.#listening = undefined;
    this.#undelivered = undefined;
    this.#answers = undefined;
  }

  #deliver(stream: EventStream): void {
    const waiting = this.#undelivered ?? [];
    this.#undelivered = undefined;
    this.#undeliveredSize = 0;
    for (const text of waiting) {
      this.connection.keep(-weightOf(text));
      stream.emit(text);
    }
  }

  /** Puts a stream on a connection, from after a position on. */
  #connect(stream: EventStream, out: ResponseStream, after: number): void {
    const { pace, budget, heartbeat } = this.#shared;
    const connection = new PacedStream(out, pace, budget);
    heartbeat.add(connection);
    const held = budget.hold('sessions', streamBytes);
    connection.onClose(() => held.resize(0));
    stream.attach(connection, after);
    connection.onClose(() => {
      if (this.#listening?.includes(stream)) this.#leftMs = performance.now();
    });
  }

  /** A new stream, remembered so that the client can come back to it. */
  #createStream(): EventStream {
    const { log, logger, retryMs, retainMs } = this.#shared;
    const number = ++this.#streamCount;
    const stream = new EventStream({
      log,
      logger,
      retryMs,
      retainMs,
      key: this.#logKey(number),
      ...this.#numbering(number),
    });
    this.#streams ??= new Map();
    this.#streams.set(number, stream);
    this.#forgetFinished();
    return stream;
  }

  /** How the events of a stream are counted and named. */
  #numbering(number: number): Pick<EventStreamOptions, 'nextPosition' | 'eventId'> {
    if (this.#shared.profile.eventIds === 'session-counter') {
      return { nextPosition: () => ++this.#eventCount, eventId: (at) => `${this.id}-${at}` };
    }
    let position = 0;
    return { nextPosition: () => ++position, eventId: (at) => `${number}.${at}` };
  }

  #positionIn(number: number, eventId: string): number | undefined {
    const prefix =
      this.#shared.profile.eventIds === 'session-counter' ? `${this.id}-` : `${number}.`;
    if (!eventId.startsWith(prefix)) return undefined;
    const digits = eventId.slice(prefix.length);
    return /^[1-9]\d{0,14}$/.test(digits) ? Number(digits) : undefined;
  }

  #logKey(number: number): string {
    return `events/${this.id}/${number}`;
  }

  /** Whoever opened it has everything that it brought, as far as can be told, and no connection to it. */
  #isOver(stream: EventStream): boolean {
    return !stream.attached && (stream.sent || this.#listening?.includes(stream) === true);
  }

  #forgetFinished(): void {
    const streams = this.#streams;
    if (streams === undefined || streams.size <= maxSent) return;
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
      this.#listening = this.#listening?.filter((other) => other !== stream);
    }
  }
}
