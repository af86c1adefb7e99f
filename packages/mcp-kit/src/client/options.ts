import type { Logger, StopSignal } from '#base';
import type { Params } from '#jsonrpc';
import type { ClientCapabilities, Era, Implementation, Meta } from '#protocol';
import type { HandlerOptions } from './handler-queue.ts';
import type { InputHandlers, RequestListener } from './inputs.ts';
import type { NotificationListener } from './notification-queue.ts';
import type { ResultCache } from './result-cache.ts';
import type { StormBreaker } from './storm.ts';
import type { Verdicts } from './verdicts.ts';

/** How long things may take unless the options say otherwise. */
export const defaults = {
  timeoutMs: 30_000,
  maxTotalMs: 600_000,
  connectTimeoutMs: 60_000,
  probeTimeoutMs: 5000,
} as const;

export interface SessionOptions extends Partial<Implementation> {
  /** Which era to speak; by default whichever the server knows, the newer one first. */
  readonly era?: 'auto' | Era | undefined;
  /** The one revision to offer; the era follows from it. One that is not known here is offered in the older era. */
  readonly protocolVersion?: string | undefined;
  /** What only this side can give: answers of the user, the model, the workspace. */
  readonly inputs?: InputHandlers | undefined;
  /** Answers what else a server asks; without an answer it is not known here, which a server of the older era is told. */
  readonly onRequest?: RequestListener | undefined;
  /** How `inputs` and `onRequest` are called. */
  readonly handlers?: HandlerOptions | undefined;
  /** Hears what the server says by itself. While a promise it returned is pending, 256 more may wait. */
  readonly onNotification?: NotificationListener | undefined;
  /** Asks a server of the stateless era to tell `onNotification` of every changed list. On by default. */
  readonly watchLists?: boolean | undefined;
  /** Told each time a conversation with the server has begun, the first included. */
  readonly onOpened?: (() => void) | undefined;
  /** Told when the server was lost without `close`; the next call opens the session anew. */
  readonly onLost?: ((cause: Error | undefined) => void) | undefined;
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
  /** How long a server may be silent after the first question before the older era is tried as well. */
  readonly probeTimeoutMs?: number | undefined;
  /** How requests are numbered; some servers take only one of them. */
  readonly ids?: 'number' | 'string' | undefined;
  /** Closes the session on the first malformed message instead of counting it. */
  readonly strict?: boolean | undefined;
  /** Opens the session anew when the server forgot it or its process died. On by default. */
  readonly heal?: boolean | undefined;
  /** How often the session may be opened anew within how long; 5 times in 30 s, unless given. May be shared. */
  readonly breaker?: StormBreaker | undefined;
  /** Checks structured results against the schema of their tool, once that was listed. On by default. */
  readonly validateOutput?: boolean | undefined;
  readonly logger?: Logger | undefined;
  /** Gives up opening. */
  readonly signal?: AbortSignal | undefined;
  /** What is known of servers' eras; shared by the process unless given. */
  readonly verdicts?: Verdicts | undefined;
  /** Where results are kept that a server allows to be kept; the session's own unless given. */
  readonly cache?: ResultCache | undefined;
}

/** How one call may differ. */
export interface CallOptions {
  readonly timeoutMs?: number;
  readonly maxTotalMs?: number;
  /** Cancels: the call settles at once, and the server is told. */
  readonly signal?: StopSignal;
  /** Receives the parameters of each progress notification. */
  readonly onProgress?: (progress: Params) => void;
  /** Called when the server hangs up for now, and lets the answer be fetched after the wait it names; that is done anyway. */
  readonly onReleased?: (retryMs: number | undefined) => void;
  /**
   * Sent along as `_meta`. A `traceparent` in it, and its `tracestate`, are said as HTTP headers as well: with
   * `context.traceHeaders` a call that a tool makes joins the trace of the call it serves.
   */
  readonly meta?: Meta;
}

/** How one completion may differ. */
export interface CompleteOptions extends CallOptions {
  /** What the other arguments are already. */
  readonly arguments?: Readonly<Record<string, string>>;
}

/** How long a call may take in all. */
export function maxTotalOf({ maxTotalMs }: CallOptions, session: SessionOptions): number {
  return maxTotalMs ?? session.maxTotalMs ?? defaults.maxTotalMs;
}
