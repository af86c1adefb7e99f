// What most programs that use servers over HTTP need, under one name; the entries have the rest.
export {
  imagesOf,
  openSession,
  orThrow,
  structuredOf,
  textOf,
  type CallOptions,
  type Image,
  type Session,
  type SessionOptions,
  type ToolResult,
} from '#client';
export {
  callMcp,
  httpTarget,
  parseSse,
  sseTarget,
  type CallMcpOptions,
  type HttpClientOptions,
  type SseEvent,
} from '#transport/http-client';
