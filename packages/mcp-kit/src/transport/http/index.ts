export { createEndpoint, type Endpoint, type EndpointOptions } from './endpoint.ts';
export { createGuard, type Guard, type GuardOptions } from './guard.ts';
export {
  createListener,
  type ListenerOptions,
  isLoopback,
  serveHttp,
  type HttpListening,
  type HttpOptions,
} from './node.ts';
export type { Pace } from './paced-stream.ts';
export type { SessionLimits } from './sessions.ts';
export type {
  HeaderList,
  Headers,
  Identify,
  Refusal,
  Responder,
  ResponseStream,
} from './responder.ts';
export { profiles, type Profile, type ProfileName } from './profile.ts';
export { toFetchHandler, type FetchHandler } from './web.ts';
