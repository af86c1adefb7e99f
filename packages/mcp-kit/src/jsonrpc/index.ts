export type { Vocabulary } from './ask.ts';
export type { Channel, MessageOptions, Sent, Sink } from './channel.ts';
export { Connection } from './connection.ts';
export {
  noRoom,
  noRoomError,
  RpcError,
  rpcErrors,
  toErrorObject,
  type HttpAside,
  unavailable,
} from './error.ts';
export {
  Exchange,
  headerOf,
  refusalOf,
  weightOfCall,
  type Headers,
  type Link,
  type Origin,
  type RequestOptions,
  type TraceContext,
} from './exchange.ts';
export type { ConnectionOptions, Handlers } from './handlers.ts';
export {
  classify,
  Encoded,
  encodeError,
  isId,
  isRecord,
  onOneLine,
  resultParts,
  sizeOf,
  type Classified,
  type ErrorObject,
  type Id,
  type Message,
  type Notification,
  type Params,
  type Parts,
  type Request,
  type Response,
} from './message.ts';
export {
  defaultLimits,
  oversized,
  parseMessage,
  type Limits,
  type Parsed,
  type Unparsed,
} from './parse.ts';
