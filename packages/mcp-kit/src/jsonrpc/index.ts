export type { Vocabulary } from './ask.ts';
export type { Channel, Headers, MessageOptions, Origin, Sent, Sink } from './channel.ts';
export { Connection } from './connection.ts';
export {
  Encoded,
  encodeError,
  encodeNotification,
  encodeResult,
  encodeThrown,
  onOneLine,
  resultParts,
  type Parts,
} from './encode.ts';
export { RpcError, rpcErrors, toErrorObject, type HttpAside } from './error.ts';
export {
  Exchange,
  weightOfCall,
  type Link,
  type RequestOptions,
  type TraceContext,
} from './exchange.ts';
export type { ConnectionOptions, Handlers } from './handlers.ts';
export { defaultLimits, type Limits } from './limits.ts';
export {
  classify,
  isId,
  isRecord,
  type Classified,
  type ErrorObject,
  type Id,
  type Message,
  type Notification,
  type Params,
  type Request,
  type Response,
} from './message.ts';
export { hasRoomFor, noRoom, noRoomError, refusalOf } from './refusals.ts';
export { oversized, parseMessage, type Parsed, type Unparsed } from './parse.ts';
