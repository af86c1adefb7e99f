export { createAuthorizer, type Authorizer, type Login } from './authorizer.ts';
export type { LoginStep } from './examine.ts';
export { createFetch, type Fetch, type FetchBounds, type FetchInit } from './fetch.ts';
export type { AuthMethod, KnownClient } from './identity.ts';
export { findIssuer, type Issuer } from './issuer.ts';
export { browserInteraction, type BrowserInteractionOptions } from './login/browser-interaction.ts';
export type { BrowserLogin, DevicePrompt, Interaction } from './login/interaction.ts';
export { openBrowser, type OpenBrowserOptions } from './login/open-browser.ts';
export type { AuthorizerOptions, Grant } from './options.ts';
export {
  credentialsPath,
  openCredentials,
  type CredentialFileOptions,
} from './store/file-store.ts';
export type { KeychainEntry } from './store/keychain.ts';
export { memoryCredentials, type CredentialStore } from './store/store.ts';
export type { AuthChallenge, AuthRequest } from './token-keeper.ts';
export type { Subject } from './tokens.ts';
export { defaultEgress, type EgressPolicy } from './egress.ts';
