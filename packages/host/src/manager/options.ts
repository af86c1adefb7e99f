import type { CredentialStore, Grant, Interaction } from 'mcp-kit/auth';
import type {
  Limits,
  Logger,
  MaybePromise,
  Notification,
  Params,
  Target,
  TraceListener,
  Unreadable,
} from 'mcp-kit/internal';
import type { InputContext, InputHandlers, SessionOptions } from 'mcp-kit/client';
import type { HttpClientOptions, HttpEvent } from 'mcp-kit/transport/http-client';
import type { Reloaded } from './compare.ts';
import type { ClientSettings } from './config/dialects/mcp-kit.ts';
import type { ServerEntry, TextRecord } from './config/entry.ts';
import type { GatewaySettings } from './config/gateway/settings.ts';
import type { InterpolationContext } from './config/interpolate.ts';
import type { EgressPolicy } from './egress/policy.ts';
import type { ServerStatus } from './supervise/state.ts';

/** What is managed: what `loadConfig` found, or entries of one's own. */
export interface ManagedConfig {
  readonly entries: readonly ServerEntry[];
  /** What the configuration says of this side. */
  readonly client?: ClientSettings | undefined;
  /** What the configuration tells a gateway of these servers. */
  readonly gateway?: GatewaySettings | undefined;
}

/** Options that every session gets. */
export const forSessions = [
  'name',
  'version',
  'era',
  'capabilities',
  'timeoutMs',
  'maxTotalMs',
  'connectTimeoutMs',
  'probeTimeoutMs',
  'ids',
  'strict',
  'validateOutput',
  'eraCache',
  'handlers',
] as const;

/** What a manager is made with; the options of sessions count for each of its servers. */
export interface ManagerOptions
  extends ManagedConfig, Pick<SessionOptions, (typeof forSessions)[number]> {
  /** The folder of the project: where relative paths and processes start; the working folder. */
  readonly root?: string | undefined;
  /** `untrusted`, unless given: each server is trusted if its user approved it. `trusted`: all are. */
  readonly trust?: 'untrusted' | 'trusted' | undefined;
  /** What servers that are not trusted may reach. */
  readonly policy?: Partial<EgressPolicy> | undefined;
  /** The file of this user's approvals; false: none count. */
  readonly receipts?: string | false | undefined;
  /** Where tokens of logins are kept, instead of a file of this user; false: nowhere, and nobody logs in. */
  readonly credentials?: CredentialStore | false | undefined;
  /** The https URL of a document that describes this client, for servers that read such instead of registering it. */
  readonly clientMetadataUrl?: string | undefined;
  /** What references in the entries of trusted servers resolve with; the environment of this process. */
  readonly env?: InterpolationContext['env'] | undefined;
  readonly home?: string | undefined;
  /**
   * The proxy for servers behind URLs that are trusted, unless their entry names one: its URL, or false for none. Without it
   * `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` of `env` say which.
   */
  readonly proxy?: string | URL | false | undefined;
  /** Who signs the certificates of servers that are trusted, in PEM, instead of those whom Node trusts. */
  readonly ca?: HttpClientOptions['ca'];
  /** Makes the connections to a URL of a server that is trusted, with `proxy` and `ca` as its own affair; it is not destroyed. */
  readonly agentFor?: ((url: string) => HttpClientOptions['agent']) | undefined;
  /** What one message of a server that is trusted may cost; its entry's own limits win. */
  readonly limits?: Partial<Limits> | undefined;
  /** Answers to the questions that a configuration asks, by id. */
  readonly inputValues?: TextRecord | undefined;
  readonly lookUp?: InterpolationContext['lookUp'] | undefined;
  /** Lets the log of a server's output be outside the folder of the project. */
  readonly allowStdoutLogOutsideRoot?: boolean | undefined;
  /** Opens servers again by itself after they were lost. On by default; a lost server that is asked opens in any case. */
  readonly reconnect?: boolean | undefined;
  /** The folder where tools are kept for the next start; false: nowhere. */
  readonly toolCache?: string | false | undefined;
  /** What a server that speaks another revision than `client.protocolVersion` leads to; `warn`. */
  readonly versionCheck?: 'strict' | 'warn' | 'ignore' | undefined;
  /** Ways to servers that the caller has made ready, by name; the others are reached as their entries say. */
  readonly targets?: Readonly<Record<string, Target>> | undefined;
  /** What only this side can give, for every server. */
  readonly inputs?: InputHandlers | undefined;
  /** Hears what servers say by themselves. */
  readonly onNotification?:
    | ((server: string, notification: Notification) => MaybePromise<void>)
    | undefined;
  /** Hears of what failed that nobody waits for, as streams that were cut; servers go on. */
  readonly onError?: ((server: string, error: Error) => void) | undefined;
  /** Answers requests of servers that nothing else answers. */
  readonly onRequest?:
    | ((
        server: string,
        request: { readonly method: string; readonly params?: Params | undefined },
        context: InputContext,
      ) => MaybePromise<unknown>)
    | undefined;
  /** Told when the tools of a server may be others now: it said so, or was opened. Ask for them again. */
  readonly onToolsChanged?: ((server: string) => void) | undefined;
  /** Told about each step of each server. */
  readonly onChange?: ((status: ServerStatus) => void) | undefined;
  /** Sees every message that crosses; `unreadable` is why something that came is no message, and how it begins. */
  readonly onTrace?: ((server: string, ...crossing: Parameters<TraceListener>) => void) | undefined;
  /** Hears what came from a server, in any conversation with it, and is no message within the limits. */
  readonly onUnreadable?: ((server: string, what: Unreadable) => void) | undefined;
  /** Sees the HTTP requests to servers: their answers, and what failed. */
  readonly onHttp?: ((server: string, event: HttpEvent) => void) | undefined;
  /** Hears what the processes of servers say on their standard error. */
  readonly onStderr?: ((server: string, text: string) => void) | undefined;
  readonly logger?: Logger | undefined;
}

/** Hears what happens to the servers of a manager. */
export interface ManagerWatcher {
  /** Each step of each server. */
  changed?(status: ServerStatus): void;
  /** What servers say by themselves. */
  heard?(server: string, notification: Notification): void;
  /** The manager has gone over to another configuration. */
  reloaded?(outcome: Reloaded): void;
  /** The approval of a server was taken back. */
  revoked?(server: string): void;
  /** Nobody is logged in to a server any more: of an account, or its own user. */
  loggedOut?(server: string, account: string | undefined): void;
}

/** How somebody logs in to a server. */
export interface LoginOptions {
  /** How to reach the person who logs in. */
  readonly interact: Interaction;
  /** By browser, unless told otherwise. */
  readonly grant?: Extract<Grant, { readonly kind: 'browser' | 'device' }> | undefined;
  /** Asked for beside what the server wants. */
  readonly scopes?: readonly string[] | undefined;
  /** A client that the issuer knows, instead of the one of the configuration. */
  readonly clientId?: string | undefined;
  /** Whose login it is, where several have one: it is kept apart from that of the server's own user. */
  readonly account?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}
