// What nine programs of ten need: a server with its tools, a session with one. The other entries have the rest.
export {
  KitError,
  stderrLogger,
  type KitErrorCode,
  type Logger,
  type LoggerLevel,
  type MaybePromise,
  type StopSignal,
} from '#base';
export { RpcError } from '#jsonrpc';
export {
  elicit,
  imagesOf,
  orThrow,
  sample,
  structuredOf,
  textOf,
  type Image,
  type ToolResult,
} from '#protocol';
export {
  definePrompt as prompt,
  defineResource as resource,
  defineResourceTemplate as resourceTemplate,
  type Context,
  type Server,
} from '#server';
export { defineTool as tool, fail } from '#tools';
export type { CallOptions, Session, SessionOptions } from '#client';
export { connect, type Place } from './connect.ts';
export { createServer, type ServerOptions } from './create-server.ts';
export { serve } from './serve.ts';
