import { metaOf, traceHeaders, traceOf, type Exchange, type Params } from 'mcp-kit/internal';

/** Requests that do some work. */
const traced: ReadonlySet<string> = new Set([
  'tools/call',
  'prompts/get',
  'resources/read',
  'completion/complete',
]);

/** Parameters that tell the server which trace a request is part of: the one of its client, or one that begins here. */
export function withTrace(exchange: Exchange, params: Params): Params {
  if (!traced.has(exchange.message.method)) return params;
  return { ...params, _meta: { ...metaOf(params), ...traceHeaders(traceOf(exchange)) } };
}
