import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { describeError, ShortLivedMap, type MaybePromise } from '#base';
import { openSession, type InputContext, type Session } from '#client';
import { RpcError, rpcErrors, type Exchange, type Notification, type Params } from '#jsonrpc';
import {
  isLoggingLevel,
  methodNotFound,
  reaches,
  type ClientCapabilities,
  type ClientView,
  type LoggingLevel,
} from '#protocol';
import type { Shared } from './bridge.ts';
import { Listeners } from './listeners.ts';
import { toVisit, unanswered, type ParkedCall } from './parked.ts';
import type { Sharing } from './pool.ts';
import { notify } from './relay.ts';
import { mayBeAsked, sessionOptions, Upstream } from './upstream.ts';

/** A request that uses the session. */
export interface Borrower {
  readonly exchange: Exchange | undefined;
  readonly logLevel: LoggingLevel | undefined;
  readonly call?: ParkedCall | undefined;
}

/** What the server says by another connection than the one of its answer comes about when that does, if not before. */
const quietMs = 30;
/** However much there is to hear. */
const longestQuietMs = 500;

/** One session with the server that requests of modern clients share, or that one of them has to itself. */
export class PooledSession {
  readonly upstream: Upstream;
  /** Who may use it: any modern client, or those that are alike. */
  key: string;
  /** Whose it is, where callers are told apart and have conversations of their own. */
  readonly owner: string | undefined;
  readonly listeners: Listeners;
  readonly #shared: Shared;
  readonly #capabilities: ClientCapabilities;
  readonly #borrowers = new ShortLivedMap<number, Borrower>();
  #borrowed = 0;
  #heard = 0;
  /** Whether what is said without a name may be for any borrower: all are the same client, or there is only one. */
  readonly #isPrivate: () => boolean;
  /** Known once it was opened. */
  sharing: Sharing | undefined;
  /** Requests that have found it and not ended. */
  leases = 0;
  /** One of them has it to itself. */
  isTaken = false;
  /** From which level on the server was told to say something, and in which session. */
  #level: { readonly session: Session; readonly level: LoggingLevel } | undefined;
  idleTimer: NodeJS.Timeout | undefined;

  constructor(
    key: string,
    envelope: ClientView,
    how: {
      readonly shared: Shared;
      readonly isOneClient: boolean;
      readonly owner: string | undefined;
    },
  ) {
    const { shared } = how;
    this.key = key;
    this.owner = how.owner;
    this.#shared = shared;
    this.#capabilities = envelope.capabilities;
    this.#isPrivate = () => how.isOneClient || this.isTaken;
    this.listeners = new Listeners(shared.tell);
    const { capabilities, info: clientInfo } = envelope;
    this.upstream = new Upstream(
      (options) =>
        openSession(shared.target, {
          ...sessionOptions(shared.options),
          ...options,
          clientInfo,
          capabilities,
          // What clients want to be told they ask for. Over HTTP whoever keeps lists hears of changes without a conversation.
          watchLists: shared.options.onConversation !== undefined && shared.target.wire !== 'http',
          onRequest: (request, context) => this.#answer(request, context),
          onNotification: (notification) => this.#hear(notification),
        }),
      shared,
    );
    this.upstream.onRestored = () => this.listeners.missed();
    this.upstream.evict = () => this.#evict();
    this.upstream.isUnattended = () =>
      this.listeners.size === 0 &&
      [...this.#borrowers.values()].every(({ exchange }) => exchange === undefined);
  }

  get isFree(): boolean {
    return this.leases === 0 && this.#borrowers.size === 0 && this.listeners.size === 0;
  }

  /** Takes a request in; it leaves when the function that is given back is called. */
  borrow(borrower: Borrower): () => void {
    const place = (this.#borrowed += 1);
    this.#borrowers.set(place, borrower);
    return () => void this.#borrowers.take(place);
  }

  /** Has a legacy server say as much as any borrower wants to hear; whether it says anything. */
  async raiseLevel(session: Session): Promise<boolean> {
    if (session.capabilities.logging === undefined) return false;
    let wanted: LoggingLevel | undefined;
    for (const { logLevel } of this.#borrowers.values()) {
      if (logLevel !== undefined && (wanted === undefined || reaches(wanted, logLevel))) {
        wanted = logLevel;
      }
    }
    const known = this.#level?.session === session ? this.#level.level : undefined;
    if (wanted === undefined || wanted === known) return wanted !== undefined;
    this.#level = { session, level: wanted };
    try {
      await session.setLogLevel(wanted);
    } catch (error) {
      // Nobody's call fails because it is not talked about.
      this.#level = undefined;
      this.#shared.logger.warn('the log level was not set', { error: describeError(error) });
    }
    return true;
  }

  /** Settles when nothing more is to be expected of what the server said before its last answer. */
  async untilQuiet(): Promise<void> {
    // On a stream everything comes in order.
    if (this.#shared.target.wire === 'stream') return;
    const endMs = performance.now() + longestQuietMs;
    let heard: number;
    do {
      heard = this.#heard;
      await sleep(quietMs);
      // What has come meanwhile is read first, however late it is.
      await turn();
    } while (this.#heard > heard && performance.now() < endMs);
  }

  /** Ends calls and subscriptions that only wait; nothing happens where somebody waits for them, or may from now on. */
  #evict(): boolean {
    const isShared = this.sharing?.standsAlone === true && this.#shared.target.wire === 'http';
    const borrowers = [...this.#borrowers.values()];
    const isAwaited = borrowers.some(({ exchange }) => exchange !== undefined);
    const isSoughtOut = this.leases > borrowers.length + this.listeners.size;
    if (isShared || isAwaited || isSoughtOut || this.upstream.session === undefined) return false;
    for (const { call } of borrowers) call?.forget('another caller needs its place');
    return true;
  }

  /** Answers a question of a legacy server by asking the client whose call it can belong to. */
  async #answer(
    { method, params = {} }: { readonly method: string; readonly params?: Params | undefined },
    { signal }: InputContext,
  ): Promise<unknown> {
    if (!mayBeAsked(this.#capabilities, method, params)) throw methodNotFound(method);
    const asked = params['mode'] === 'url' ? toVisit(params) : params;
    for (;;) {
      const call = this.#isPrivate() ? this.#callToAsk() : undefined;
      if (call === undefined) {
        const why = 'the client speaks a revision in which it can be asked only during a call';
        throw new RpcError(rpcErrors.invalidRequest, `${method}: ${why}`);
      }
      const answer = await call.ask(method, asked, signal);
      if (answer !== unanswered) return answer;
    }
  }

  /** The newest call whose client waits; else the newest whose client will come back. */
  #callToAsk(): ParkedCall | undefined {
    const calls = [...this.#borrowers.values()].flatMap(({ call }) =>
      call === undefined ? [] : [call],
    );
    return calls.findLast(({ exchange }) => exchange !== undefined) ?? calls.at(-1);
  }

  #hear(notification: Notification): MaybePromise<void> {
    const { method, params } = notification;
    this.#heard += 1;
    if (method.endsWith('/list_changed')) this.upstream.listChanged(method);
    if (this.listeners.hear(method, params) || !this.#isPrivate()) return;
    if (isListed(method)) return;
    const borrower = [...this.#borrowers.values()].findLast(
      ({ exchange, logLevel }) =>
        exchange !== undefined &&
        (method !== 'notifications/message' || isWanted(params, logLevel)),
    );
    if (borrower?.exchange === undefined) return;
    return notify(borrower.exchange, notification, this.#shared.tell);
  }
}

/** What only subscriptions carry. */
function isListed(method: string): boolean {
  return method.endsWith('/list_changed') || method === 'notifications/resources/updated';
}

/** A modern client hears the log messages it has asked for, and no others. */
function isWanted(params: Params | undefined, wanted: LoggingLevel | undefined): boolean {
  const level = params?.['level'];
  return wanted !== undefined && (!isLoggingLevel(level) || reaches(level, wanted));
}
