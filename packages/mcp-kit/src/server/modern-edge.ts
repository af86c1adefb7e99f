import { isPromise } from '#base';
import { Encoded, isRecord, RpcError, rpcErrors, type Exchange } from '#jsonrpc';
import {
  cacheable,
  clientOf,
  markWithin,
  mayAskInput,
  mcpErrors,
  metaKeys,
  methodNotFound,
  type Implementation,
  type Layer,
  type Sealer,
} from '#protocol';
import { Context } from './context.ts';
import type { Handler } from './feature.ts';
import { InputNeeded, needInput, noInputs, resumeRound, RoundInputs } from './inputs.ts';

/** How long clients may keep what they were told. */
export interface Caching {
  readonly ttlMs: number;
  readonly scope: 'public' | 'private';
}

interface ModernEdgeOptions {
  readonly methods: ReadonlyMap<string, Handler>;
  /** Stays open for as long as the client wants to hear of changes. */
  readonly listen: (exchange: Exchange) => Promise<object>;
  readonly sealer: Sealer;
  /** Adds what this era requires on every result. */
  readonly dress: (method: string, result: unknown) => unknown;
}

/** Serves modern requests, each from nothing but itself, and passes everything else on. */
export function modernEdge({ methods, listen, sealer, dress }: ModernEdgeOptions): Layer {
  return (next) => (exchange) => {
    const { id, method, params = {} } = exchange.message;
    if (id === undefined || clientOf(exchange).era !== 'modern') return next(exchange);
    if (method === 'subscriptions/listen') {
      return listen(exchange).then((result) => dress(method, result));
    }
    const handler = methods.get(method);
    if (handler === undefined) throw methodNotFound(method);
    exchange.inputs = mayAskInput.has(method) ? resumeRound(sealer, exchange) : noInputs;
    const failed = (error: unknown): unknown => {
      const { inputs } = exchange;
      if (!(error instanceof InputNeeded) || !(inputs instanceof RoundInputs)) {
        throw modernError(error);
      }
      return dress(method, needInput(sealer, exchange, { needed: error, inputs }));
    };
    let outcome: unknown;
    try {
      outcome = handler(params, new Context(exchange));
    } catch (error) {
      return failed(error);
    }
    return isPromise(outcome)
      ? outcome.then((result) => dress(method, result), failed)
      : dress(method, outcome);
  };
}

/** This era has no code of its own for a missing resource; and that a handler misses a method is not about its own. */
function modernError(error: unknown): unknown {
  if (!(error instanceof RpcError)) return error;
  if (error.code === rpcErrors.methodNotFound) return markWithin(error);
  return error.code === mcpErrors.resourceNotFound
    ? new RpcError(rpcErrors.invalidParams, error.message, error.data)
    : error;
}

/** Adds to neutral results what the modern era requires on every result. */
export function modernResults(
  serverInfo: Implementation,
  caching: Caching,
): (method: string, result: unknown) => Encoded {
  const complete = { resultType: 'complete' };
  const kept = { ...complete, ttlMs: caching.ttlMs, cacheScope: caching.scope };
  const meta = { [metaKeys.serverInfo]: serverInfo };
  // The same for nearly every result, so written once and appended as text.
  const tail = JSON.stringify({ ...complete, _meta: meta }).slice(1);
  const cacheableTail = JSON.stringify({ ...kept, _meta: meta }).slice(1);
  const dressedLists = new WeakMap<Encoded, Encoded>();

  const append = (method: string, json: string): string => {
    const end = cacheable.has(method) ? cacheableTail : tail;
    return json === '{}' ? `{${end}` : `${json.slice(0, -1)},${end}`;
  };

  return (method, result) => {
    if (result instanceof Encoded) {
      // Only what may be kept is asked for again and again.
      if (!cacheable.has(method)) return new Encoded(append(method, result.json), result.value);
      let dressed = dressedLists.get(result);
      if (dressed === undefined) {
        dressed = new Encoded(append(method, result.json), undefined, true);
        dressedLists.set(result, dressed);
      }
      return dressed;
    }
    const fields = isRecord(result) ? result : {};
    const { _meta: own, resultType } = fields;
    if (own === undefined && resultType === undefined && !cacheable.has(method)) {
      return new Encoded(append(method, JSON.stringify(fields)), fields);
    }
    const mayKeep = cacheable.has(method) && resultType !== 'input_required';
    const head = mayKeep ? kept : complete;
    const dressed = { ...head, ...fields, _meta: isRecord(own) ? { ...meta, ...own } : meta };
    return new Encoded(JSON.stringify(dressed), dressed);
  };
}
