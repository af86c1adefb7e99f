import { shellWord, silentLogger, type Logger, type MaybePromise } from '#base';
import { createFetch, type Fetch } from './fetch.ts';
import { savedCredentials, type SavedCredentials } from './credentials.ts';
import type { KnownClient } from './identity.ts';
import type { Issuer } from './issuer.ts';
import type { Interaction } from './login/interaction.ts';
import type { CredentialStore } from './store/store.ts';
import { defaultEgress, type EgressPolicy } from './egress.ts';

/** How tokens are got. */
export type Grant =
  /** A person logs in with a browser. */
  | { readonly kind: 'browser' }
  /** A person logs in with a browser on another device, and types a code. */
  | { readonly kind: 'device' }
  /** The client itself is let in, by its secret or its key. */
  | { readonly kind: 'client-credentials' }
  /** The identity provider of an enterprise vouches for whoever is logged in there. */
  | {
      readonly kind: 'enterprise';
      readonly idp: { readonly client: KnownClient } & (
        | { readonly issuer: string }
        | { readonly tokenEndpoint: string }
      );
      /** The ID token of the person, of that provider. */
      readonly idToken: () => MaybePromise<string>;
    }
  /** A token of the platform that the program runs on vouches for it. */
  | { readonly kind: 'workload'; readonly assertion: () => MaybePromise<string> };

/** For which server tokens are got, how, as whom, and where they are kept. */
export interface AuthorizerOptions {
  /** The address of the MCP server. */
  readonly server: string | URL;
  /** What the user calls it, for messages; its address otherwise. */
  readonly name?: string | undefined;
  /** What stands for it after `mcpctl login`, for hints; its name otherwise. */
  readonly typedAs?: string | undefined;
  readonly store: CredentialStore;
  /** Whose tokens these are, where the store has those of several for one server. */
  readonly account?: string | undefined;
  /** Through which everything goes; without one, https, and this machine for servers that are here. */
  readonly egress?: EgressPolicy | undefined;
  /** How to reach the person; without it nobody is asked, and what needs a person fails at once. */
  readonly interact?: Interaction | undefined;
  /** By browser, unless told otherwise. */
  readonly grant?: Grant | undefined;
  /** A client that the authorization server knows. */
  readonly client?: KnownClient | undefined;
  /** The https URL of a document that describes the client, for servers that read such. */
  readonly clientMetadataUrl?: string | undefined;
  /** The name under which clients are registered; `mcp-kit`. */
  readonly clientName?: string | undefined;
  /** Where the browser comes back to, when the client is known only with one address. */
  readonly redirectUri?: string | undefined;
  /** Asked for beside what the server wants. */
  readonly scopes?: readonly string[] | undefined;
  /** Where the metadata of the authorization server is, when the MCP server does not say. */
  readonly metadataUrl?: string | undefined;
  /** Whether tokens are bound to a key: when the server wants it (`auto`), or always. */
  readonly proof?: 'auto' | 'always' | undefined;
  readonly logger?: Logger | undefined;
  /** Ends everything that is under way. */
  readonly signal?: AbortSignal | undefined;
}

/** What the parts of an authorizer share. */
export interface Setup {
  readonly options: AuthorizerOptions;
  readonly server: URL;
  readonly name: string;
  readonly typedAs: string;
  readonly grant: Grant;
  readonly egress: EgressPolicy;
  readonly fetch: Fetch;
  readonly saved: SavedCredentials;
  readonly logger: Logger;
  /** Issuers that have shown in this process that they know our client. */
  readonly proven: Set<string>;
  /** Issuers whose metadata was asked for in this process. */
  readonly issuers: Map<string, Issuer>;
}

export function setupOf(options: AuthorizerOptions): Setup {
  const server = new URL(options.server);
  server.hash = '';
  server.username = '';
  server.password = '';
  const egress = options.egress ?? defaultEgress(server);
  const { name = server.href } = options;
  return {
    options,
    server,
    name,
    typedAs: options.typedAs ?? shellWord(name),
    grant: options.grant ?? { kind: 'browser' },
    egress,
    fetch: createFetch(egress, { signal: options.signal }),
    saved: savedCredentials(options.store, server.href, options.account),
    logger: options.logger ?? silentLogger,
    proven: new Set(),
    issuers: new Map(),
  };
}
