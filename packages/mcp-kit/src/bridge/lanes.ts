import { KitError, unref } from '#base';
import type { Session } from '#client';
import { clientText, mayAskInput, type ClientView, type Era } from '#protocol';
import { Lane } from './lane.ts';
import type { Shared } from './shared.ts';

/** What a request of the stateless era is, as far as its lane depends on it. */
export interface Journey {
  readonly envelope: ClientView;
  /** Whose it is, and at whose expense. */
  readonly caller: string | undefined;
  readonly account: string | undefined;
  readonly method: string;
}

/** A place in a lane, for a request from when it has found it until it has ended. */
export interface Seat {
  readonly lane: Lane;
  /** Nobody else has one there. */
  readonly isAlone: boolean;
  leave(): void;
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
export class Lanes {
  readonly #shared: Shared;
  /** All requests come from the same client. */
  readonly #isOneClient: boolean;
  readonly #lanes = new Set<Lane>();
  /** The lane that most requests of a caller take. */
  readonly #usual = new Map<string | undefined, Lane>();
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

  /** The lane that most requests of this caller take, if it is open. */
  quick(journey: Journey): Lane | undefined {
    const { envelope } = journey;
    if (this.#era !== 'modern' || (envelope.logLevel !== undefined && !this.#isOneClient)) {
      return undefined;
    }
    const lane = this.#usual.get(this.#ownerOf(journey));
    return lane?.isTaken === false && lane.upstream.session?.era === 'modern' ? lane : undefined;
  }

  /** The session that most requests go by, if it is open. */
  get session(): Session | undefined {
    for (const { isTaken, upstream } of this.#lanes) {
      if (!isTaken && upstream.session !== undefined) return upstream.session;
    }
    return undefined;
  }

  /** A seat in a lane with an open session. */
  async find(journey: Journey, isAgain = false): Promise<Seat> {
    if (this.#closed) throw new KitError('closed', 'the bridge is closed');
    // Only one finds out which era the server speaks.
    while (this.#era === undefined && this.#first !== undefined) await this.#first;
    const isAlone = this.#needsOwn(journey);
    const key = this.#keyOf(journey);
    const lane = this.#choose(key, isAlone) ?? this.#add(key, journey);
    const seat = this.#take(lane, journey, isAlone);
    const era = await this.#open(seat, journey);
    if (lane.era === era && this.#era === era) return this.#fitting(seat, journey);
    // Another server has taken the place of the one that was known.
    this.#era = undefined;
    await this.#drop(lane);
    if (isAgain) throw new KitError('closed', 'the server has changed; try again');
    return this.find(journey, true);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#lanes].map((lane) => this.#drop(lane)));
  }

  /** From this moment on, so that nobody else takes it before its request has boarded. */
  #take(lane: Lane, journey: Journey, isAlone: boolean): Seat {
    lane.seats += 1;
    if (isAlone) lane.isTaken = true;
    lane.upstream.account = this.#accountOf(lane, journey);
    let isLeft = false;
    return {
      lane,
      isAlone,
      leave: () => {
        if (isLeft) return;
        isLeft = true;
        lane.seats -= 1;
        if (lane.seats === 0) lane.isTaken = false;
        this.#rest(lane);
      },
    };
  }

  /** A lane that nobody has used for a while ends, unless it is the only one of all whom nobody tells apart. */
  #rest(lane: Lane): void {
    if (!lane.isFree || this.#closed) return;
    clearTimeout(lane.idleTimer);
    const isLast = this.#isLast(lane);
    if (isLast && lane.owner === undefined) return;
    const { idleMs = defaultIdleMs } = this.#shared.options;
    const forMs = isLast ? Math.max(idleMs, ownIdleMs) : idleMs;
    const look = (): void => {
      const { isBusy, lastUsedMs } = lane.upstream;
      const leftMs = lastUsedMs + forMs - performance.now();
      if (lane.isFree && !isBusy && leftMs <= 0) void this.#drop(lane);
      else lane.idleTimer = unref(setTimeout(look, Math.max(leftMs, idleMs)));
    };
    lane.idleTimer = unref(setTimeout(look, forMs));
  }

  #isLast(lane: Lane): boolean {
    for (const other of this.#lanes) if (other !== lane && other.owner === lane.owner) return false;
    return true;
  }

  async #open({ lane, leave }: Seat, journey: Journey): Promise<Era> {
    const isFirst = this.#era === undefined;
    const opening = lane.upstream.open();
    const opened = (): void => {};
    if (isFirst) this.#first = opening.then(opened, opened);
    try {
      const { era } = await opening;
      lane.era ??= era;
      this.#era ??= era;
      // Before those go on who have waited for it: they look for it by this.
      lane.key = this.#keyOf(journey);
      lane.upstream.account = this.#accountOf(lane, journey);
      return era;
    } catch (error) {
      leave();
      if (lane.upstream.session === undefined) this.#lanes.delete(lane);
      throw error;
    } finally {
      if (isFirst) this.#first = undefined;
    }
  }

  /** Before the first answer nothing was known of the server, so the lane may not be the right one for it. */
  #fitting(seat: Seat, journey: Journey): Seat | Promise<Seat> {
    if (seat.isAlone === this.#needsOwn(journey)) {
      if (!seat.isAlone) this.#usual.set(seat.lane.owner, seat.lane);
      return seat;
    }
    seat.leave();
    return this.find(journey);
  }

  #needsOwn({ envelope, method }: Journey): boolean {
    if (this.#isOneClient || this.#era === undefined) return false;
    if (envelope.logLevel !== undefined) return true;
    if (this.#era === 'modern' || !mayAskInput.has(method)) return false;
    const { elicitation, sampling, roots } = envelope.capabilities;
    return (elicitation ?? sampling ?? roots) !== undefined;
  }

  #choose(key: string, isAlone: boolean): Lane | undefined {
    for (const lane of this.#lanes) {
      if (!lane.isTaken && lane.key === key && (!isAlone || lane.isFree)) return lane;
    }
    return undefined;
  }

  #add(key: string, journey: Journey): Lane {
    const lane = new Lane(key, journey.envelope, {
      shared: this.#shared,
      isOneClient: this.#isOneClient,
      owner: this.#ownerOf(journey),
    });
    // One that was put to sleep is not worth more than a new one.
    lane.upstream.onAsleep = () => {
      if (lane.isFree) void this.#drop(lane);
    };
    this.#lanes.add(lane);
    return lane;
  }

  async #drop(lane: Lane): Promise<void> {
    clearTimeout(lane.idleTimer);
    this.#lanes.delete(lane);
    if (this.#usual.get(lane.owner) === lane) this.#usual.delete(lane.owner);
    await lane.upstream.close();
  }

  /** Who has a conversation of its own, where a conversation is more than its requests. */
  #ownerOf({ caller }: Journey): string | undefined {
    return this.#shared.target.wire === 'http' ? undefined : caller;
  }

  /** At whose expense it is; nobody's where all callers share it. */
  #accountOf({ isTaken }: Lane, journey: Journey): string | undefined {
    const isShared = this.#era === 'modern' && this.#shared.target.wire === 'http';
    return isShared && !isTaken ? undefined : journey.account;
  }

  /** A server of the stateless era learns from every request what its client is; one of the older era only once. */
  #keyOf(journey: Journey): string {
    if (this.#era === 'modern') return JSON.stringify([this.#ownerOf(journey)]);
    const { envelope, caller } = journey;
    return clientText([caller, envelope.info, envelope.capabilities]);
  }
}
