import type { Logger, MaybePromise, StopSignal } from '#base';
import type { Notification, Params } from '#jsonrpc';
import type {
  ClientCapabilities,
  ElicitResult,
  Era,
  Implementation,
  JsonSchema,
  Meta,
  RootsResult,
  SamplingResult,
} from '#protocol';
import type { EraCache } from './probe.ts';
import type { StormBreaker } from './limit.ts';

/** How long things may take unless the options say otherwise. */
export const defaults = {
  timeoutMs: 30_000,
  maxTotalMs: 600_000,
  connectTimeoutMs: 60_000,
  probeTimeoutMs: 5000,
} as const;

/** Who the owner of a session is, what it answers and hears, and how long things may take. */
export interface SessionOptions extends Partial<Implementation> {
  /** Which era to speak; by default whichever the server knows, the modern one first. */
  readonly era?: 'auto' | Era | undefined;
  /** The one revision to offer; the era follows from it. One that is not known here is offered in the legacy era. */
  readonly protocolVersion?: string | undefined;
  /** What only this side can give: answers of the user, the model, the workspace. */
  readonly inputs?: InputHandlers | undefined;
  /** Answers what else a server asks; without an answer it is not known here, which a server of the legacy era is told. */
  readonly onRequest?: RequestListener | undefined;
  /** How `inputs` and `onRequest` are called. */
  readonly handlers?: HandlerOptions | undefined;
  /** Hears what the server says by itself. A promise makes what comes after wait; 256 may. */
  readonly onNotification?: ((notification: Notification) => MaybePromise<void>) | undefined;
  /** Asks a server of the modern era to tell `onNotification` of every changed list. On by default. */
  readonly watchLists?: boolean | undefined;
  /** Told each time a conversation with the server has begun, the first included. */
  readonly onOpened?: (() => void) | undefined;
  /** Told when the server was lost without `close`; the next call opens the session anew. */
  readonly onLost?: ((cause: Error | undefined) => void) | undefined;
  /**
   * Hears of what failed that nobody waits for: a stream for what the server says by itself, an answer to it that was not
   * delivered, a subscription that was cut. The session goes on, and tries again what can be tried again.
   */
  readonly onError?: ((error: Error) => void) | undefined;
  /** What this side can do besides `inputs`. */
  readonly capabilities?: ClientCapabilities | undefined;
  /** Who this side is, with all that it says of itself, instead of `name`, `version` and what else is known of it. */
  readonly clientInfo?: Implementation | undefined;
  /** Further members of what `initialize` says. */
  readonly initializeParams?: Params | undefined;
  /** How long to wait for an answer or a sign of progress. */
  readonly timeoutMs?: number | undefined;
  /** How long to wait in all, whatever progress says. */
  readonly maxTotalMs?: number | undefined;
  /** How long opening may take in all, the start of a slow server included, whatever it says meanwhile. */
  readonly connectTimeoutMs?: number | undefined;
  /** How long a server may be silent after the first question before the legacy era is tried as well. */
  readonly probeTimeoutMs?: number | undefined;
  /** How requests are numbered; some servers take only one of them. */
  readonly ids?: 'number' | 'string' | undefined;
  /** Closes the session on the first malformed message instead of counting it. */
  readonly strict?: boolean | undefined;
  /**
   * Opens the session anew when the server forgot it or its process died. On by default; without it the session ends then,
   * `closed` says why, and nothing is repeated.
   */
  readonly heal?: boolean | undefined;
  /** How often the session may be opened anew within how long; 5 times in 30 s, unless given. May be shared. */
  readonly breaker?: StormBreaker | undefined;
  /** Whether what reads may be asked again whose answer was lost; asked each time, and always so unless given. */
  readonly mayRepeat?: (() => boolean) | undefined;
  /** Checks structured results against the schema of their tool, once that was listed. On by default. */
  readonly validateOutput?: boolean | undefined;
  /** What errors call the server, instead of how it is reached. */
  readonly label?: string | undefined;
  readonly logger?: Logger | undefined;
  /** Gives up opening. */
  readonly signal?: AbortSignal | undefined;
  /** What is known of servers' eras; shared by the process unless given. */
  readonly eraCache?: EraCache | undefined;
}

/** How one call may differ. */
export interface CallOptions {
  /** How long to wait for an answer or a sign of progress; `Infinity` for no limit. */
  readonly timeoutMs?: number | undefined;
  /** How long to wait in all, whatever progress says. */
  readonly maxTotalMs?: number | undefined;
  /** Cancels: the call settles at once, and the server is told. */
  readonly signal?: StopSignal | undefined;
  /** Receives the parameters of each progress notification. Calls of tools ask for progress also without it. */
  readonly onProgress?: ((progress: Params) => void) | undefined;
  /** Called when the server hangs up for now, and lets the answer be fetched after the wait it names; that is done anyway. */
  readonly onReleased?: ((retryMs: number | undefined) => void) | undefined;
  /** Told when a call of a tool goes on as a task, with the id of that: whoever writes it down can ask for it later, too. */
  readonly onTask?: ((taskId: string) => void) | undefined;
  /**
   * Sent along as `_meta`. A `traceparent` in it, and its `tracestate`, are said as HTTP headers as well: with
   * `context.traceHeaders` a call that a tool makes joins the trace of the call it serves.
   */
  readonly meta?: Meta | undefined;
}

/** How one notification may differ. */
export type NotifyOptions = Pick<CallOptions, 'timeoutMs' | 'maxTotalMs' | 'signal'>;

/** How one completion may differ. */
export interface CompleteOptions extends CallOptions {
  /** What the other arguments are already. */
  readonly arguments?: Readonly<Record<string, string>> | undefined;
}

/** A form the server wants filled in. */
export interface ElicitForm extends Meta {
  readonly message: string;
  readonly requestedSchema: JsonSchema;
}

/** A page the server wants its user to visit. */
export interface ElicitVisit extends Meta {
  readonly message: string;
  readonly url: string;
}

/** A question for the client's model. */
export interface SamplingRequest extends Meta {
  readonly messages: readonly unknown[];
  readonly maxTokens: number;
}

/** The directories that a client works in. */
type Roots = RootsResult['roots'];

/** What a handler of the owner is told beside its request. */
export interface InputContext {
  /** Fires when the answer is no longer wanted. */
  readonly signal: AbortSignal;
}

/** What only this side can give. Whatever is here is declared to the server, in either era. */
export interface InputHandlers {
  /** Fills in a form; what an accepted one leaves out gets the default of its schema. */
  elicit?(form: ElicitForm, context: InputContext): MaybePromise<ElicitResult>;
  /** Sends the user to a page; `accept` says that they agreed to go there. */
  elicitUrl?(visit: ElicitVisit, context: InputContext): MaybePromise<ElicitResult>;
  /** Asks the model. */
  sample?(params: SamplingRequest, context: InputContext): MaybePromise<SamplingResult>;
  /** The directories this side works in. */
  readonly roots?: Roots | ((context: InputContext) => MaybePromise<Roots>) | undefined;
}

/** Answers a request of a server that nothing else answers; `undefined` says that it is not known here either. */
export type RequestListener = (
  request: { readonly method: string; readonly params?: Params | undefined },
  context: InputContext,
) => MaybePromise<unknown>;

/** How the owner's handlers are treated. */
export interface HandlerOptions {
  /** How many of the server's requests are handled at the same time; others wait in order. All, unless given. */
  readonly concurrency?: number | undefined;
  /** How long a handler may take before the server is told that it timed out; for ever, unless given. */
  readonly timeoutMs?: number | undefined;
}

/** What happened so far, for diagnosis. */
export interface SessionStats {
  /** Messages that could not be read. */
  readonly malformed: number;
  /** How the first of them began. */
  readonly samples: readonly string[];
  /** Notifications lost because their listener was too slow. */
  readonly droppedNotifications: number;
  /** Handlers that took longer than they may. */
  readonly handlerTimeouts: number;
  /** How often a conversation was opened. */
  readonly handshakes: number;
}
