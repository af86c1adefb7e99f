import { isRecord, type Params, type RpcError } from '#jsonrpc';
import { createSealer, invalidParams } from '#protocol';

/** What clients carry for servers of the stateless era between questions: of use to the caller it was given to, and to nobody else. */
export interface CarriedStates {
  /** A result for a caller, with what it carries bound to it. */
  wrap(caller: string | undefined, result: unknown): unknown;
  /** Parameters of a caller, with what it carries as the server gave it; refused where it was given to somebody else. */
  unwrap(caller: string | undefined, params: Params | undefined): Params | undefined;
}

/** The server decides how long a state is of use; this is only when one is surely of no use any more. */
const ttlMs = 24 * 60 * 60_000;

/** Where callers are not told apart, everything passes as it is. */
export function createCarriedStates(keys: readonly Uint8Array[] | undefined): CarriedStates {
  const sealer = createSealer({ ttlMs, ...(keys && { keys }) });
  return {
    wrap(caller, result) {
      if (caller === undefined || !isRecord(result)) return result;
      const { requestState } = result;
      if (typeof requestState !== 'string') return result;
      return { ...result, requestState: sealer.seal(requestState, caller) };
    },
    unwrap(caller, params) {
      const carried = params?.['requestState'];
      if (caller === undefined || carried === undefined) return params;
      const requestState = typeof carried === 'string' ? sealer.open(carried, caller) : undefined;
      if (requestState === undefined) throw noSuchCall();
      return { ...params, requestState };
    },
  };
}

/** Refuses what somebody else was given, or what is of no use any more. */
export function noSuchCall(): RpcError {
  const why = 'requestState is not valid for this request, or its call has ended';
  return invalidParams(`${why}; call again without it`);
}
