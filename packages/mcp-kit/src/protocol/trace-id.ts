import { crypto } from '#base';
import { isRecord, type Exchange } from '#jsonrpc';

const made = new WeakMap<Exchange, string>();

/** The trace a request belongs to: what its `traceparent` of W3C names, as clients send it in `_meta`, or one of its own. */
export function traceIdOf(exchange: Exchange): string {
  const known = named(exchange) ?? made.get(exchange);
  if (known !== undefined) return known;
  const id = crypto().randomBytes(16).toString('hex');
  made.set(exchange, id);
  return id;
}

function named({ request }: Exchange): string | undefined {
  const meta = request.params?.['_meta'];
  const parent = isRecord(meta) ? meta['traceparent'] : undefined;
  if (typeof parent !== 'string') return undefined;
  return /^[\da-f]{2}-([\da-f]{32})-[\da-f]{16}-[\da-f]{2}$/.exec(parent)?.[1];
}
