import { crypto } from '#base';
import { isRecord, type Exchange, type Params } from '#jsonrpc';

/** Where in `_meta` one who asks on behalf of several tells them apart. */
const callerKey = 'mcp-kit/caller';

/**
 * Who asks: whom the transport knows or, where that one asks on behalf of several, which of them. A request can only divide
 * what its sender has already, so what it says needs no proof. What is counted or shared out goes by `exchange.principal`:
 * nobody gets more by dividing itself.
 */
export function callerOf({ principal, message: { params } }: Exchange): string | undefined {
  const meta = params?.['_meta'];
  const told = isRecord(meta) ? meta[callerKey] : undefined;
  return typeof told === 'string' ? JSON.stringify([principal ?? null, digest(told)]) : principal;
}

/** Parameters of a request that is passed on, with who asks but not by name. */
export function onBehalf(
  caller: string | undefined,
  params: Params | undefined,
): Params | undefined {
  if (caller === undefined) return params;
  const meta = params?.['_meta'];
  return { ...params, _meta: { ...(isRecord(meta) && meta), [callerKey]: digest(caller) } };
}

function digest(text: string): string {
  return crypto().hash('sha256', text, 'base64url').slice(0, 22);
}
