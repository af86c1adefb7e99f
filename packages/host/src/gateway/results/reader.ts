import { invalidParams, RpcError, type Exchange, type Params } from 'mcp-kit/internal';
import { Context } from 'mcp-kit/server';
import { mistake, textResult, type OwnTool } from '../own-tools.ts';
import { idInUri, ownerOf } from './keep.ts';
import { jsonInSlices, type JsonTexts } from './json-text.ts';
import { ofLastRead } from './last-read.ts';
import { select } from './path.ts';
import type { ResultLimits } from './settings.ts';
import { isMedia, wholePairs } from './size.ts';
import type { Kept, ResultStore } from './store.ts';

/** The name of the tool that reads what is kept. */
export const readerName = 'read_result';

const usualLength = 20_000;
/** A character may take as many bytes, and four of these are a token. */
const bytesOfCharacter = 3;

/** Reads kept results: for models in parts, for programs as a resource. */
export interface ResultReader extends OwnTool {
  /** All of a kept result; nothing where the URI is of something else. */
  resource(uri: unknown, exchange: Exchange): Promise<object | undefined>;
}

/** Reads what is kept, for those whom it is kept for. */
export function resultReader(
  store: ResultStore,
  texts: JsonTexts,
  limits: () => ResultLimits | undefined,
): ResultReader {
  /** What was read last, as text: the next part of the same is likely to be next. */
  const lastOf = ofLastRead((): { path?: string; value?: unknown } => ({}));
  const found = async (kept: Kept, path: string): Promise<unknown> => {
    const last = lastOf(kept);
    if (last.path === path) return last.value;
    const selected = select(kept.result, path, texts.parserOf(kept));
    const isWhole = typeof selected === 'string' || isMedia(selected);
    const value = isWhole ? selected : await jsonInSlices(selected);
    Object.assign(last, { path, value });
    return value;
  };
  const mostCharacters = (): number => {
    const { maxTokens = Infinity } = limits() ?? {};
    return Math.max(1, Math.floor((maxTokens * 4) / bytesOfCharacter));
  };
  return {
    tool: {
      name: readerName,
      title: 'Read a large result',
      description:
        'Reads parts of a result that was too large to show. The result that was shown instead has the id.',
      inputSchema: {
        type: 'object',
        properties: {
          id: { type: 'string' },
          path: { type: 'string', description: 'JSON path; all of it when absent' },
          offset: { type: 'integer', minimum: 0, description: 'characters to skip' },
          length: { type: 'integer', minimum: 1, description: 'characters to read' },
        },
        required: ['id'],
      },
      annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    },
    async call(args, context) {
      const { id, path = '$' } = args;
      const kept = store.get(ownerOf(Context.exchangeOf(context)), String(id));
      if (kept === undefined) {
        return mistake('Nothing is kept under this id, or no longer. Call the tool again.');
      }
      try {
        const value = await found(kept, String(path));
        if (typeof value !== 'string') return { content: [value] };
        return part(value, numbersIn(args, mostCharacters()));
      } catch (error) {
        if (error instanceof RpcError) return mistake(error.message);
        throw error;
      }
    },
    async resource(uri, exchange) {
      const id = idInUri(uri);
      const kept = id === undefined ? undefined : store.get(ownerOf(exchange), id);
      if (kept === undefined) return undefined;
      const text = await jsonInSlices(kept.result);
      return { contents: [{ uri, mimeType: 'application/json', text }] };
    },
  };
}

function numbersIn(
  { offset = 0, length }: Params,
  most: number,
): { readonly offset: number; readonly length: number } {
  const wanted = length ?? Math.min(usualLength, most);
  if (!Number.isSafeInteger(offset) || Number(offset) < 0) {
    throw invalidParams('offset must be a whole number from 0 on');
  }
  if (!Number.isSafeInteger(wanted) || Number(wanted) < 1) {
    throw invalidParams('length must be a whole number from 1 on');
  }
  return { offset: Number(offset), length: Math.min(Number(wanted), most) };
}

/** The part itself is the first text, and says nothing of itself: that is in the second. */
function part(
  text: string,
  { offset, length }: { readonly offset: number; readonly length: number },
): object {
  const sliced = text.slice(offset, offset + length);
  // Not half a character, unless that is all that was asked for.
  const shown = sliced.length > 1 && offset + length < text.length ? wholePairs(sliced) : sliced;
  const end = offset + shown.length;
  const rest = end < text.length ? ` Go on with offset ${end}.` : ' That is the end.';
  return textResult(shown, `Characters ${offset} to ${end} of ${text.length}.${rest}`);
}
