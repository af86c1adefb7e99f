import { metaOf, traceHeaders, traceOf, type Layer } from 'mcp-kit/internal';

/** Requests that do some work. */
const traced: ReadonlySet<string> = new Set([
  'tools/call',
  'prompts/get',
  'resources/read',
  'completion/complete',
]);

/** Tells the server which trace a request is part of: the one of its client, or one that begins here. */
export const oneTrace: Layer = (next) => (exchange) => {
  const { id, method, params } = exchange.message;
  if (id === undefined || !traced.has(method)) return next(exchange);
  const trace = traceOf(exchange);
  const _meta = { ...metaOf(params), ...traceHeaders(trace) };
  return next(exchange.forwarded({ ...params, _meta }));
};
