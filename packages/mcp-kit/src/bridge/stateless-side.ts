import { createDeferred, describeError } from '#base';
import type { CallOptions, Subscription, SubscriptionFilter } from '#client';
import {
  isRecord,
  noRoomError,
  RpcError,
  rpcErrors,
  type Exchange,
  type Notification,
  type Params,
} from '#jsonrpc';
import {
  callerOf,
  clientOf,
  createSealer,
  invalidParams,
  mayAskInput,
  methodNotFound,
  onBehalf,
  weightOfListen,
  type ClientView,
  type Sealer,
} from '#protocol';
import { Call, withVisits } from './call.ts';
import { createCarriedStates, noSuchCall, type CarriedStates } from './carried-states.ts';
import { notificationOf } from './crossing.ts';
import { asRpcError } from './failures.ts';
import type { Lane } from './lane.ts';
import { Lanes, type Journey, type Seat } from './lanes.ts';
import { tagged } from './listens.ts';
import { passing } from './relay.ts';
import {
  discoverResult,
  removed,
  throwOf,
  toModern,
  toModernError,
  withoutEnvelope,
} from './results.ts';
import type { Shared } from './shared.ts';
import { ToolHeaders } from './tool-headers.ts';

const defaultParkedMs = 10 * 60_000;
const maxCalls = 1024;

/** A subscription that a client asks for. */
interface Listening {
  readonly exchange: Exchange;
  readonly filter: SubscriptionFilter;
  /** Rejects when there is no room for it any more. */
  readonly full: Promise<never>;
}

/** Clients of the stateless era: all that come over HTTP, or the one at the other end of a pipe. */
export class StatelessSide {
  readonly toolHeaders: ToolHeaders = new ToolHeaders();
  readonly #shared: Shared;
  readonly #lanes: Lanes;
  readonly #sealer: Sealer;
  readonly #carried: CarriedStates;
  /** Calls at a server of the older era that wait for their client. */
  readonly #calls = new Map<string, Call>();

  constructor(shared: Shared, isOneClient: boolean) {
    const { parkedMs = defaultParkedMs } = shared.options;
    this.#shared = shared;
    this.#lanes = new Lanes(shared, isOneClient);
    this.#sealer = createSealer({ ttlMs: parkedMs });
    this.#carried = createCarriedStates(shared.options.stateKeys);
  }

  async serve(exchange: Exchange): Promise<unknown> {
    const envelope = clientOf(exchange);
    const { method } = exchange.message;
    const caller = callerOf(exchange);
    const journey: Journey = { envelope, caller, account: exchange.principal, method };
    try {
      if (method === 'subscriptions/listen') return await this.#listen(journey, exchange);
      const quick = this.#lanes.quick(journey);
      if (quick !== undefined) return await this.#pass(quick, exchange, envelope);
      const parked = this.#resume(exchange);
      if (parked !== undefined) {
        return await this.#attend(parked, exchange, exchange.message.params);
      }
      const seat = await this.#lanes.find(journey);
      const { lane } = seat;
      if (lane.era === 'legacy') return await this.#translate(seat, exchange, envelope);
      try {
        return await this.#pass(lane, exchange, envelope);
      } finally {
        seat.leave();
      }
    } catch (error) {
      throw asRpcError(error);
    }
  }

  /** Passes on what the client tells the server. */
  tell({ method, params }: Notification): void {
    const { session } = this.#lanes;
    const said = session?.era === 'legacy' ? withoutEnvelope(params) : params;
    session?.notify(method, said).catch((error: unknown) => {
      this.#shared.logger.warn(`${method} was not passed on`, { error: describeError(error) });
    });
  }

  async close(): Promise<void> {
    for (const call of this.#calls.values()) call.cancel('the bridge is closing');
    this.#calls.clear();
    await this.#lanes.close();
  }

  /** Passes a request on to a server of the same era, as it is. */
  async #pass(lane: Lane, exchange: Exchange, { logLevel }: ClientView): Promise<unknown> {
    const { upstream } = lane;
    const { method, params } = exchange.message;
    const caller = callerOf(exchange);
    const leave = lane.board({ exchange, logLevel });
    try {
      const session = upstream.session ?? (await upstream.open());
      const options = passing(exchange, this.#shared.tell);
      const sent = onBehalf(caller, this.#carried.unwrap(caller, params));
      const result = await upstream.run(() =>
        session.request(method, sent, options).catch(throwOf(session, method)),
      );
      if (method === 'tools/list') this.#learn(params, result);
      return this.#carried.wrap(caller, result);
    } finally {
      leave();
    }
  }

  #learn(params: Params | undefined, result: unknown): void {
    this.toolHeaders.learn(params, result);
    this.#shared.toolNames.learn(result);
  }

  /** Asks a server of the older era; the seat is left when the call has ended, which may be long after this request. */
  async #translate(seat: Seat, exchange: Exchange, { logLevel }: ClientView): Promise<unknown> {
    const { lane } = seat;
    const { upstream } = lane;
    const { method, params } = exchange.message;
    const call = mayAskInput.has(method) ? new Call() : undefined;
    const leaveLane = lane.board({
      logLevel,
      ...(call && { call }),
      get exchange() {
        return call === undefined ? exchange : call.exchange;
      },
    });
    const leave = (): void => {
      leaveLane();
      seat.leave();
    };
    let hasBegun = false;
    try {
      if (removed.has(method)) throw methodNotFound(method);
      if (params?.['requestState'] !== undefined) throw noSuchCall();
      const session = await upstream.open();
      if (method === 'server/discover') return discoverResult(session);
      const isLogged = await lane.raiseLevel(session);
      const sent = onBehalf(callerOf(exchange), withoutEnvelope(params));
      const finish = (result: unknown): object => toModern(method, result, session.server);
      const options = passing(exchange, this.#shared.tell);
      const ask = async (limits: CallOptions): Promise<unknown> => {
        try {
          return await session.request(method, sent, limits).catch(throwOf(session, method));
        } finally {
          if (isLogged && logLevel !== undefined) await lane.lull();
        }
      };
      if (call === undefined) {
        const result = await upstream.run(() => ask(options));
        if (method === 'tools/list') this.#learn(params, result);
        return finish(result);
      }
      const { onProgress } = options;
      const limits = { signal: call.signal, ...(onProgress && { onProgress }) };
      const work = (): Promise<unknown> => ask(limits);
      hasBegun = true;
      call.start(
        upstream
          .run(() => withVisits(call, work))
          .then(finish)
          .finally(leave),
      );
      return await this.#attend(call, exchange, undefined);
    } catch (error) {
      throw toModernError(error);
    } finally {
      if (!hasBegun) leave();
    }
  }

  /** Waits for what comes of a call: its result, or questions with which the client has to come back. */
  async #attend(call: Call, exchange: Exchange, params: Params | undefined): Promise<unknown> {
    await call.answer(params?.['inputResponses']);
    const inputRequests = await call.attend(exchange);
    if (inputRequests === undefined) {
      this.#calls.delete(call.id);
      return call.result();
    }
    if (this.#calls.size >= maxCalls) {
      call.cancel('too many calls wait for their clients');
      throw new RpcError(rpcErrors.overloaded, 'Too many calls wait for answers of their clients');
    }
    this.#calls.set(call.id, call);
    const { parkedMs = defaultParkedMs } = this.#shared.options;
    call.onForgotten = () => this.#calls.delete(call.id);
    call.park(parkedMs, exchange);
    const requestState = this.#sealer.seal(call.id, bindingOf(exchange));
    return { resultType: 'input_required', inputRequests, requestState };
  }

  /** The call that a request goes on with; none where the state is the server's own, or may be. */
  #resume(exchange: Exchange): Call | undefined {
    const state = exchange.message.params?.['requestState'];
    if (state === undefined) return undefined;
    const id =
      typeof state === 'string' ? this.#sealer.open(state, bindingOf(exchange)) : undefined;
    const call = typeof id === 'string' ? this.#calls.get(id) : undefined;
    if (call === undefined && this.#lanes.era === 'legacy') throw noSuchCall();
    // Each state is good for one try.
    if (call !== undefined) this.#calls.delete(call.id);
    return call;
  }

  /** Opens a subscription, and keeps of its request only what it asks for: it stays for hours. */
  #listen(journey: Journey, exchange: Exchange): Promise<unknown> {
    const filter = exchange.message.params?.['notifications'];
    if (!isRecord(filter)) throw invalidParams('notifications must be an object');
    const { link } = exchange;
    const weight = weightOfListen(filter);
    if (link.budget?.admits('listens', weight) === false) throw noRoomError();
    exchange.forgetParams();
    const full = createDeferred<never>();
    // It may be over before anybody looks.
    full.promise.catch(() => {});
    const letGo = (): boolean => {
      full.reject(noRoomError());
      return true;
    };
    const held = link.budget?.hold('listens', weight, { letGo });
    const listening = { exchange, filter, full: full.promise };
    return this.#listenBy(journey, listening).finally(() => held?.resize(0));
  }

  async #listenBy(journey: Journey, listening: Listening): Promise<unknown> {
    const { lane, leave } = await this.#lanes.find(journey);
    try {
      return await this.#subscribe(lane, listening);
    } finally {
      leave();
    }
  }

  async #subscribe(
    { upstream, listens }: Lane,
    { exchange, filter, full }: Listening,
  ): Promise<unknown> {
    const { signal } = exchange;
    const letGo = upstream.hold();
    const settle = listens.expect();
    let leave: (() => void) | undefined;
    let subscription: Subscription | undefined;
    try {
      const session = await upstream.open();
      subscription = await upstream.run(() => session.listen(filter, { signal }));
      const { honored, closed } = subscription;
      const params = tagged(exchange, { notifications: honored });
      const method = 'notifications/subscriptions/acknowledged';
      const message = notificationOf(method, params);
      this.#shared.tell?.({ side: 'client', direction: 'sent', message });
      await exchange.notify(method, params);
      leave = listens.add(exchange, subscription);
      settle();
      if (Object.keys(honored).length > 0) {
        await Promise.race([endOf(closed, signal), full]);
      }
      return toModern('subscriptions/listen', tagged(exchange, undefined), session.server);
    } finally {
      settle();
      leave?.();
      subscription?.close();
      letGo();
    }
  }
}

/** Settles when the server has ended the subscription, or the client has; fails when it was lost. */
async function endOf(closed: Promise<Error | undefined>, signal: AbortSignal): Promise<void> {
  const left = createDeferred<undefined>();
  const leave = (): void => left.resolve(undefined);
  signal.addEventListener('abort', leave, { once: true });
  if (signal.aborted) leave();
  try {
    const error = await Promise.race([closed, left.promise]);
    if (error !== undefined) throw error;
  } finally {
    signal.removeEventListener('abort', leave);
  }
}

/** What a sealed state is good for: this caller, this method, these parameters. */
function bindingOf(exchange: Exchange): readonly unknown[] {
  const { method, params } = exchange.message;
  const { _meta, inputResponses: _responses, requestState: _state, ...rest }: Params = params ?? {};
  return [callerOf(exchange) ?? null, method, rest];
}
