import {
  Encoded,
  isPromise,
  isRecord,
  RpcError,
  rpcErrors,
  type Exchange,
  type Layer,
  type MaybePromise,
  type Message,
} from 'mcp-kit/internal';

/** How a call ended: its result, a result that is a failure of the tool, an error of the protocol, our own bug, or not at all. */
export type CallOutcome = 'ok' | 'failed' | 'refused' | 'broken' | 'cancelled';

/** How many calls ended in each way, before any has. */
export function noOutcomes(): Record<CallOutcome, number> {
  return { ok: 0, failed: 0, refused: 0, broken: 0, cancelled: 0 };
}

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

/** What says which tool a request calls. */
export type Calling = Pick<Exchange, 'message' | 'tool'>;

/** The tool that a request calls: the one it names, or the one that this one calls for it. */
export function toolIn({ message, tool }: Calling): string | undefined {
  return tool ?? nameIn(message);
}

/** Both of them: what holds for either holds for the call. */
export function toolsIn({ message, tool }: Calling): readonly string[] {
  const name = nameIn(message);
  if (name === undefined) return [];
  return tool === undefined || tool === name ? [name] : [name, tool];
}

function nameIn({ method, params }: Message): string | undefined {
  const name = method === 'tools/call' && isRecord(params) ? params['name'] : undefined;
  return typeof name === 'string' ? name : undefined;
}

/** Whether a message is counted as a call: a wait for news is not work, nor is one more look at a call that was given up. */
export function isCounted({ message, cancelled }: Exchange): boolean {
  return message.id !== undefined && message.method !== 'subscriptions/listen' && !cancelled;
}

/** Counts every call while it is under way, and tells when it has ended. */
export function observeCalls(counts: CallCounts, ended: (call: EndedCall) => void): Layer {
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
  return (next) => (exchange) => {
    if (!isCounted(exchange)) return next(exchange);
    const begunMs = performance.now();
    counts.add(exchange.principal, 1);
    let result: MaybePromise<unknown>;
    try {
      result = next(exchange);
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
}

function outcomeOf(exchange: Exchange, result: unknown): CallOutcome {
  if (exchange.cancelled) return 'cancelled';
  const value = result instanceof Encoded ? result.value : result;
  return isRecord(value) && value['isError'] === true ? 'failed' : 'ok';
}
