import {
  invalidParams,
  isRecord,
  type MaybePromise,
  type Params,
  type Tool,
} from 'mcp-kit/internal';
import type { Context } from 'mcp-kit/server';

/** A tool of the gateway itself. Its name has no `__`, which all names of servers' tools have. */
export interface OwnTool {
  readonly tool: Tool;
  call(args: Params, context: Context): MaybePromise<object>;
}

/** A result that is text. */
export function textResult(...texts: readonly string[]): { readonly content: readonly object[] } {
  return { content: texts.map((text) => ({ type: 'text', text })) };
}

/** A result that tells the model what it did wrong. */
export function mistake(text: string): object {
  return { ...textResult(text), isError: true };
}

/** Calls one of the gateway's tools; nothing where it has none of this name. */
export function callOwn(
  tools: ReadonlyMap<string, OwnTool>,
  { name, arguments: args = {} }: Params,
  context: Context,
): MaybePromise<object> | undefined {
  const own = typeof name === 'string' ? tools.get(name) : undefined;
  if (own === undefined) return undefined;
  if (!isRecord(args)) throw invalidParams('arguments must be an object');
  return own.call(args, context);
}
