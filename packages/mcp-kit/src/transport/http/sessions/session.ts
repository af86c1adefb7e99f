import { chain, idleMs, type Budget, type Logger, type MaybePromise } from '#base';
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
import type { EventStream } from '../event-stream.ts';
import { messageEvent, plainEvent, primingEvent, type Purpose } from '../events.ts';
import { KeptAnswers, maxKeptCharacters } from './kept-answers.ts';
import { KeptSession, newRecord, type FoundSession, type SessionPlace } from './kept-session.ts';
import { PacedStream, streamBytes, type Heartbeat, type Pace } from '../paced-stream.ts';
import type { Profile } from '../profile.ts';
import type { Caller, Incoming } from '../admit.ts';
import { ownAside, Reply, type ReplyPolicy } from '../reply.ts';
import type { HeaderList, ResponseStream } from '../responder.ts';
import type { Resumable } from './followed-stream.ts';
import type { Notice } from './nodes.ts';
import type { SessionIds } from './session-ids.ts';
import { SessionStreams, type Located } from './session-streams.ts';

/** What all sessions of an endpoint share. */
export interface SessionShared {
  readonly serve: Serve;
  readonly ids: SessionIds;
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
  /** Where sessions are kept that outlive this process; nowhere when absent. */
  readonly place?: SessionPlace | undefined;
  /** Ends a session that gives way. */
  readonly end: (session: Session) => void;
}

/** What a session begins with. */
interface SessionStart {
  readonly id: string;
  /** What another process has kept of it. */
  readonly found?: FoundSession | undefined;
}

/** Messages kept for a client that has no stream open; beyond, the oldest are dropped. */
const maxUndelivered = 256;
const maxUndeliveredSize = 1024 * 1024;

/** What a text takes that is kept: up to two bytes per character, and what is around it. */
const weightOf = (text: string): number => 2 * text.length + 64;

/** One legacy client over HTTP: a conversation whose messages travel in many requests. */
export class Session implements Channel, ReplyPolicy {
  readonly id: string;
  readonly connection: Connection;
  readonly #shared: SessionShared;
  #conversation: Conversation | undefined;
  #streams: SessionStreams | undefined;
  readonly #kept: KeptSession | undefined;
  #undelivered: string[] | undefined;
  #undeliveredSize = 0;
  #passing: Promise<void> = Promise.resolve();
  #answers: KeptAnswers | undefined;
  lastSeenMs: number = performance.now();
  /** When the last stream that was opened by GET has closed. */
  #leftMs = -Infinity;
  readonly #client: string | undefined;

  constructor({ id, found }: SessionStart, shared: SessionShared, caller: Caller) {
    const { principal, client } = caller;
    this.id = id;
    this.#shared = shared;
    this.#client = client;
    this.#kept =
      shared.place &&
      new KeptSession(shared.place, id, found ?? { record: newRecord(shared.place, caller) });
    const serve =
      this.#kept?.over(shared.serve, () => this.#conversation?.restart()) ?? shared.serve;
    const idPrefix = shared.place && `${shared.place.nodes.id}.${this.#kept?.lives ?? 0}.`;
    // The same object for all, unless clients are told apart: it is part of what an idle session weighs.
    const isAlike = principal === undefined && idPrefix === undefined;
    this.connection = new Connection(
      this,
      (connection) => (this.#conversation = new Conversation(connection, serve, this)),
      isAlike ? shared.connection : { ...shared.connection, principal, idPrefix },
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

  /** Whether other nodes have it open. */
  get isShared(): boolean {
    return this.#kept?.isShared === true;
  }

  /** Tells them, if there are any. */
  tellOthers(notice: Notice): void {
    if (this.isShared) this.#shared.place?.nodes.hint(undefined, notice);
  }

  /** Messages that wait for a stream. */
  get undelivered(): number {
    return this.#undelivered?.length ?? 0;
  }

  /** Nobody waits for anything: no stream is open, and whoever asked something has left. */
  isIdle(): boolean {
    if (this.#streams?.listener !== undefined) return false;
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
    const node = this.#kept?.elsewhere;
    if (node === undefined) return this.#wait(text);
    this.#pass(node, text);
    return 'sent';
  }

  /** Has a node send it at which the client listens, one message after the other. */
  #pass(node: string, text: string): void {
    const { nodes } = this.#shared.place ?? {};
    const pass = async (): Promise<void> => {
      if ((await nodes?.isAlive(node)) === true)
        await nodes?.tell(node, { session: this.id, say: text });
      else this.#wait(text);
    };
    this.#passing = this.#passing.then(pass).catch(() => void this.#wait(text));
  }

  /** Keeps a message until there is a stream. */
  #wait(text: string): Sent {
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
    const origin = options?.origin;
    if (!(origin instanceof Reply)) return;
    // A notification is taken when it is kept: after that the client may rely on it.
    const heard = text === undefined ? this.#kept?.heard : undefined;
    void chain(heard, () => origin.answer(text, options));
  }

  drained(origin?: Origin): Promise<void> {
    if (origin instanceof Reply) return origin.drained();
    return this.#listener?.drained() ?? Promise.resolve();
  }

  get #listener(): EventStream | undefined {
    return this.#kept?.elsewhere === undefined ? this.#streams?.listener : undefined;
  }

  /** It is used: where it is kept, it is for longer. */
  touch(): void {
    this.lastSeenMs = performance.now();
    this.#kept?.touch();
  }

  /** It has ended for good: no other process goes on with it. */
  forget(): MaybePromise<unknown> {
    return this.#kept?.forget();
  }

  /** Hears what its client has said to other nodes since; false where it has ended. */
  look({ headers, caller }: Incoming): MaybePromise<boolean> {
    const { place } = this.#shared;
    if (this.#kept === undefined || place === undefined) return true;
    const origin = { headers, ...caller };
    return this.#kept.look({ serve: place.serve, connection: this.connection, origin });
  }

  /** Takes what another node tells; false where that is about a stream that is not gone on with here. */
  hear(notice: Notice): boolean {
    if ('heard' in notice) this.connection.message(notice.heard);
    else if ('say' in notice) this.send(notice.say);
    else if ('follows' in notice) {
      const isHere = this.#streams?.follow(notice.follows, !notice.isOver) === true;
      if (this.#listener !== undefined) for (const text of this.#takeUndelivered()) this.send(text);
      return isHere;
    } else if ('listens' in notice) {
      this.#kept?.listensAt(notice.listens);
      for (const text of this.#takeUndelivered()) this.#pass(notice.listens, text);
    } else this.#kept?.end();
    return true;
  }

  /** Opens a stream on a connection. */
  openStream(out: ResponseStream, reply?: Pick<Reply, 'ids'>): EventStream {
    return this.#openStream(out, reply?.ids ?? []);
  }

  #openStream(out: ResponseStream, purpose: Purpose): EventStream {
    const stream = this.#allStreams().create(purpose);
    this.#connect(stream, out, 0);
    if (this.canResume) stream.prime();
    return stream;
  }

  /** A whole stream in one text: an answer that nothing preceded. */
  completeStream(text: string): string {
    // Another process would not know it: who loses a part of it has lost all, as of JSON, and asks again.
    if (this.#kept !== undefined) return plainEvent(text);
    if (text.length > maxKeptCharacters) {
      return this.#allStreams().create([]).completeText(text, this.canResume);
    }
    const { nextPosition, eventId } = this.#allStreams().numberWhole();
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
    this.#openStream(out, 'listening');
    this.#listens();
  }

  /** Finds the stream and position a client names; nothing when it cannot be continued without loss. */
  locate(lastEventId: string): Promise<Located | undefined> {
    return this.#allStreams().locate(lastEventId);
  }

  resume({ stream, after }: Located, out: ResponseStream): void {
    this.#connect(stream, out, after);
    if (this.#streams?.isListening(stream)) this.#listens();
  }

  /** From now on other nodes leave here what belongs to no request. */
  #listens(): void {
    const listens = this.#shared.place?.nodes.id ?? '';
    void chain(this.#kept?.listens(), () => this.tellOthers({ session: this.id, listens }));
    for (const text of this.#takeUndelivered()) this.send(text);
  }

  async close(): Promise<void> {
    this.#streams?.close(this.#kept?.forgotten === false);
    this.#streams = undefined;
    this.#undelivered = undefined;
    this.#answers = undefined;
  }

  #takeUndelivered(): readonly string[] {
    const waiting = this.#undelivered ?? [];
    this.#undelivered = undefined;
    this.#undeliveredSize = 0;
    for (const text of waiting) this.connection.keep(-weightOf(text));
    return waiting;
  }

  /** Puts a stream on a connection, from after a position on. */
  #connect(stream: Resumable, out: ResponseStream, after: number): void {
    const connection = new PacedStream(out, this.#shared);
    const held = this.#shared.budget.hold('sessions', streamBytes);
    stream.attach(connection, after);
    connection.onClose(() => {
      held.resize(0);
      if (this.#streams?.isListening(stream)) this.#leftMs = performance.now();
    });
  }

  /** Made on first use: an idle session has none. */
  #allStreams(): SessionStreams {
    const { id: sessionId } = this;
    const nodes = this.#shared.place?.nodes;
    const lives = this.#kept?.lives ?? 0;
    this.#streams ??= new SessionStreams({ sessionId, shared: this.#shared, nodes, lives });
    return this.#streams;
  }
}
