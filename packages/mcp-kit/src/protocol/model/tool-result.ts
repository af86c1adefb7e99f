import { Buffer } from 'node:buffer';
import { KitError } from '#base';
import { isRecord } from '#jsonrpc';
import type { CallToolResult } from './types.ts';

/** A result of a tool whose content is a list; what servers of 2024 say as `toolResult` becomes a text in it. */
export function withContent(result: unknown): unknown {
  if (!isRecord(result) || Array.isArray(result['content'])) return result;
  const { toolResult } = result;
  if (toolResult === undefined) return result;
  const text = typeof toolResult === 'string' ? toolResult : JSON.stringify(toolResult);
  return { ...result, content: [{ type: 'text', text }] };
}

/** The result of a tool whose structured content is a `T`, by the word of its server or by its output schema. */
export interface ToolResult<T = unknown> extends CallToolResult {
  readonly structuredContent?: T;
}

/** The texts of a result, one after the other, each on lines of its own. */
export function textOf({ content }: CallToolResult): string {
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}

/** The structured content of a result, where its tool gives any. */
export function structuredOf<T>({ structuredContent }: ToolResult<T>): T | undefined {
  return structuredContent;
}

/** An image as bytes. */
export interface Image {
  readonly mimeType: string;
  readonly bytes: Uint8Array;
}

/** The images of a result. */
export function imagesOf({ content }: CallToolResult): readonly Image[] {
  return content.flatMap((block) =>
    block.type === 'image'
      ? [{ mimeType: block.mimeType, bytes: Buffer.from(block.data, 'base64') }]
      : [],
  );
}

/** The result as it is; throws what a tool that has failed says instead. */
export function orThrow<Result extends CallToolResult>(result: Result): Result {
  if (result.isError !== true) return result;
  const { content, structuredContent } = result;
  const message = textOf(result) || 'the tool failed without a word';
  throw new KitError('tool_failed', message, { details: { content, structuredContent } });
}
