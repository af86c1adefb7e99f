import { Encoded } from '#jsonrpc';
import type { EnvelopeMeta } from '../contract/envelope.ts';
import type { Outcome } from '../contract/result.ts';

/**
 * The result of a call whose value is not a whole result, as JSON: most of an envelope is known to need no escaping, and a value that
 * is shown as its own JSON is written once.
 */
export function encodeSuccess(
  { value = null, shown }: Outcome & { readonly ok: true },
  meta: EnvelopeMeta,
  version: string,
): Encoded {
  const [block] = shown.content;
  const text = shown.content.length === 1 && block?.type === 'text' ? block.text : undefined;
  const textJson = text === undefined ? '' : JSON.stringify(text);
  const data = value === text ? textJson : (JSON.stringify(value) ?? 'null');
  const content =
    text === undefined ? JSON.stringify(shown.content) : `[{"type":"text","text":${textJson}}]`;
  const { traceId, tool, durationMs, timestamp } = meta;
  const replayed = meta.replayed === true ? ',"replayed":true' : '';
  return new Encoded(
    `{"content":${content},"structuredContent":{"success":true,"data":${data},"error":null,` +
      `"meta":{"traceId":"${traceId}","tool":"${tool}","version":${version},` +
      `"durationMs":${durationMs},"timestamp":"${timestamp}"${replayed}}}}`,
  );
}
