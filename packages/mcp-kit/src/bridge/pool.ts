import { KitError, unref } from '#base';
import type { Session } from '#client';
import { clientText, mayAskInput, type ClientView, type Era } from '#protocol';
import { PooledSession } from './pooled-session.ts';
import type { Shared, Upstream } from './upstream.ts';

/** What a request of the stateless era is, as far as the choice of a session depends on it. */
export interface PoolRequest {
  readonly envelope: ClientView;
  /** Whose it is, and at whose expense. */
  readonly caller: string | undefined;
  readonly account: string | undefined;
  readonly method: string;
}

/** The use of a session by a request, from when it has found it until it has ended. */
export interface Lease {
  readonly pooled: PooledSession;
  /** Nobody else has one of it. */
  readonly isAlone: boolean;
  release(): void;
}

const defaultIdleMs = 30_000;
/** How long a caller who is told apart keeps its last conversation: the server may remember something for it. */
const ownIdleMs = 10 * 60_000;

/**
 * The conversations with the server that requests of the stateless era go by. Those of one caller share one, except where
 * something may come back that does not name its request: questions of a server of the older era, and log messages. Such a
 * request has a conversation to itself while it runs. Callers share none, unless every request stands by itself: over HTTP
 * without sessions there is nothing of which one could learn what another did.
 */
export class Pool {
  readonly #shared: Shared;
  /** All requests come from the same client. */
  readonly #isOneClient: boolean;
  readonly #sessions = new Set<PooledSession>();
  /** The session that most requests of a caller take. */
  readonly #usual = new Map<string | undefined, PooledSession>();
  #era: Era | undefined;
  #first: Promise<unknown> | undefined;
  #closed = false;

  constructor(shared: Shared, isOneClient: boolean) {
    this.#shared = shared;
    this.#isOneClient = isOneClient;
  }

  get era(): Era | undefined {
    return this.#era;
  }

  /** The session that most requests of this caller take, if it is open. */
  quick(request: PoolRequest): PooledSession | undefined {
    const { envelope } = request;
    if (this.#era !== 'modern' || (envelope.logLevel !== undefined && !this.#isOneClient)) {
      return undefined;
    }
    const pooled = this.#usual.get(this.#ownerOf(request));
    return pooled?.isTaken === false && pooled.upstream.session?.era === 'modern'
      ? pooled
      : undefined;
  }

  /** The session that most requests go by, if it is open. */
  get session(): Session | undefined {
    for (const { isTaken, upstream } of this.#sessions) {
      if (!isTaken && upstream.session !== undefined) return upstream.session;
    }
    return undefined;
  }

  /** A lease of a session that is open. */
  async find(request: PoolRequest, isAgain = false): Promise<Lease> {
    if (this.#closed) throw new KitError('closed', 'the bridge is closed');
    // Only one finds out which era the server speaks.
    while (this.#era === undefined && this.#first !== undefined) await this.#first;
    const isAlone = this.#needsOwn(request);
    const key = this.#keyOf(request);
    const pooled = this.#choose(key, isAlone) ?? this.#add(key, request);
    const lease = this.#take(pooled, request, isAlone);
    const era = await this.#open(lease, request);
    if (pooled.era === era && this.#era === era) return this.#fitting(lease, request);
    // Another server has taken the place of the one that was known.
    this.#era = undefined;
    await this.#drop(pooled);
    if (isAgain) throw new KitError('closed', 'the server has changed; try again');
    return this.find(request, true);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#sessions].map((pooled) => this.#drop(pooled)));
  }

  /** From this moment on, so that nobody else takes it before its request has begun. */
  #take(pooled: PooledSession, request: PoolRequest, isAlone: boolean): Lease {
    pooled.leases += 1;
    if (isAlone) pooled.isTaken = true;
    pooled.upstream.account = this.#accountOf(pooled, request);
    let isLeft = false;
    return {
      pooled,
      isAlone,
      release: () => {
        if (isLeft) return;
        isLeft = true;
        pooled.leases -= 1;
        if (pooled.leases === 0) pooled.isTaken = false;
        this.#rest(pooled);
      },
    };
  }

  /** One that nobody has used for a while ends, unless it is the only one of all whom nobody tells apart. */
  #rest(pooled: PooledSession): void {
    if (!pooled.isFree || this.#closed) return;
    clearTimeout(pooled.idleTimer);
    const isLast = this.#isLast(pooled);
    if (isLast && pooled.owner === undefined) return;
    const { idleMs = defaultIdleMs } = this.#shared.options;
    const forMs = isLast ? Math.max(idleMs, ownIdleMs) : idleMs;
    const look = (): void => {
      const { isBusy, lastUsedMs } = pooled.upstream;
      const leftMs = lastUsedMs + forMs - performance.now();
      if (pooled.isFree && !isBusy && leftMs <= 0) void this.#drop(pooled);
      else pooled.idleTimer = unref(setTimeout(look, Math.max(leftMs, idleMs)));
    };
    pooled.idleTimer = unref(setTimeout(look, forMs));
  }

  #isLast(pooled: PooledSession): boolean {
    for (const other of this.#sessions)
      if (other !== pooled && other.owner === pooled.owner) return false;
    return true;
  }

  async #open({ pooled, release }: Lease, request: PoolRequest): Promise<Era> {
    const isFirst = this.#era === undefined;
    const opening = pooled.upstream.open();
    const opened = (): void => {};
    if (isFirst) this.#first = opening.then(opened, opened);
    try {
      const { era } = await opening;
      pooled.era ??= era;
      this.#era ??= era;
      // Before those go on who have waited for it: they look for it by this.
      pooled.key = this.#keyOf(request);
      pooled.upstream.account = this.#accountOf(pooled, request);
      return era;
    } catch (error) {
      release();
      if (pooled.upstream.session === undefined) this.#sessions.delete(pooled);
      throw error;
    } finally {
      if (isFirst) this.#first = undefined;
    }
  }

  /** Before the first answer nothing was known of the server, so the session may not be the right one for it. */
  #fitting(lease: Lease, request: PoolRequest): Lease | Promise<Lease> {
    if (lease.isAlone === this.#needsOwn(request)) {
      if (!lease.isAlone) this.#usual.set(lease.pooled.owner, lease.pooled);
      return lease;
    }
    lease.release();
    return this.find(request);
  }

  #needsOwn({ envelope, method }: PoolRequest): boolean {
    if (this.#isOneClient || this.#era === undefined) return false;
    if (envelope.logLevel !== undefined) return true;
    if (this.#era === 'modern' || !mayAskInput.has(method)) return false;
    const { elicitation, sampling, roots } = envelope.capabilities;
    return (elicitation ?? sampling ?? roots) !== undefined;
  }

  #choose(key: string, isAlone: boolean): PooledSession | undefined {
    for (const pooled of this.#sessions) {
      if (!pooled.isTaken && pooled.key === key && (!isAlone || pooled.isFree)) return pooled;
    }
    return undefined;
  }

  #add(key: string, request: PoolRequest): PooledSession {
    const pooled = new PooledSession(key, request.envelope, {
      shared: this.#shared,
      isOneClient: this.#isOneClient,
      owner: this.#ownerOf(request),
    });
    // One that was put to sleep is not worth more than a new one.
    pooled.upstream.onAsleep = () => {
      if (pooled.isFree) void this.#drop(pooled);
    };
    this.#sessions.add(pooled);
    return pooled;
  }

  async #drop(pooled: PooledSession): Promise<void> {
    clearTimeout(pooled.idleTimer);
    this.#sessions.delete(pooled);
    if (this.#usual.get(pooled.owner) === pooled) this.#usual.delete(pooled.owner);
    await pooled.upstream.close();
  }

  /** Who has a conversation of its own, where a conversation is more than its requests. */
  #ownerOf({ caller }: PoolRequest): string | undefined {
    return this.#shared.target.wire === 'http' ? undefined : caller;
  }

  /** At whose expense it is; nobody's where all callers share it. */
  #accountOf({ isTaken }: PooledSession, { account }: PoolRequest): string | undefined {
    const isShared = this.#era === 'modern' && this.#shared.target.wire === 'http';
    return isShared && !isTaken ? undefined : account;
  }

  /** A server of the stateless era learns from every request what its client is; one of the older era only once. */
  #keyOf(request: PoolRequest): string {
    if (this.#era === 'modern') return JSON.stringify([this.#ownerOf(request)]);
    const { envelope, caller } = request;
    return clientText([caller, envelope.info, envelope.capabilities]);
  }
}

/** All conversations of a bridge that are open: no more than so many at a time. */
export class OpenUpstreams {
  readonly #limit: number;
  readonly #open = new Set<Upstream>();
  /** How many are at work, in all and by whom. */
  #working = 0;
  readonly #workingFor = new Map<string, number>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#open.size;
  }

  /**
   * Makes room for one more: whichever nobody has used for longest is put to sleep. While all are busy, one that only waits
   * for its caller gives way, if that caller has more of them than the one who asks.
   */
  async admit(upstream: Upstream): Promise<void> {
    this.#open.add(upstream);
    if (this.#open.size <= this.#limit) return;
    const byUse = [...this.#open].sort((one, other) => one.lastUsedMs - other.lastUsedMs);
    const idlest =
      byUse.find((other) => other !== upstream && !other.isBusy) ??
      this.#richerThan(upstream, byUse).find((other) => other.giveWay());
    if (idlest === undefined) {
      this.#open.delete(upstream);
      throw new KitError('overloaded', `more than ${this.#limit} conversations with the server`, {
        hint: 'Try again later, or raise maxUpstreams.',
      });
    }
    this.#open.delete(idlest);
    await idlest.sleep();
  }

  /** One begins to work. Nobody who is told apart may have more at work than are left: so there are some for others. */
  begin(account: string | undefined): void {
    if (account !== undefined) {
      const own = this.#workingFor.get(account) ?? 0;
      if (own > 0 && own >= this.#limit - this.#working) {
        throw new KitError(
          'overloaded',
          `${own} conversations with the server are at work for you`,
          {
            hint: 'The others are for other callers. Try again when a call has ended, or raise maxUpstreams.',
          },
        );
      }
      this.#workingFor.set(account, own + 1);
    }
    this.#working += 1;
  }

  /** It has done its work. */
  end(account: string | undefined): void {
    this.#working -= 1;
    if (account === undefined) return;
    const left = (this.#workingFor.get(account) ?? 0) - 1;
    if (left > 0) this.#workingFor.set(account, left);
    else this.#workingFor.delete(account);
  }

  remove(upstream: Upstream): void {
    this.#open.delete(upstream);
  }

  /** Those of accounts that have more than the one who asks, of those that have most first. */
  #richerThan({ account }: Upstream, all: readonly Upstream[]): readonly Upstream[] {
    const counts = new Map<string | undefined, number>();
    for (const other of all) counts.set(other.account, (counts.get(other.account) ?? 0) + 1);
    const held = (other: Upstream): number => counts.get(other.account) ?? 0;
    const share = counts.get(account) ?? 0;
    return all.filter((other) => held(other) > share).sort((one, other) => held(other) - held(one));
  }
}
