import { KitError, startTimer, unref } from 'mcp-kit/internal';
import { createStormBreaker, type Session } from 'mcp-kit/client';
import type { ServerEntry } from '../config/entry.ts';
import type { Assessment } from '../trust/assess.ts';
import { isStorm, afterFailure, restOf, stormOf } from './failure.ts';
import { createRetrySchedule } from './retry-schedule.ts';
import type { Open, Opened } from './opened.ts';
import { moves, type ServerState, type ServerStatus } from './state.ts';
import { waitWithin, type WaitLimits } from './wait.ts';

export interface SupervisorOptions {
  readonly name: string;
  readonly entry?: ServerEntry | undefined;
  /** A server that others use as well, and that may come back by itself. */
  readonly isRemote: boolean;
  /** Tries again by itself. */
  readonly reconnects: boolean;
  readonly open: Open;
  /** What has the same name and must have ended before this one starts. */
  readonly after?: Promise<unknown> | undefined;
  onChange(status: ServerStatus): void;
}

/** A server that was well for so long has recovered. */
const recoveredMs = 30_000;

/** Keeps one server open for as long as it is wanted; never two of its processes at once. */
export class Supervisor {
  readonly name: string;
  readonly entry: ServerEntry | undefined;
  readonly #options: SupervisorOptions;
  readonly #schedule;
  #breaker = createStormBreaker();
  #state: ServerState;
  #since = Date.now();
  #readyAt = 0;
  #error: Error | undefined;
  /** What went wrong last, whatever came after. */
  #lastFailure: Error | undefined;
  #retryAt: number | undefined;
  #starts = 0;
  #trust: Assessment['verdict'] | undefined;
  /** Opens a channel that the caller brought, while there is one; it cannot be opened twice. */
  #given: Open | undefined;
  /** The session, be it open or lost; with the opening whose hooks are heard. */
  #opened: Opened | undefined;
  #opening: object | undefined;
  #starting: Promise<Opened> | undefined;
  #epoch = new AbortController();
  /** What was let go of, until it has ended. */
  #ending: Promise<unknown>;
  #isOver = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.name = options.name;
    this.entry = options.entry;
    this.#state = options.entry?.enabled === false ? 'disabled' : 'idle';
    this.#schedule = createRetrySchedule(options.isRemote ? 'remote' : 'local');
    this.#ending = options.after ?? Promise.resolve();
  }

  get status(): ServerStatus {
    return {
      name: this.name,
      state: this.#state,
      since: this.#since,
      error: this.#error,
      retryAt: this.#retryAt,
      starts: this.#starts,
      pid: this.session?.pid,
      version: this.session?.version,
      entry: this.entry,
      trust: this.#trust,
    };
  }

  /** The session if it is open now. */
  get session(): Session | undefined {
    const session = this.#opened?.session;
    return session?.isConnected === true ? session : undefined;
  }

  /** Whether somebody asked for it and nobody has let it go since. */
  get isWanted(): boolean {
    return this.#state !== 'idle' && this.#state !== 'disabled';
  }

  /** What was found when it was last looked at; undefined when that no longer holds. */
  set trust(verdict: Assessment['verdict'] | undefined) {
    this.#trust = verdict;
  }

  /** The session, opened if it is not. Whoever gives up waiting leaves the opening to the others. */
  async connect(limits: WaitLimits = {}): Promise<Opened> {
    const { name } = this;
    if (this.#isOver) throw new KitError('closed', `mcp server ${name} is no longer managed`);
    if (this.#state === 'disabled') {
      throw new KitError('invalid_argument', `mcp server ${name} is switched off`, {
        hint: `Switch it on in ${this.entry?.provenance.file ?? 'its configuration'}.`,
      });
    }
    if (this.#opened?.session.isConnected === true) return this.#opened;
    this.#starting ??= this.#startOnce();
    return waitWithin(this.#starting, `connecting to ${name}`, limits);
  }

  /** Forgets past failures: it may be tried at once, and as often as at first. */
  forgive(): void {
    this.#breaker.reset();
    this.#schedule.reset();
  }

  /** Uses a channel that the caller brought, once. */
  async connectGiven(open: Open): Promise<Opened> {
    void this.stop();
    this.#given = open;
    return this.connect();
  }

  /** Hands the session over: from now on it is the caller's. */
  take(): Session | undefined {
    const { session } = this;
    if (session === undefined || this.#state !== 'ready') return undefined;
    this.#detach();
    this.#given = undefined;
    // It goes on with the one it has.
    this.#breaker = createStormBreaker();
    this.#move('idle');
    return session;
  }

  /** Ends the session and whatever is under way; it may be opened again. */
  async stop(): Promise<void> {
    const starting = this.#starting;
    // What ends because somebody wants it to has not failed.
    if (this.#state === 'ready') this.forgive();
    this.#epoch.abort(new KitError('closed', `mcp server ${this.name} was disconnected`));
    this.#epoch = new AbortController();
    const ended = this.#opened?.session.close();
    this.#detach();
    this.#given = undefined;
    this.#starting = undefined;
    if (this.#state !== 'disabled') this.#move('idle');
    this.#ending = Promise.allSettled([this.#ending, ended, starting]);
    await this.#ending;
  }

  /** Ends it for good. */
  end(): Promise<void> {
    this.#isOver = true;
    return this.stop();
  }

  #startOnce(): Promise<Opened> {
    const starting = this.#start().finally(() => {
      if (this.#starting === starting) this.#starting = undefined;
    });
    return starting;
  }

  async #start(): Promise<Opened> {
    this.#clearTimer();
    this.#move('starting');
    const { signal } = this.#epoch;
    try {
      await this.#ending;
      signal.throwIfAborted();
      const opened = await this.#openOrReopen(signal);
      if (signal.aborted) {
        await opened.session.close();
        throw signal.reason;
      }
      this.#opened = opened;
      if (!opened.session.isConnected) {
        throw (
          this.#lastFailure ?? new KitError('closed', `mcp server ${this.name} hung up at once`)
        );
      }
      this.#ready();
      return opened;
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      this.#fail(error instanceof Error ? error : new Error(String(error)));
      throw error;
    }
  }

  async #openOrReopen(signal: AbortSignal): Promise<Opened> {
    const lost = this.#opened;
    if (lost?.session.isOpen === true) {
      // It asks the same breaker.
      if (this.#breaker.isSpent) throw this.#storm();
      await lost.session.reopen({ signal });
      return lost;
    }
    if (!this.#breaker.admit()) throw this.#storm();
    const opening = {};
    this.#opening = opening;
    const isHeard = (): boolean => this.#opening === opening;
    const open = this.#given ?? this.#options.open;
    const opened = await open({
      breaker: this.#breaker,
      signal,
      onLost: (cause) => {
        if (isHeard()) this.#lose(cause);
      },
      onOpened: () => {
        if (isHeard()) this.#reopened();
      },
    });
    void opened.session.closed.then((cause) => {
      if (isHeard()) this.#sessionEnded(cause);
    });
    return opened;
  }

  #ready(): void {
    this.#clearTimer();
    this.#starts += 1;
    this.#readyAt = performance.now();
    this.#move('ready');
  }

  /** A call on the session has opened it anew. */
  #reopened(): void {
    if (this.#state !== 'starting' && this.#opened !== undefined) this.#ready();
  }

  /** The session was lost. Whoever opens it at this moment will notice. */
  #lose(cause: Error | undefined): void {
    const error = cause ?? new KitError('closed', `mcp server ${this.name} hung up`);
    this.#lastFailure = error;
    if (this.#state !== 'ready') return;
    if (performance.now() - this.#readyAt >= recoveredMs) this.#schedule.reset();
    if (this.#given === undefined) this.#retryLater(error);
    else this.#giveUp(error);
  }

  /** The session has ended for good: its holder has closed it, or it must not go on. */
  #sessionEnded(cause: Error | undefined): void {
    if (cause === undefined) {
      void this.stop();
      return;
    }
    this.#opening = undefined;
    this.#opened = undefined;
    this.#lose(cause);
  }

  #fail(error: Error): void {
    if (!isStorm(error)) this.#lastFailure = error;
    if (this.#given !== undefined) {
      this.#giveUp(error);
      return;
    }
    switch (afterFailure(error)) {
      case 'refuse':
        // Nothing was started, however often it was asked for.
        this.#breaker.reset();
        this.#move('refused', error);
        break;
      case 'stop':
        this.#move('stopped', error);
        break;
      case 'retry':
        this.#retryLater(error);
    }
  }

  /** Goes back to try again later, if that is wanted. */
  #retryLater(error: Error): void {
    const { isRemote, reconnects } = this.#options;
    const isSpent = !isRemote && this.#breaker.isSpent;
    const delayMs = isSpent || !reconnects ? undefined : this.#schedule.next();
    if (delayMs === undefined) {
      const isNews = isSpent && reconnects && !isStorm(error);
      this.#move('stopped', isNews ? this.#storm() : error);
      return;
    }
    const waitMs = restOf(error) + delayMs;
    this.#retryAt = Date.now() + waitMs;
    this.#timer = unref(startTimer(() => void this.connect().catch(() => {}), waitMs));
    this.#move('waiting', error);
  }

  /** What was given cannot be had again. */
  #giveUp(error: Error): void {
    this.#given = undefined;
    this.#detach();
    this.#move('stopped', error);
  }

  #storm(): KitError {
    return stormOf(this.name, this.#breaker, this.#lastFailure);
  }

  /** Stops listening to the session, which may live on. */
  #detach(): void {
    this.#clearTimer();
    this.#opening = undefined;
    this.#opened = undefined;
  }

  #clearTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#retryAt = undefined;
  }

  #move(to: ServerState, error?: Error): void {
    if (to === this.#state && error === this.#error) return;
    if (to !== this.#state && !moves[this.#state].includes(to)) {
      throw new Error(`${this.name}: ${this.#state} cannot become ${to}`);
    }
    this.#state = to;
    this.#since = Date.now();
    this.#error = error;
    const { status } = this;
    // Whoever is told may ask for anything: not in the middle of a step.
    queueMicrotask(() => this.#options.onChange(status));
  }
}
