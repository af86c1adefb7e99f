export { createAgent } from './agent.ts';
export type { HttpAuth, HttpChallenge } from './auth.ts';
export { callMcp } from './call-mcp.ts';
export type { HttpClientOptions } from './options.ts';
export { proxyFor } from './proxy.ts';
export { parseSse } from './sse.ts';
export { httpTarget, sseTarget } from './target.ts';
export type { HttpEvent } from './watch.ts';
