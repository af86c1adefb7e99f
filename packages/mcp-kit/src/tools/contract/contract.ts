import { isPromise, KitError, type Logger, type MaybePromise } from '#base';
import { structured, type CallToolResult, type Era, type Tool as ListedTool } from '#protocol';
import type { Encoded, Exchange, RpcError } from '#jsonrpc';
import type { Context, Handler } from '#server';
import { runCall, type Call } from '../call.ts';
import type { Tool } from '../define-tool.ts';
import { listed, type Entry } from '../entry.ts';
import { traitsOf, type Manifest } from '../manifest/manifest.ts';
import { toFailedResult, type Outcome } from './result.ts';

/** The tools of a set, by name. */
export type Registry = ReadonlyMap<string, Entry>;

/** What clients see of the tools of a set, and of their calls. */
export interface Contract {
  /** Looks a tool over when it joins the set; throws when the contract cannot be kept. */
  admit?(entry: Entry): void;
  /** Looks at all tools of the set whenever some have joined. */
  review?(entries: Iterable<Entry>): void;
  listed(entry: Entry, era: Era): ListedTool;
  /** Which tools a caller gets to see, as a name for them; absent: all see all. */
  view?(context: Context): string;
  /** Whether a tool is among those of a view. */
  shows?(entry: Entry, view: string): boolean;
  call(call: Call, logger: Logger): MaybePromise<CallToolResult | Encoded>;
  /** Takes note of a call that ends with an error of the protocol, and gives what to answer. */
  readonly refuse?: (error: RpcError, exchange: Exchange) => RpcError;
  manifest(entry: Entry): Manifest;
  /** Loads what the first calls will need. */
  warm?(): void;
  /** Tools that the contract itself adds. */
  readonly tools: readonly Tool[];
  /** The same, as plain methods for legacy clients. */
  readonly legacyMethods: Readonly<Record<string, Handler>>;
}

/** Makes the contract of a set. */
export type CreateContract = (set: {
  readonly registry: Registry;
  /** The version that envelopes name. */
  readonly version: string;
  readonly logger: Logger;
}) => Contract;

/** Tools and results as their authors wrote them. */
export const plainContract: Contract = {
  admit: refusePlans,
  listed,
  call(call, logger) {
    const outcome = runCall(call, logger);
    return isPromise(outcome)
      ? outcome.then((settled) => present(call, settled))
      : present(call, outcome);
  },
  manifest({ tool, input, output }) {
    const { name, description } = tool;
    const outputSchema = output?.json ?? {};
    return { name, description, ...traitsOf(tool), inputSchema: input.json, outputSchema };
  },
  tools: [],
  legacyMethods: {},
};

function present({ entry, context }: Call, outcome: Outcome): CallToolResult {
  if (!outcome.ok) return toFailedResult(outcome.failure);
  const { value, shown } = outcome;
  if (entry.output === undefined) return shown;
  const structuredContent = structured[context.client.era].value(value, entry.output.json);
  return { ...shown, structuredContent };
}

/** Elsewhere nothing would keep a dry run from being done for good. */
export function refusePlans({ tool }: Entry): void {
  if (tool.plan === undefined) return;
  throw new KitError('invalid_argument', `tool ${tool.name} has a plan: its set must be governed`, {
    hint: "Use toolSet(tools, { contract: governed() }), with governed from 'mcp-kit/tools/governed'.",
  });
}
