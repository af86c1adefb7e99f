import { createDeferred, describeError } from '#base';
import type { CallOptions, Session, Subscription } from '#client';
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
  bindingOf,
  callerOf,
  clientOf,
  createSealer,
  invalidParams,
  mayAskInput,
  methodNotFound,
  weightOfListen,
  type ClientView,
  type Sealer,
} from '#protocol';
import type { Shared } from './bridge.ts';
import { asRpcError } from './health.ts';
import { tagged } from './listeners.ts';
import {
  createCarriedStates,
  noSuchCall,
  ParkedCall,
  withVisits,
  type CarriedStates,
} from './parked.ts';
import { Pool, type Lease, type PoolRequest } from './pool.ts';
import type { PooledSession } from './pooled-session.ts';
import { notify, passing, relay, type Translation } from './relay.ts';
import { createTaskNames, named, type NamedFilter, type TaskNames } from './task-names.ts';
import { discoverResult, forModernClient, markedWithin, removed, toModern } from './translate.ts';

const defaultParkedMs = 10 * 60_000;
const maxCalls = 1024;

/** A subscription that a client asks for. */
interface Listening {
  readonly exchange: Exchange;
  readonly wanted: NamedFilter;
  /** Rejects when there is no room for it any more. */
  readonly full: Promise<never>;
}

/** Modern clients: all that come over HTTP, or the one at the other end of a pipe. */
export class ModernClients {
  readonly #shared: Shared;
  readonly #pool: Pool;
  readonly #sealer: Sealer;
  readonly #carried: CarriedStates;
  readonly #tasks: TaskNames;
  /** Calls at a legacy server that wait for their client. */
  readonly #calls = new Map<string, ParkedCall>();

  constructor(shared: Shared, isOneClient: boolean) {
    const { parkedMs = defaultParkedMs } = shared.options;
    this.#shared = shared;
    this.#pool = new Pool(shared, isOneClient);
    this.#sealer = createSealer({ ttlMs: parkedMs });
    this.#carried = createCarriedStates(shared.options.stateKeys);
    this.#tasks = createTaskNames(shared.options.stateKeys);
  }

  async serve(exchange: Exchange): Promise<unknown> {
    const envelope = clientOf(exchange);
    const { method } = exchange.message;
    const caller = callerOf(exchange);
    const request: PoolRequest = { envelope, caller, account: exchange.principal, method };
    try {
      if (method === 'subscriptions/listen') return await this.#listen(request, exchange);
      const quick = this.#pool.quick(request);
      if (quick !== undefined) return await this.#pass(quick, exchange, envelope);
      const parked = this.#resume(exchange);
      if (parked !== undefined) {
        return await this.#attend(parked, exchange, exchange.message.params);
      }
      const lease = await this.#pool.find(request);
      // What gives states itself speaks as the client does.
      return lease.sharing.givesStates
        ? await this.#pass(lease.pooled, exchange, envelope).finally(lease.release)
        : await this.#translate(lease, exchange, envelope);
    } catch (error) {
      throw asRpcError(error);
    }
  }

  /** Passes on what the client tells the server. */
  tell({ method, params }: Notification): void {
    const { session, sharing } = this.#pool;
    if (session === undefined || sharing === undefined) return;
    session.notify(method, sharing.told(params)).catch((error: unknown) => {
      this.#shared.logger.warn(`${method} was not passed on`, { error: describeError(error) });
    });
  }

  async close(): Promise<void> {
    for (const call of this.#calls.values()) call.cancel('the bridge is closing');
    this.#calls.clear();
    await this.#pool.close();
  }

  /** Passes a request on to a server of the same era: only what clients carry between questions is bound to them. */
  async #pass(
    pooled: PooledSession,
    exchange: Exchange,
    { logLevel }: ClientView,
  ): Promise<unknown> {
    const { upstream } = pooled;
    const giveBack = pooled.borrow({ exchange, logLevel });
    try {
      const session = upstream.session ?? (await upstream.open());
      const translation = this.#carriedWith(session);
      const options = passing(exchange, this.#shared.tell);
      const result = await upstream.run(() => relay(session, { exchange, translation, options }));
      return this.#learn(exchange, result);
    } finally {
      giveBack();
    }
  }

  #carriedWith(session: Session): Translation {
    return {
      request: (params, caller) =>
        this.#tasks.request(caller, this.#carried.unwrap(caller, params)),
      result: (result, message, caller) =>
        this.#tasks.result(caller, this.#carried.wrap(caller, result), message),
      error: (error, { method }) => markedWithin(session, method, error),
    };
  }

  /** Learns from the answer to `tools/list`. */
  #learn({ message: { method, params } }: Exchange, result: unknown): unknown {
    if (method !== 'tools/list') return result;
    this.#shared.tools.learn(params, result);
    return result;
  }

  /** Asks a legacy server; the lease ends with the call, which may be long after this request. */
  async #translate(lease: Lease, exchange: Exchange, { logLevel }: ClientView): Promise<unknown> {
    const { pooled } = lease;
    const { upstream } = pooled;
    const { method, params } = exchange.message;
    const call = mayAskInput.has(method) ? new ParkedCall() : undefined;
    const giveBack = pooled.borrow({
      logLevel,
      call,
      get exchange() {
        return call === undefined ? exchange : call.exchange;
      },
    });
    const release = (): void => {
      giveBack();
      lease.release();
    };
    let hasBegun = false;
    try {
      if (removed.has(method)) throw methodNotFound(method);
      if (params?.['requestState'] !== undefined) throw noSuchCall();
      const session = await upstream.open();
      if (method === 'server/discover') return discoverResult(session);
      const isLogged = await pooled.raiseLevel(session);
      const translation = forModernClient(session);
      const ask = async (options: CallOptions): Promise<unknown> => {
        try {
          return await relay(session, { exchange, translation, options });
        } finally {
          if (isLogged && logLevel !== undefined) await pooled.untilQuiet();
        }
      };
      const options = passing(exchange, this.#shared.tell);
      if (call === undefined) return this.#learn(exchange, await upstream.run(() => ask(options)));
      const { onProgress } = options;
      const limits = { signal: call.signal, onProgress };
      hasBegun = true;
      call.start(upstream.run(() => withVisits(call, () => ask(limits))).finally(release));
      return await this.#attend(call, exchange, undefined);
    } finally {
      if (!hasBegun) release();
    }
  }

  /** Waits for what comes of a call: its result, or questions with which the client has to come back. */
  async #attend(
    call: ParkedCall,
    exchange: Exchange,
    params: Params | undefined,
  ): Promise<unknown> {
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
  #resume(exchange: Exchange): ParkedCall | undefined {
    const state = exchange.message.params?.['requestState'];
    if (state === undefined) return undefined;
    const id =
      typeof state === 'string' ? this.#sealer.open(state, bindingOf(exchange)) : undefined;
    const call = typeof id === 'string' ? this.#calls.get(id) : undefined;
    if (call === undefined && this.#pool.sharing?.givesStates === false) throw noSuchCall();
    // Each state is good for one try.
    if (call !== undefined) this.#calls.delete(call.id);
    return call;
  }

  /** Opens a subscription, and keeps of its request only what it asks for: it stays for hours. */
  #listen(request: PoolRequest, exchange: Exchange): Promise<unknown> {
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
    const wanted = this.#tasks.filter(request.caller, filter);
    const listening = { exchange, wanted, full: full.promise };
    return this.#listenBy(request, listening).finally(() => held?.resize(0));
  }

  async #listenBy(request: PoolRequest, listening: Listening): Promise<unknown> {
    const { pooled, release } = await this.#pool.find(request);
    try {
      return await this.#subscribe(pooled, listening);
    } finally {
      release();
    }
  }

  async #subscribe(
    { upstream, listeners }: PooledSession,
    { exchange, wanted, full }: Listening,
  ): Promise<unknown> {
    const { signal } = exchange;
    const letGo = upstream.hold();
    const settle = listeners.expect();
    let leave: (() => void) | undefined;
    let subscription: Subscription | undefined;
    try {
      const session = await upstream.open();
      subscription = await upstream.run(() => session.listen(wanted.filter, { signal }));
      const { honored, closed } = subscription;
      const params = tagged(exchange, { notifications: named(honored, wanted) });
      const method = 'notifications/subscriptions/acknowledged';
      await notify(exchange, { method, params }, this.#shared.tell);
      leave = listeners.add({ exchange, subscription, shown: wanted.shown });
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
