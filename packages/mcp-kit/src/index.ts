// What most programs that use servers over HTTP need, under one name; the entries have the rest.
export { openSession, type CallOptions, type Session, type SessionOptions } from '#client';
export {
  callMcp,
  httpTarget,
  sseTarget,
  type CallMcpOptions,
  type HttpClientOptions,
} from '#transport/http-client';
