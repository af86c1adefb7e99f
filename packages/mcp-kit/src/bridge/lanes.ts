import { KitError, unref } from '#base';
import type { Session } from '#client';
import { clientText, mayAskInput, type Envelope, type Era } from '#protocol';
import { Lane } from './lane.ts';
import type { Shared } from './shared.ts';

/** What a request of the stateless era is, as far as its lane depends on it. */
export interface Journey {
  readonly envelope: Envelope;
  readonly principal: string | undefined;
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

/**
 * The conversations with the server that requests of the stateless era go by. They share one, except where something may
 * come back that does not name its request, and clients are strangers to each other: questions of a server of the older era,
 * and log messages. Such a request has a conversation to itself while it runs.
 */
export class Lanes {
  readonly #shared: Shared;
  /** All requests come from the same client. */
  readonly #isOneClient: boolean;
  readonly #lanes = new Set<Lane>();
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

  /** The lane that most requests take, if it is open. */
  quick({ envelope }: Journey): Lane | undefined {
    if (this.#era !== 'modern' || (envelope.logLevel !== undefined && !this.#isOneClient)) {
      return undefined;
    }
    for (const lane of this.#lanes) {
      if (lane.isTaken || lane.upstream.session === undefined) continue;
      if (lane.upstream.session.era === 'modern') return lane;
    }
    return undefined;
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
    const key = keyOf(journey, this.#era);
    const lane = this.#choose(key, isAlone) ?? this.#add(key, journey.envelope);
    const seat = this.#take(lane, isAlone);
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
  #take(lane: Lane, isAlone: boolean): Seat {
    lane.seats += 1;
    if (isAlone) lane.isTaken = true;
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

  /** A lane that nobody has used for a while ends, unless it is the only one. */
  #rest(lane: Lane): void {
    if (!lane.isFree || this.#lanes.size < 2 || this.#closed) return;
    clearTimeout(lane.idleTimer);
    const { idleMs = defaultIdleMs } = this.#shared.options;
    lane.idleTimer = unref(
      setTimeout(() => {
        if (lane.isFree && !lane.upstream.isBusy && this.#lanes.size > 1) void this.#drop(lane);
      }, idleMs),
    );
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
      lane.key = keyOf(journey, era);
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
    if (seat.isAlone === this.#needsOwn(journey)) return seat;
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

  #add(key: string, envelope: Envelope): Lane {
    const lane = new Lane(key, envelope, {
      shared: this.#shared,
      isOneClient: this.#isOneClient,
    });
    this.#lanes.add(lane);
    return lane;
  }

  async #drop(lane: Lane): Promise<void> {
    clearTimeout(lane.idleTimer);
    this.#lanes.delete(lane);
    await lane.upstream.close();
  }
}

/** A server of the stateless era learns from every request who asks; one of the older era only once. */
function keyOf({ envelope, principal }: Journey, era: Era | undefined): string {
  if (era === 'modern') return 'modern';
  return clientText([principal, envelope.clientInfo, envelope.capabilities]);
}
