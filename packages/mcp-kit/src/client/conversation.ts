import { setMaxListeners } from 'node:events';
import {
  asUnasked,
  createDeferred,
  describeError,
  KitError,
  requireTime,
  type KitErrorCode,
  type Logger,
} from '#base';
import { RpcError, type Connection, type Notification } from '#jsonrpc';
import { mcpErrors, repeatable, type Target } from '#protocol';
import type { Identity } from './facts.ts';
import { Inbound } from './inbound.ts';
import {
  createLimit,
  createStormBreaker,
  waitWithin,
  within,
  type Limit,
  type LimitOptions,
  type StormBreaker,
} from './limit.ts';
import { erasOf, initialize, negotiate, type Agreed } from './negotiate.ts';
import { defaults, type CallOptions, type SessionOptions } from './options.ts';
import { mayBeLegacy, probe, processEraCache } from './probe.ts';

export interface ConversationEvents {
  notification(notification: Notification): void;
  /** A new conversation has begun, before anything else is sent in it. */
  opened(agreed: Agreed): void;
  lost(cause: Error | undefined): void;
}

/** One try at a call; the options of a second one have what is left of the time. */
export type Attempt<T> = (agreed: Agreed, options: CallOptions) => Promise<T>;

/** The connections with one server, one after the other: opens them, notices when one is lost, opens the next. */
export class Conversation {
  readonly #target: Target;
  /** What errors call the server. */
  readonly #label: string;
  readonly #identity: Identity;
  readonly #options: SessionOptions;
  readonly #events: ConversationEvents;
  readonly #logger: Logger;
  readonly #closed = createDeferred<Error | undefined>();
  /** Why it has ended for good. */
  #ended: Error | undefined;
  /** The same, unless its owner has closed it. */
  #cause: Error | undefined;
  #ending: AbortController | undefined;
  #breaker: StormBreaker | undefined;
  readonly inbound: Inbound;
  /** How long a call may take in all, unless it says otherwise. */
  readonly maxTotalMs: number;
  handshakes = 0;
  #agreed: Agreed | undefined;
  /** As last agreed on; the connection may still be good although the session on it is not. */
  #last: Agreed | undefined;
  #opening: Limit | undefined;
  #reopening: Promise<Agreed> | undefined;
  #checking: Promise<boolean> | undefined;

  constructor(
    target: Target,
    settings: { identity: Identity; options: SessionOptions; logger: Logger },
    events: ConversationEvents,
  ) {
    const { identity, options } = settings;
    this.#target = target;
    this.#label = options.label ?? target.label;
    this.#identity = identity;
    this.#options = options;
    this.maxTotalMs = options.maxTotalMs ?? defaults.maxTotalMs;
    this.inbound = new Inbound(
      { ...settings, label: this.#label },
      {
        notification: events.notification,
        closed: (connection, cause) => this.#lose(connection, cause),
        spoiled: (connection, error) => {
          this.#end(error);
          connection.closed(error);
        },
      },
    );
    this.#logger = settings.logger;
    this.#events = events;
  }

  get isOpen(): boolean {
    return this.#ended === undefined;
  }

  /** Whether there is a conversation now. */
  get isConnected(): boolean {
    return this.#ended === undefined && this.#agreed !== undefined;
  }

  /** The process of the server, while there is a conversation with one that was started here. */
  get pid(): number | undefined {
    return this.#agreed?.connection.pid;
  }

  /** Settles when the session has ended for good, with the cause if it was not `close`. */
  get closed(): Promise<Error | undefined> {
    return this.#closed.promise;
  }

  /** Fires when the session has ended for good; the reason is a `KitError`. */
  get ended(): AbortSignal {
    if (this.#ending === undefined) {
      this.#ending = new AbortController();
      // Every question that waits for a person listens.
      setMaxListeners(0, this.#ending.signal);
      if (this.#ended !== undefined) this.#ending.abort(this.#ended);
    }
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

  /** Opens now what was lost. Whoever gives up waiting leaves the opening to others. */
  async reopen(signal: AbortSignal | undefined): Promise<void> {
    if (this.isConnected) return;
    await waitWithin({ subject: `opening ${this.#target.label}`, signal }, () => this.#reopen());
  }

  /** Runs an attempt on the current connection; on a new one if it was lost, and again if that is safe. */
  async run<T>(method: string, options: CallOptions, attempt: Attempt<T>): Promise<T> {
    const { signal, timeoutMs, maxTotalMs = this.maxTotalMs } = options;
    if (!(maxTotalMs > 0)) requireTime('maxTotalMs', maxTotalMs);
    if (timeoutMs !== undefined && !(timeoutMs > 0)) requireTime('timeoutMs', timeoutMs);
    // An agent that cancels many calls with one signal is no leak, although Node warns of one.
    if (signal instanceof AbortSignal) setMaxListeners(0, signal);
    const deadline = performance.now() + maxTotalMs;
    let repeatedFor: readonly KitErrorCode[] = [];
    for (;;) {
      const present = this.#agreed;
      const leftMs = deadline - performance.now();
      const agreed =
        present ??
        (await this.#waitForOpen(method, options, leftMs).catch((error: unknown) => {
          throw repeatedFor.length === 0 ? unasked(error) : error;
        }));
      const isFirst = present !== undefined && repeatedFor.length === 0;
      const left = isFirst ? options : { ...options, maxTotalMs: deadline - performance.now() };
      try {
        return await attempt(agreed, left);
      } catch (error) {
        const limit = {
          subject: this.#about(method),
          signal,
          leftMs: deadline - performance.now(),
        };
        const failure = await this.#failureOf(agreed, error, limit);
        if (failure === undefined) throw error;
        if (failure.code === 'session_lost') this.#forget(agreed, failure);
        if (repeatedFor.includes(failure.code) || !this.#mayRepeat(method, failure)) throw error;
        // Once for each reason: behind a connection that broke off may be a server that has forgotten the session.
        repeatedFor = repeatedFor.concat(failure.code);
      }
    }
  }

  async close(): Promise<void> {
    this.#end(undefined);
    await Promise.all([this.#last?.connection.close(), this.#reopening?.catch(() => {})]);
  }

  get #heals(): boolean {
    return this.#options.heal !== false;
  }

  /** What went wrong on this side, or because another server has taken the place of the one agreed with. */
  async #failureOf(
    agreed: Agreed,
    error: unknown,
    { leftMs, ...limit }: Omit<LimitOptions, 'timeoutMs'> & { readonly leftMs: number },
  ): Promise<KitError | undefined> {
    const isForeign = error instanceof RpcError && error.code === mcpErrors.unsupportedVersion;
    if (isForeign) return superseded(error);
    const { hasSessions } = agreed.facts.edge;
    if (!hasSessions && this.#target.wire === 'http' && mayBeLegacy(error)) {
      const isLegacy = await waitWithin({ ...limit, timeoutMs: leftMs }, () => this.#check(agreed));
      if (isLegacy) return superseded(error);
    }
    return error instanceof KitError ? error : undefined;
  }

  /** Whether a legacy server answers where a modern one did. */
  #check(agreed: Agreed): Promise<boolean> {
    if (this.#ended !== undefined || !this.#heals || !erasOf(this.#options).legacy) {
      return Promise.resolve(false);
    }
    // Somebody else has noticed already.
    if (this.#agreed !== agreed) return Promise.resolve(true);
    const { timeoutMs = defaults.timeoutMs } = this.#options;
    this.#checking ??= probe(agreed.connection, this.#identity, { timeoutMs, signal: this.ended })
      .then(({ kind }) => kind === 'declined')
      .finally(() => {
        this.#checking = undefined;
      });
    return this.#checking;
  }

  #mayRepeat(method: string, { code, details }: KitError): boolean {
    if (this.#ended !== undefined || !this.#heals) return false;
    if (code === 'session_lost' && details?.['ran'] === false) return true;
    const lost = code === 'session_lost' || code === 'answer_lost' || code === 'closed';
    return lost && repeatable.has(method) && this.#options.mayRepeat?.() !== false;
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
    const timeLeftMs = Math.min(timeoutMs, leftMs);
    const limit = { subject: this.#about(method), signal, timeoutMs: timeLeftMs };
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
    if (this.#ended !== undefined || !this.#heals) throw this.#isClosed(this.#cause);
    this.#breaker ??= this.#options.breaker ?? createStormBreaker();
    if (!this.#breaker.admit()) {
      const { times, withinMs } = this.#breaker;
      throw new KitError('closed', `${label} was lost ${times} times within ${withinMs / 1000} s`, {
        hint: 'Find out why it ends; calls are refused until it has been quiet for a while.',
      });
    }
    const same = await this.#openOnSame();
    if (same !== undefined) return same;
    // The next process of a server does not start before the last has ended.
    await this.#last?.connection.close();
    return this.#open();
  }

  /** Where only the session is gone, the connection serves the next one too. */
  async #openOnSame(): Promise<Agreed | undefined> {
    const { wire, dialsAnew = false } = this.#target;
    if (this.#last === undefined || wire !== 'http' || dialsAnew) return undefined;
    const { connection, facts: before } = this.#last;
    if (!connection.open || !before.edge.hasSessions) return undefined;
    try {
      const opening = initialize(connection, this.#identity);
      const facts = await within(opening, this.#connectTimeoutMs);
      return facts && (await this.#adopt({ connection, facts }));
    } catch (error) {
      this.#logger.debug(`${this.#target.label}: cannot go on as before`, {
        error: describeError(error),
      });
      return undefined;
    }
  }

  async #open(signal?: AbortSignal): Promise<Agreed> {
    if (this.#ended !== undefined) throw this.#ended;
    const { eraCache = processEraCache, probeTimeoutMs = defaults.probeTimeoutMs } = this.#options;
    const timeoutMs = this.#connectTimeoutMs;
    const subject = `opening ${this.#target.label}`;
    const limit = createLimit({ subject, signal, timeoutMs });
    this.#opening = limit;
    try {
      const agreed = await negotiate(this.#target, {
        eras: erasOf(this.#options),
        eraCache,
        probeTimeoutMs,
        timeoutMs,
        identity: this.#identity,
        limit,
        connect: (channel) => this.inbound.connect(channel),
      });
      return await this.#adopt(agreed);
    } finally {
      this.#opening = undefined;
      limit.lift();
    }
  }

  get #connectTimeoutMs(): number {
    return this.#options.connectTimeoutMs ?? defaults.connectTimeoutMs;
  }

  async #adopt(agreed: Agreed): Promise<Agreed> {
    const { connection } = agreed;
    if (this.#ended !== undefined) {
      await connection.close();
      throw this.#ended;
    }
    this.#agreed = agreed;
    this.#last = agreed;
    this.handshakes += 1;
    this.#events.opened(agreed);
    // It may have gone between its last word and now.
    if (!connection.open) this.#lose(connection, undefined);
    return agreed;
  }

  /** A request to the server, as errors name it. */
  #about(method: string): string {
    return `${method} to ${this.#label}`;
  }

  #isClosed(cause?: Error): KitError {
    const what = `the session with ${this.#label} is closed`;
    if (cause === undefined) return new KitError('closed', what);
    return new KitError('closed', `${what}: ${cause.message}`, {
      hint: this.#heals ? undefined : 'It does not heal: open another one.',
      cause,
    });
  }

  #lose(connection: Connection, cause: Error | undefined): void {
    // What it held is let go of, also when the other side went first.
    void connection.close();
    if (this.#agreed?.connection !== connection) return;
    this.#agreed = undefined;
    if (this.#ended !== undefined) return;
    if (!this.#heals) this.#end(cause ?? new KitError('closed', 'the server hung up'));
    this.#events.lost(cause);
  }

  #end(cause: Error | undefined): void {
    if (this.#ended !== undefined) return;
    const reason = cause ?? this.#isClosed();
    this.#ended = reason;
    this.#cause = cause;
    this.#ending?.abort(reason);
    this.#opening?.stop(reason);
    this.#closed.resolve(cause);
  }
}

/** What the caller of a conversation that has another server at its end is not to blame for: it did not run. */
function superseded(cause: Error): KitError {
  return new KitError('session_lost', cause.message, { cause, details: { ran: false } });
}

/** The same failure, of a call that was not made yet, where its code does not say so. */
function unasked(error: unknown): unknown {
  return error instanceof KitError && error.code !== 'unreachable' ? asUnasked(error) : error;
}
