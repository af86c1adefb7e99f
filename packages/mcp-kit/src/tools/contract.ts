import { isPromise, type Logger, type MaybePromise } from '#base';
import { structuredFor, type CallToolResult, type Era, type Tool as ListedTool } from '#protocol';
import type { Handler } from '#server';
import { runCall, type Call } from './call.ts';
import type { Tool } from './define-tool.ts';
import { listed, type Entry } from './entry.ts';
import { toFailedResult, type Outcome } from './result.ts';

/** The tools of a set, by name. */
export type Registry = ReadonlyMap<string, Entry>;

/** What clients see of the tools of a set, and of their calls. */
export interface Contract {
  listed(entry: Entry, era: Era): ListedTool;
  call(call: Call, logger: Logger): MaybePromise<CallToolResult>;
  /** Tools that the contract itself adds. */
  readonly tools: readonly Tool[];
  /** The same, as plain methods for clients of the handshake era. */
  readonly legacyMethods: Readonly<Record<string, Handler>>;
}

/** Tools and results as their authors wrote them. */
export const plainContract: Contract = {
  listed,
  call(call, logger) {
    const outcome = runCall(call, logger);
    return isPromise(outcome)
      ? outcome.then((settled) => present(call, settled))
      : present(call, outcome);
  },
  tools: [],
  legacyMethods: {},
};

function present({ entry, context }: Call, outcome: Outcome): CallToolResult {
  if (!outcome.ok) return toFailedResult(outcome.failure);
  const { value, shown } = outcome;
  if (entry.output === undefined) return shown;
  const structuredContent = structuredFor(value, entry.output.json, context.client.era);
  return { ...shown, structuredContent };
}
