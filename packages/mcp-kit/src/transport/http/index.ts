export { createCors, type Cors } from './cors.ts';
export { createEndpoint, type Endpoint, type EndpointOptions, type Load } from './endpoint.ts';
export { createForwarding, type Forwarding } from './forwarding.ts';
export type { Admit, Caller, Incoming, Visit } from './admit.ts';
export { createGuard, type Guard, type GuardOptions } from './guard.ts';
export {
  isLoopback,
  serveHttp,
  type DrainOptions,
  type HttpListening,
  type HttpOptions,
  type TlsIdentity,
} from './node.ts';
export { createListener, type ListenerOptions } from './listener.ts';
export type { Page, Pages } from './router.ts';
export type { Pace } from './paced-stream.ts';
export type { SessionLimits } from './sessions.ts';
export {
  asError,
  type HeaderList,
  type Headers,
  type Identify,
  type Observer,
  type Refusal,
  type Responder,
  type ResponseStream,
} from './responder.ts';
export { profileOf, profiles, type Profile, type ProfileName } from './profile.ts';
export { toFetchHandler, type FetchHandler } from './web.ts';
