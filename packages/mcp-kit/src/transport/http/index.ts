export { createEndpoint, type Endpoint, type EndpointOptions } from './endpoint.ts';
export { createGuard, type Guard, type GuardOptions } from './guard.ts';
export {
  createListener,
  isLoopback,
  serveHttp,
  type HttpListening,
  type HttpOptions,
} from './node.ts';
export { profiles, type Profile, type ProfileName } from './profile.ts';
export { toFetchHandler, type FetchHandler } from './web.ts';
