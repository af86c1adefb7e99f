import { isPromise, type MaybePromise } from '#base';
import {
  Encoded,
  isRecord,
  RpcError,
  rpcErrors,
  type Exchange,
  type Notification,
  type Refused,
} from '#jsonrpc';
import type { Envelope, LegacyVersion, Peer, Phase, Service } from '#protocol';

/** How a call ended: its result, a result that is a failure of the tool, an error of the protocol, our own bug, or not at all. */
export type CallOutcome = 'ok' | 'failed' | 'refused' | 'broken' | 'cancelled';

/** A call that has ended. */
export interface EndedCall {
  readonly exchange: Exchange;
  readonly outcome: CallOutcome;
  readonly durationMs: number;
  /** The JSON-RPC code of an error. */
  readonly code: number | undefined;
}

const maxIdle = 1000;

/** Calls under way, in all and by principal. */
export class CallCounts {
  #total = 0;
  readonly #byPrincipal = new Map<string, { count: number }>();

  get total(): number {
    return this.#total;
  }

  of(principal: string | undefined): number {
    return principal === undefined ? 0 : (this.#byPrincipal.get(principal)?.count ?? 0);
  }

  add(principal: string | undefined, change: 1 | -1): void {
    this.#total += change;
    if (principal === undefined) return;
    const known = this.#byPrincipal.get(principal);
    if (known === undefined) {
      this.#byPrincipal.set(principal, { count: change });
      return;
    }
    known.count += change;
    // Whoever calls once calls again: few are worth forgetting at once.
    if (known.count === 0 && this.#byPrincipal.size > maxIdle) this.#byPrincipal.delete(principal);
  }
}

/** A wait for news is not work: it is neither counted as under way nor timed. */
const waits = 'subscriptions/listen';

/** The same service; every call is counted while it is under way, and told when it has ended. */
export function watchCalls(
  service: Service,
  counts: CallCounts,
  ended: (call: EndedCall) => void,
): Service {
  const end = (call: EndedCall): void => {
    counts.add(call.exchange.principal, -1);
    ended(call);
  };
  const succeeded = (exchange: Exchange, begunMs: number, result: unknown): void => {
    const durationMs = performance.now() - begunMs;
    end({ exchange, outcome: outcomeOf(exchange, result), durationMs, code: undefined });
  };
  const failed = (exchange: Exchange, begunMs: number, error: unknown): void => {
    const durationMs = performance.now() - begunMs;
    const code = error instanceof RpcError ? error.code : rpcErrors.internal;
    const outcome = error instanceof RpcError ? 'refused' : 'broken';
    if (exchange.cancelled) end({ exchange, outcome: 'cancelled', durationMs, code: undefined });
    else end({ exchange, outcome, durationMs, code });
  };
  const watch: Watch = (exchange, run) => {
    if (exchange.request.method === waits) return run();
    const begunMs = performance.now();
    counts.add(exchange.principal, 1);
    let result: MaybePromise<unknown>;
    try {
      result = run();
    } catch (error) {
      failed(exchange, begunMs, error);
      throw error;
    }
    if (!isPromise(result)) {
      succeeded(exchange, begunMs, result);
      return result;
    }
    return result.then(
      (value) => {
        succeeded(exchange, begunMs, value);
        return value;
      },
      (error: unknown) => {
        failed(exchange, begunMs, error);
        throw error;
      },
    );
  };
  return {
    open: (connection) => new WatchedPeer(service.open(connection), watch),
    serve: (exchange, envelope: Envelope) =>
      watch(exchange, () => service.serve(exchange, envelope)),
    refused: service.refused,
    knows: (what, name) => service.knows?.(what, name) === true,
    mirroredHeaders: (tool) => service.mirroredHeaders(tool),
    describe: () => service.describe(),
  };
}

function outcomeOf(exchange: Exchange, result: unknown): CallOutcome {
  if (exchange.cancelled) return 'cancelled';
  const value = result instanceof Encoded ? result.value : result;
  return isRecord(value) && value['isError'] === true ? 'failed' : 'ok';
}

type Watch = (exchange: Exchange, run: () => MaybePromise<unknown>) => MaybePromise<unknown>;

class WatchedPeer implements Peer {
  readonly #peer: Peer;
  readonly #watch: Watch;

  constructor(peer: Peer, watch: Watch) {
    this.#peer = peer;
    this.#watch = watch;
  }

  get phase(): Phase {
    return this.#peer.phase;
  }

  get version(): LegacyVersion | undefined {
    return this.#peer.version;
  }

  get refused(): Refused | undefined {
    return this.#peer.refused;
  }

  request(exchange: Exchange): MaybePromise<unknown> {
    return this.#watch(exchange, () => this.#peer.request(exchange));
  }

  notification(message: Notification): void {
    this.#peer.notification(message);
  }

  requiresErrorId(): boolean {
    return this.#peer.requiresErrorId?.() === true;
  }

  acceptsBatch(): boolean {
    return this.#peer.acceptsBatch();
  }

  closed(cause: Error | undefined): void {
    this.#peer.closed(cause);
  }
}
