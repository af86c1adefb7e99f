import { setMaxListeners } from 'node:events';
import { createDeferred, describeError, KitError, type Logger } from '#base';
import { Connection, RpcError, type Channel, type Handlers, type Notification } from '#jsonrpc';
import { mcpErrors, repeatable, steer, vocabulary, type Target } from '#protocol';
import { answerRequest } from './answering.ts';
import type { Identity } from './facts.ts';
import { initialize } from './handshake.ts';
import type { Offer } from './inputs.ts';
import { createLimit, waitWithin } from './limit.ts';
import { negotiate, type Agreed } from './negotiate.ts';
import { defaults, type CallOptions, type SessionOptions } from './options.ts';
import { createStormBreaker } from './storm.ts';
import { processVerdicts } from './verdicts.ts';

export interface ConversationEvents {
  notification(notification: Notification): void;
  /** A new conversation has begun, before anything else is sent in it. */
  opened(agreed: Agreed): void;
  lost(cause: Error | undefined): void;
}

/** One try at a call; the options of a second one have what is left of the time. */
export type Attempt<T> = (agreed: Agreed, options: CallOptions) => Promise<T>;

const maxSamples = 5;
/** Requests of a server that may wait for their answers. */
const maxServing = 64;

/** The thread that runs through all connections with one server: opens them, notices when one is lost, opens the next. */
export class Conversation {
  readonly #target: Target;
  readonly #identity: Identity;
  readonly #options: SessionOptions;
  readonly #events: ConversationEvents;
  readonly #logger: Logger;
  readonly #closed = createDeferred<Error | undefined>();
  readonly #ending = new AbortController();
  readonly #storm = createStormBreaker();
  /** What the server may ask for. */
  readonly offer: Offer;
  readonly samples: string[] = [];
  malformed = 0;
  handshakes = 0;
  #agreed: Agreed | undefined;
  /** The last connection, which may still be good although the session on it is not. */
  #connection: Connection | undefined;
  #reopening: Promise<Agreed> | undefined;

  constructor(
    target: Target,
    settings: { identity: Identity; options: SessionOptions; logger: Logger },
    events: ConversationEvents,
  ) {
    const { identity, options } = settings;
    this.#target = target;
    this.#identity = identity;
    this.offer = { handlers: options.inputs ?? {}, capabilities: identity.capabilities };
    this.#options = options;
    this.#logger = settings.logger;
    this.#events = events;
    // Every question that waits for a person listens.
    setMaxListeners(0, this.ended);
  }

  get isOpen(): boolean {
    return !this.#ended;
  }

  /** Settles when the session has ended for good, with the cause if it was not `close`. */
  get closed(): Promise<Error | undefined> {
    return this.#closed.promise;
  }

  /** Fires when the session has ended for good; the reason is a `KitError`. */
  get ended(): AbortSignal {
    return this.#ending.signal;
  }

  /** Opens the first connection; ends when that fails. */
  async open(): Promise<void> {
    try {
      await this.#open(this.#options.signal);
    } catch (error) {
      this.#end(error instanceof Error ? error : undefined);
      throw error;
    }
  }

  /** Runs an attempt on the current connection; on a new one if it was lost, and again if that is safe. */
  async run<T>(method: string, options: CallOptions, attempt: Attempt<T>): Promise<T> {
    const { maxTotalMs = this.#options.maxTotalMs ?? defaults.maxTotalMs, signal } = options;
    // An agent that cancels many calls with one signal is no leak, although Node warns of one.
    if (signal !== undefined) setMaxListeners(0, signal);
    const deadline = performance.now() + maxTotalMs;
    const present = this.#agreed;
    const agreed = present ?? (await this.#waitForOpen(method, options, maxTotalMs));
    const left = present ? options : { ...options, maxTotalMs: deadline - performance.now() };
    try {
      return await attempt(agreed, left);
    } catch (error) {
      const failure = failureOf(error);
      if (failure === undefined) throw error;
      if (failure.code === 'session_lost') this.#forget(agreed, failure);
      if (!this.#mayRepeat(method, failure)) throw error;
    }
    const leftMs = deadline - performance.now();
    const next = this.#agreed ?? (await this.#waitForOpen(method, options, leftMs));
    return attempt(next, { ...options, maxTotalMs: deadline - performance.now() });
  }

  async close(): Promise<void> {
    this.#end(undefined);
    await Promise.all([this.#connection?.close(), this.#reopening?.catch(() => {})]);
  }

  /** What nobody but the author of a handler can mend. */
  reportBug(error: unknown, method: string): void {
    this.#logger.error(`${method}: a handler failed`, { error: describeError(error) });
  }

  get #heals(): boolean {
    return this.#options.heal !== false;
  }

  #mayRepeat(method: string, { code, details }: KitError): boolean {
    if (this.#ended || !this.#heals) return false;
    if (code === 'session_lost' && details?.['ran'] === false) return true;
    const lost = code === 'session_lost' || code === 'answer_lost' || code === 'closed';
    return lost && repeatable.has(method);
  }

  #forget(agreed: Agreed, error: KitError): void {
    if (this.#agreed !== agreed) return;
    this.#agreed = undefined;
    if (!this.#heals) {
      this.#end(error);
      void agreed.connection.close();
    }
    this.#events.lost(error);
  }

  /** Whoever waits is let go when they give up; the others still wait. */
  #waitForOpen(method: string, options: CallOptions, leftMs: number): Promise<Agreed> {
    const { signal, timeoutMs = leftMs } = options;
    const limit = { subject: method, signal, timeoutMs: Math.min(timeoutMs, leftMs) };
    return waitWithin(limit, () => this.#reopen());
  }

  #reopen(): Promise<Agreed> {
    this.#reopening ??= this.#openAgain().finally(() => {
      this.#reopening = undefined;
    });
    return this.#reopening;
  }

  async #openAgain(): Promise<Agreed> {
    const { label } = this.#target;
    if (this.#ended || !this.#heals) throw this.#isClosed();
    if (!this.#storm.admit()) {
      const { times, withinMs } = this.#storm;
      throw new KitError('closed', `${label} was lost ${times} times within ${withinMs / 1000} s`, {
        hint: 'Find out why it ends; calls are refused until it has been quiet for a while.',
      });
    }
    const same = await this.#openOnSame();
    if (same !== undefined) return same;
    // The next process of a server does not start before the last has ended.
    await this.#connection?.close();
    return this.#open();
  }

  /** Where only the session is gone, the connection serves the next one too. */
  async #openOnSame(): Promise<Agreed | undefined> {
    const connection = this.#connection;
    if (connection?.open !== true || this.#target.wire !== 'http') return undefined;
    if (this.#options.era === 'modern') return undefined;
    try {
      const timeoutMs = this.#connectTimeoutMs;
      const facts = await initialize(connection, this.#identity, { timeoutMs });
      return await this.#adopt({ connection, facts });
    } catch (error) {
      this.#logger.debug(`${this.#target.label}: cannot go on as before`, {
        error: describeError(error),
      });
      return undefined;
    }
  }

  async #open(signal?: AbortSignal): Promise<Agreed> {
    const { era = 'auto', verdicts = processVerdicts } = this.#options;
    const { probeTimeoutMs = defaults.probeTimeoutMs } = this.#options;
    const timeoutMs = this.#connectTimeoutMs;
    const subject = `opening ${this.#target.label}`;
    const limit = createLimit({ subject, signal, ended: this.ended, timeoutMs });
    try {
      const agreed = await negotiate(this.#target, {
        era,
        verdicts,
        probeTimeoutMs,
        timeoutMs,
        identity: this.#identity,
        signal: limit.signal,
        connect: (channel) => this.#connect(channel),
      });
      return await this.#adopt(agreed);
    } catch (error) {
      throw limit.signal.aborted ? limit.signal.reason : error;
    } finally {
      limit.lift();
    }
  }

  get #connectTimeoutMs(): number {
    return this.#options.connectTimeoutMs ?? defaults.connectTimeoutMs;
  }

  async #adopt(agreed: Agreed): Promise<Agreed> {
    const { connection } = agreed;
    if (this.#ended) {
      await connection.close();
      throw this.#isClosed();
    }
    this.#agreed = agreed;
    this.#connection = connection;
    this.handshakes += 1;
    this.#events.opened(agreed);
    // It may have gone between its last word and now.
    if (!connection.open) this.#lose(connection, undefined);
    return agreed;
  }

  #isClosed(): KitError {
    return new KitError('closed', `the session with ${this.#target.label} is closed`);
  }

  #connect(channel: Channel): Connection {
    const { timeoutMs, maxTotalMs, ids } = this.#options;
    return new Connection(channel, (connection) => this.#handlersFor(connection), {
      maxInFlight: maxServing,
      vocabulary,
      onBug: (error, method) => this.reportBug(error, method),
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...(maxTotalMs !== undefined && { maxTotalMs }),
      ...(ids !== undefined && { ids }),
    });
  }

  #handlersFor(connection: Connection): Handlers {
    const { timeoutMs = defaults.timeoutMs } = this.#options;
    return {
      request: (exchange) =>
        answerRequest(exchange, this.offer, {
          everyMs: timeoutMs / 2,
          // Nothing it owes us is late while it waits for us.
          beat: () => connection.touch(),
        }),
      notification: (notification) => {
        if (!steer(connection, notification)) this.#events.notification(notification);
      },
      acceptsBatch: () => true,
      malformed: (reason, sample) => this.#complain(connection, reason, sample),
      closed: (cause) => this.#lose(connection, cause),
    };
  }

  #complain(connection: Connection, reason: string, sample: string | undefined): void {
    this.malformed += 1;
    if (this.samples.length < maxSamples) this.samples.push(sample ?? reason);
    if (this.#options.strict !== true) return;
    const error = new KitError('invalid_answer', `the server sent a malformed message: ${reason}`);
    this.#end(error);
    connection.closed(error);
  }

  #lose(connection: Connection, cause: Error | undefined): void {
    // What it held is let go of, also when the other side went first.
    void connection.close();
    if (this.#agreed?.connection !== connection) return;
    this.#agreed = undefined;
    if (this.#ended) return;
    if (!this.#heals) this.#end(cause ?? new KitError('closed', 'the server hung up'));
    this.#events.lost(cause);
  }

  get #ended(): boolean {
    return this.#ending.signal.aborted;
  }

  #end(cause: Error | undefined): void {
    if (this.#ended) return;
    this.#ending.abort(cause ?? this.#isClosed());
    this.#closed.resolve(cause);
  }
}

/** What went wrong on this side of the wire; a server that took another's place refuses what was agreed with that one. */
function failureOf(error: unknown): KitError | undefined {
  if (error instanceof KitError) return error;
  if (!(error instanceof RpcError) || error.code !== mcpErrors.unsupportedVersion) return undefined;
  const details = { ran: false };
  return new KitError('session_lost', error.message, { cause: error, details });
}
