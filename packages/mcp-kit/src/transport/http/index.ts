export { createGuard, type Admit, type Caller, type Visit } from './admit.ts';
export { createEndpoint, type Endpoint, type EndpointOptions } from './endpoint.ts';
export { createListener } from './node.ts';
export { profileOf, profiles, type Profile, type ProfileName } from './profile.ts';
export { asError, type Headers, type Observer, type Refusal, type Responder } from './responder.ts';
export type { Page, Pages } from './router.ts';
export {
  isLoopback,
  serveHttp,
  type HttpListening,
  type HttpOptions,
  type TlsIdentity,
} from './serve-http.ts';
export { toFetchHandler, type FetchHandler } from './web.ts';
