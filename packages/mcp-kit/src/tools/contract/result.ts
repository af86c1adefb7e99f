import { isRecord } from '#jsonrpc';
import type { CallToolResult, ContentBlock } from '#protocol';
import type { Failure } from '../failure.ts';

/** How a call ended: with a value, shown as a result that still lacks its structured content, or with a failure. */
export type Outcome = (
  | { readonly ok: true; readonly value: unknown; readonly shown: CallToolResult }
  | { readonly ok: false; readonly failure: Failure }
) & {
  /** It is that of an earlier call with the same key. */
  readonly replayed?: true;
};

export function textBlock(text: string): ContentBlock {
  return { type: 'text', text };
}

/** What a tool without output schema returned, as a result. */
export function toResult(value: unknown): CallToolResult {
  if (typeof value === 'string') return { content: [{ type: 'text', text: value }] };
  if (value === undefined) return { content: [] };
  if (isCallToolResult(value)) return value;
  return toTextResult(value);
}

/** A value as JSON text: all that clients see who read no structured content. */
export function toTextResult(value: unknown): CallToolResult {
  return { content: [textBlock(JSON.stringify(value) ?? 'null')] };
}

export function toFailedResult({ code, message, suggestion }: Failure): CallToolResult {
  const text =
    suggestion === undefined ? `${code}: ${message}` : `${code}: ${message} ${suggestion}`;
  return { content: [textBlock(text)], isError: true };
}

export function isCallToolResult(value: unknown): value is CallToolResult {
  return isRecord(value) && Array.isArray(value['content']);
}
