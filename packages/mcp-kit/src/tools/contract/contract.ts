import { KitError, type Logger, type MaybePromise } from '#base';
import type { Encoded, Exchange, RpcError } from '#jsonrpc';
import type { CallToolResult, Tool as ListedTool } from '#protocol';
import type { Context } from '#server';
import type { Store } from '#store';
import type { Call } from '../call.ts';
import type { Entry } from '../entry.ts';
import type { Failure } from '../failure.ts';
import type { Manifest } from '../manifest/manifest.ts';
import type { Traces } from '../trace/traces.ts';

/** What clients see of the tools of a set, and of their calls. */
export interface Contract {
  /** Looks a tool over when it joins the set; throws when the contract cannot be kept. */
  admit?(entry: Entry): void;
  /** Looks at all tools of the set whenever some have joined. */
  review?(entries: Iterable<Entry>): void;
  listed(entry: Entry): ListedTool;
  /** Which tools a caller gets to see, as a name for them; absent: all see all. */
  view?(context: Context): string;
  /** Whether a tool is among those of a view. */
  shows?(entry: Entry, view: string): boolean;
  /** Why nobody sees a tool, where that is no secret. */
  hides?(entry: Entry): string | undefined;
  call(call: Call, logger: Logger): MaybePromise<CallToolResult | Encoded>;
  /** What legacy clients see instead; absent: the same. */
  readonly legacy?: Pick<Contract, 'listed' | 'call'> | undefined;
  /** Takes note of a call that ends with an error of the protocol, and gives what to answer. */
  readonly refuse?: ((error: RpcError, exchange: Exchange) => RpcError) | undefined;
  /**
   * The arguments with which a call that may go on as a task can be made once more, should its process die; nothing where it must
   * not be. Asked for tools that are not idempotent; `store` is where tasks are kept.
   */
  lasting?(call: Call, taskId: string, store: Store): Call['args'] | undefined;
  readonly manifest: (entry: Entry) => Manifest;
  /** Loads what the first calls will need. */
  warm?(): void;
  /** Where calls are remembered; then the set has tools that tell of them. */
  readonly traces?: Traces | undefined;
}

/** Makes the contract of a set. */
export type CreateContract = (set: {
  /** The version that envelopes name. */
  readonly version: string;
  readonly logger: Logger;
}) => Contract;

/** Elsewhere nothing would keep a dry run from being done for good. */
export function refusePlans({ tool }: Entry): void {
  if (tool.plan === undefined) return;
  throw new KitError('invalid_argument', `tool ${tool.name} has a plan: its set must be governed`, {
    hint: "Use toolSet(tools, { contract: governed() }), with governed from 'mcp-kit/tools/governed'.",
  });
}

/** How a call ended: with a value, shown as a result that still lacks its structured content, or with a failure. */
export type Outcome = (
  | { readonly ok: true; readonly value: unknown; readonly shown: CallToolResult }
  | { readonly ok: false; readonly failure: Failure }
) & {
  /** It is that of an earlier call with the same key. */
  readonly replayed?: true | undefined;
};
