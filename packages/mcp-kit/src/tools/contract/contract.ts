import { KitError, type Logger, type MaybePromise } from '#base';
import { isRecord, type Encoded, type Exchange, type RpcError } from '#jsonrpc';
import type { CallToolResult, ContentBlock, Tool as ListedTool } from '#protocol';
import type { Context } from '#server';
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
  readonly legacy?: Pick<Contract, 'listed' | 'call'>;
  /** Takes note of a call that ends with an error of the protocol, and gives what to answer. */
  readonly refuse?: (error: RpcError, exchange: Exchange) => RpcError;
  readonly manifest: (entry: Entry) => Manifest;
  /** Loads what the first calls will need. */
  warm?(): void;
  /** Where calls are remembered; then the set has tools that tell of them. */
  readonly traces?: Traces;
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

/** Text as content. */
export function textBlock(text: string): ContentBlock {
  return { type: 'text', text };
}

/** What a tool without output schema returned, as a result. */
export function toResult(value: unknown): CallToolResult {
  if (typeof value === 'string') return { content: [{ type: 'text', text: value }] };
  if (value === undefined) return { content: [] };
  if (isCallToolResult(value)) return value;
  return { content: [textBlock(JSON.stringify(value) ?? 'null')] };
}

/** A value that a schema describes, together with what is read of it. */
export class WithContent {
  readonly value: unknown;
  readonly content: readonly ContentBlock[];

  constructor(value: unknown, content: readonly ContentBlock[]) {
    this.value = value;
    this.content = content;
  }
}

/** What `run` returns where more is to be read than the value says: a picture, or a file. */
export function withContent<Value>(value: Value, content: readonly ContentBlock[]): Value {
  // Taken apart again before anybody sees it.
  return new WithContent(value, content) as Value;
}

/** What is read of a value that its schema describes. */
export function shownValue({ tool }: Entry, value: unknown): readonly ContentBlock[] {
  // What the output schema let through is what `show` takes.
  const shown = tool.show?.(value as never) ?? JSON.stringify(value) ?? 'null';
  return typeof shown === 'string' ? [textBlock(shown)] : shown;
}

/** A failure as a result. */
export function toFailedResult({ code, message, suggestion }: Failure): CallToolResult {
  const said = /[.!?:]$/.test(message) ? message : `${message}.`;
  const text = suggestion === undefined ? `${code}: ${message}` : `${code}: ${said} ${suggestion}`;
  return { content: [textBlock(text)], isError: true };
}

/** Whether a tool returned a whole result. */
export function isCallToolResult(value: unknown): value is CallToolResult {
  return isRecord(value) && Array.isArray(value['content']);
}
