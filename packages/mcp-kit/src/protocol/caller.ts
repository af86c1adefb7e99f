import { crypto } from '#base';
import type { Exchange, Params } from '#jsonrpc';
import { metaOf } from './envelope.ts';

/** Where in `_meta` a client that asks on behalf of several tells them apart. */
const callerKey = 'mcp-kit/caller';

/**
 * Who asks: the principal or, where it asks on behalf of several, which of them. A request can only divide what its sender has
 * already, so this needs no proof. Limits go by `exchange.principal`: nobody gets more by dividing itself.
 */
export function callerOf({ principal, message: { params } }: Exchange): string | undefined {
  const told = metaOf(params)?.[callerKey];
  return typeof told === 'string' ? JSON.stringify([principal ?? null, digest(told)]) : principal;
}

/** Parameters of a request that is passed on, with who asks but not by name. */
export function onBehalf(
  caller: string | undefined,
  params: Params | undefined,
): Params | undefined {
  if (caller === undefined) return params;
  return { ...params, _meta: { ...metaOf(params), [callerKey]: digest(caller) } };
}

function digest(text: string): string {
  return crypto().hash('sha256', text, 'base64url').slice(0, 22);
}
