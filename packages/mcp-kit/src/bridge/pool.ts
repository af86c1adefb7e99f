import { KitError, unref } from '#base';
import type { Session } from '#client';
import type { Params } from '#jsonrpc';
import { clientText, mayAskInput, type ClientView, type Era } from '#protocol';
import type { Shared } from './bridge.ts';
import { PooledSession } from './pooled-session.ts';
import { withoutEnvelope } from './translate.ts';

/** What a request of a modern client is, as far as the choice of a session depends on it. */
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
  readonly sharing: Sharing;
  release(): void;
}

/** One of a session that may have to be opened yet. */
type Claim = Omit<Lease, 'sharing'>;

/** What the era of the server means for who may use its sessions. */
export interface Sharing {
  /** Every request stands by itself: over HTTP there is nothing of which one could learn what another did. */
  readonly standsAlone: boolean;
  /** The server itself gives clients states to come back with. */
  readonly givesStates: boolean;
  /** Whether something may come back that does not name its request. */
  needsOwn(request: PoolRequest): boolean;
  /** The parameters of a notification as the server knows them. */
  told(params: Params | undefined): Params | undefined;
  /** Requests with the same key may share a session; `owner` has some of its own. */
  keyOf(request: PoolRequest, owner: string | undefined): string;
}

const sharings: Readonly<Record<Era, Sharing>> = {
  legacy: {
    standsAlone: false,
    givesStates: false,
    needsOwn({ envelope, method }) {
      const { elicitation, sampling, roots } = envelope.capabilities;
      const mayBeAsked = (elicitation ?? sampling ?? roots) !== undefined;
      return envelope.logLevel !== undefined || (mayBeAsked && mayAskInput.has(method));
    },
    told: withoutEnvelope,
    // The server learns only once what its client is.
    keyOf: ({ envelope, caller }) => clientText([caller, envelope.info, envelope.capabilities]),
  },
  modern: {
    standsAlone: true,
    givesStates: true,
    needsOwn: ({ envelope }) => envelope.logLevel !== undefined,
    told: (params) => params,
    keyOf: (_request, owner) => JSON.stringify([owner]),
  },
};

const defaultIdleMs = 30_000;
/** How long a caller who is told apart keeps its last conversation: the server may remember something for it. */
const ownIdleMs = 10 * 60_000;

/**
 * The sessions with the server that requests of modern clients go by. Those of one caller share one, except where something may
 * come back that does not name its request: questions of a legacy server, and log messages. Such a request has a session to
 * itself while it runs. Callers share none, unless every request stands by itself.
 */
export class Pool {
  readonly #shared: Shared;
  /** All requests come from the same client. */
  readonly #isOneClient: boolean;
  readonly #sessions = new Set<PooledSession>();
  /** The session that most requests of a caller take. */
  readonly #usual = new Map<string | undefined, PooledSession>();
  #sharing: Sharing | undefined;
  #first: Promise<unknown> | undefined;
  #closed = false;

  constructor(shared: Shared, isOneClient: boolean) {
    this.#shared = shared;
    this.#isOneClient = isOneClient;
  }

  /** Known from the first session on. */
  get sharing(): Sharing | undefined {
    return this.#sharing;
  }

  /** The session that most requests of this caller take, if it is open. */
  quick(request: PoolRequest): PooledSession | undefined {
    if (this.#sharing?.standsAlone !== true || this.#needsOwn(request)) return undefined;
    const pooled = this.#usual.get(this.#ownerOf(request));
    const session = pooled?.isTaken === false ? pooled.upstream.session : undefined;
    return session && sharings[session.era] === this.#sharing ? pooled : undefined;
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
    // Only one finds out which era the server speaks.
    while (this.#sharing === undefined && this.#first !== undefined) await this.#first;
    // Its client may have gone meanwhile.
    if (this.#closed) throw new KitError('closed', 'the bridge is closed');
    const isAlone = this.#needsOwn(request);
    const key = this.#keyOf(request);
    const pooled = this.#choose(key, isAlone) ?? this.#add(key, request);
    const claim = this.#take(pooled, request, isAlone);
    const sharing = await this.#open(claim, request);
    if (pooled.sharing === sharing && this.#sharing === sharing) {
      // Before the first answer nothing was known of the server, so the session may not be the right one for it.
      if (isAlone !== this.#needsOwn(request)) {
        claim.release();
        return this.find(request);
      }
      if (!isAlone) this.#usual.set(pooled.owner, pooled);
      return { pooled, sharing, release: claim.release };
    }
    // Another server has taken the place of the one that was known.
    this.#sharing = undefined;
    await this.#drop(pooled);
    if (isAgain) throw new KitError('closed', 'the server has changed; try again');
    return this.find(request, true);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#sessions].map((pooled) => this.#drop(pooled)));
  }

  /** From this moment on, so that nobody else takes it before its request has begun. */
  #take(pooled: PooledSession, request: PoolRequest, isAlone: boolean): Claim {
    pooled.leases += 1;
    if (isAlone) pooled.isTaken = true;
    pooled.upstream.account = this.#accountOf(pooled, request);
    let isLeft = false;
    return {
      pooled,
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

  async #open({ pooled, release }: Claim, request: PoolRequest): Promise<Sharing> {
    const isFirst = this.#sharing === undefined;
    const opening = pooled.upstream.open();
    const opened = (): void => {};
    if (isFirst) this.#first = opening.then(opened, opened);
    try {
      const sharing = sharings[(await opening).era];
      pooled.sharing ??= sharing;
      this.#sharing ??= sharing;
      // Before those go on who have waited for it: they look for it by this.
      pooled.key = this.#keyOf(request);
      pooled.upstream.account = this.#accountOf(pooled, request);
      return sharing;
    } catch (error) {
      release();
      if (pooled.upstream.session === undefined) this.#sessions.delete(pooled);
      throw error;
    } finally {
      if (isFirst) this.#first = undefined;
    }
  }

  #needsOwn(request: PoolRequest): boolean {
    return !this.#isOneClient && this.#sharing?.needsOwn(request) === true;
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
    // One that was suspended is not worth more than a new one.
    pooled.upstream.onSuspended = () => {
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
    const isShared = this.#sharing?.standsAlone === true && this.#shared.target.wire === 'http';
    return isShared && !isTaken ? undefined : account;
  }

  #keyOf(request: PoolRequest): string {
    return (this.#sharing ?? sharings.legacy).keyOf(request, this.#ownerOf(request));
  }
}
