import { isRecord, type Params } from '#jsonrpc';
import type { Meta } from '#protocol';

/** Parameters with what a call sends along as `_meta`; what they have themselves goes before. */
export function withMeta(params: Params | undefined, meta: Meta | undefined): Params | undefined {
  if (meta === undefined) return params;
  const own = params?.['_meta'];
  return { ...params, _meta: isRecord(own) ? { ...meta, ...own } : meta };
}

const traceNames = ['traceparent', 'tracestate'];
const headerValue = /^[\x20-\x7e]{1,512}$/;

/** The headers that say which trace a call is part of, for whoever does not read its `_meta`. */
export function traceHeadersOf(
  params: Params | undefined,
): Readonly<Record<string, string>> | undefined {
  const meta = params?.['_meta'];
  if (!isRecord(meta) || meta['traceparent'] === undefined) return undefined;
  const headers: Record<string, string> = {};
  for (const name of traceNames) {
    const value = meta[name];
    if (typeof value === 'string' && headerValue.test(value)) headers[name] = value;
  }
  return headers;
}
