import { isRecord } from '#jsonrpc';

/** A result of a tool whose content is a list; what servers of 2024 say as `toolResult` becomes a text in it. */
export function withContent(result: unknown): unknown {
  if (!isRecord(result) || Array.isArray(result['content'])) return result;
  const { toolResult } = result;
  if (toolResult === undefined) return result;
  const text = typeof toolResult === 'string' ? toolResult : JSON.stringify(toolResult);
  return { ...result, content: [{ type: 'text', text }] };
}
