import { KitError } from '#base';
import { isRecord, type Connection, type Params } from '#jsonrpc';
import { mayAskInput, type Meta } from '#protocol';
import type { Answering } from './answering.ts';
import { waitWithin } from './limit.ts';
import type { CallOptions } from './options.ts';

const maxRounds = 10;

/** A request of the modern era, and what goes with each of its rounds. */
export interface ModernRequest {
  readonly method: string;
  readonly params: Params | undefined;
  readonly envelope: Meta;
  /** What answers the server's own questions. */
  readonly answering: () => Answering;
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly options: CallOptions & { readonly maxTotalMs: number };
  /** Fires when the session ends. */
  readonly ended: AbortSignal;
}

/** An answer, and whether it took requests back to get it. */
export interface ModernResult {
  readonly result: Readonly<Record<string, unknown>>;
  readonly rounds: number;
}

/** Sends a request, and answers what the server asks in return until it has a result. */
export async function requestModern(
  connection: Connection,
  request: ModernRequest,
): Promise<ModernResult> {
  const { method, params, envelope, headers, options } = request;
  const own = params?.['_meta'];
  const meta = isRecord(own) ? { ...own, ...envelope } : envelope;
  // Assigned, not spread: adding to what was spread first costs Node 20 a microsecond, and every call comes by here.
  const base: Params = Object.assign({}, params, { _meta: meta });
  const deadline = performance.now() + options.maxTotalMs;
  let sent: Params = base;
  let maxTotalMs = options.maxTotalMs;
  for (let rounds = 0; rounds <= maxRounds; rounds += 1) {
    const limits = Object.assign({}, options, { headers, maxTotalMs });
    const result = await connection.request(method, sent, limits);
    if (!isRecord(result)) {
      throw new KitError('invalid_answer', `${method}: the result is not an object`);
    }
    const { resultType = 'complete' } = result;
    if (resultType === 'complete') return { result, rounds };
    if (resultType !== 'input_required' || !mayAskInput.has(method)) {
      const what = `${method}: a result of unknown type ${JSON.stringify(resultType)}`;
      throw new KitError('invalid_answer', what);
    }
    const { ended } = request;
    const timeoutMs = deadline - performance.now();
    const limit = { subject: method, signal: options.signal, ended, timeoutMs };
    const responses = await waitWithin(limit, (signal) =>
      request.answering().respond(method, result, signal),
    );
    sent = { ...base, ...responses };
    maxTotalMs = deadline - performance.now();
  }
  throw new KitError(
    'invalid_answer',
    `${method}: still more input wanted after ${maxRounds} rounds`,
  );
}
