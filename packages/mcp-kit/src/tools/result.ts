import { isRecord } from '#jsonrpc';
import type { CallToolResult, ContentBlock } from '#protocol';
import type { Failure } from './failure.ts';

/** How a call ended. */
export type Outcome =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly failure: Failure };

export function textBlock(text: string): ContentBlock {
  return { type: 'text', text };
}

/** What a tool without output schema returned, as a result. */
export function toResult(value: unknown): CallToolResult {
  if (typeof value === 'string') return { content: [{ type: 'text', text: value }] };
  if (value === undefined) return { content: [] };
  if (isCallToolResult(value)) return value;
  return { content: [textBlock(JSON.stringify(value))] };
}

/** A value described by an output schema; the text repeats it for clients that read no structured content. */
export function toStructuredResult(value: unknown, structuredContent: unknown): CallToolResult {
  return { content: [textBlock(JSON.stringify(value))], structuredContent };
}

export function toFailedResult({ code, message, suggestion }: Failure): CallToolResult {
  const text =
    suggestion === undefined ? `${code}: ${message}` : `${code}: ${message} ${suggestion}`;
  return { content: [textBlock(text)], isError: true };
}

export function isCallToolResult(value: unknown): value is CallToolResult {
  return isRecord(value) && Array.isArray(value['content']);
}
