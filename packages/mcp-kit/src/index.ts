// What nine programs of ten need: a server with its tools, a session with one. The other entries have the rest.
export { KitError } from '#base';
export { RpcError } from '#jsonrpc';
export { elicit, sample } from '#protocol';
export {
  definePrompt as prompt,
  defineResource as resource,
  defineResourceTemplate as resourceTemplate,
  type Context,
  type Server,
} from '#server';
export { defineTool as tool, fail } from '#tools';
export {
  imagesOf,
  orThrow,
  structuredOf,
  textOf,
  type CallOptions,
  type Image,
  type Session,
  type SessionOptions,
  type ToolResult,
} from '#client';
export { connect, type Place } from './connect.ts';
export { createServer, type ServerOptions } from './create-server.ts';
export { serve } from './serve.ts';
