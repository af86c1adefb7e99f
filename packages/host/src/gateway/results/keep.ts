import {
  callerOf,
  chain,
  conversationOf,
  Encoded,
  isRecord,
  type Exchange,
  type JsonSchema,
  type Layer,
} from 'mcp-kit/internal';
import { jsonBeginning, type JsonTexts } from './json-text.ts';
import type { ResultLimits } from './settings.ts';
import { shapeOf } from './shape.ts';
import { beginningOf, tokensOf } from './size.ts';
import type { Kept, Owner, ResultStore } from './store.ts';
import { shortened } from './structured.ts';

/** What keeping results needs to know. */
export interface Keeping {
  readonly store: ResultStore;
  readonly texts: JsonTexts;
  /** Nothing where no result is kept. */
  limits(): ResultLimits | undefined;
  /** Told of each result that is kept, before the client is. */
  kept(): void;
  /** Whether a result is shown as it is: of the gateway's own tools, which are small, and what a client shows in an app. */
  isShown(exchange: Exchange): boolean;
  /** What the client takes a structured result of this call for; nothing where it was told nothing. */
  outputSchema(exchange: Exchange): JsonSchema | undefined;
  /** How the model of this client calls the tool that reads what is kept. */
  readerFor(exchange: Exchange): string;
}

/** Where in `_meta` programs find what is kept. */
const keptKey = 'mcp-kit/kept';
const scheme = 'mcp-kit-result:';
const shapeBytes = 1600;
const beginningBytes = 1000;
/** Members that are larger are not shown. */
const smallTokens = 100;

/** The URI by which a program reads all of a kept result. */
function uriOfKept(id: string): string {
  return `${scheme}${id}`;
}

/** The id in such a URI. */
export function idInUri(uri: unknown): string | undefined {
  return typeof uri === 'string' && uri.startsWith(scheme) ? uri.slice(scheme.length) : undefined;
}

/** Who is not told apart from others by anything has what the id says. */
const nobody = {};

/** Whom the results of a request are kept for. */
export function ownerOf(exchange: Exchange): Owner {
  return callerOf(exchange) ?? conversationOf(exchange) ?? nobody;
}

/** Keeps results of tools that are too large for a model, and shows it what they are and how to read them. */
export function keepLarge(keeping: Keeping): Layer {
  const { store, limits, isShown } = keeping;
  const watched = new WeakSet<object>();
  const watch = (exchange: Exchange): void => {
    const conversation = conversationOf(exchange);
    if (conversation === undefined || watched.has(conversation)) return;
    watched.add(conversation);
    conversation.onEnded(() => {
      watched.delete(conversation);
      store.forget(conversation);
    });
  };
  return (next) => (exchange) => {
    const { id, method } = exchange.message;
    if (id === undefined || method !== 'tools/call' || isShown(exchange)) {
      return next(exchange);
    }
    return chain(next(exchange), (answer) => {
      const most = limits();
      const result = answer instanceof Encoded ? answer.value : answer;
      if (most === undefined || !isRecord(result) || !isLarge(result, most.maxTokens)) {
        return answer;
      }
      watch(exchange);
      const kept = store.keep(ownerOf(exchange), result, exchange.link.budget);
      if (kept === undefined) return answer;
      keeping.kept();
      return shown(kept, exchange, { ...keeping, most });
    });
  };
}

/** A host shows a model the content or the structured content, not both. */
function isLarge(result: Kept['result'], maxTokens: number): boolean {
  if (result['resultType'] === 'input_required') return false;
  const { content, structuredContent } = result;
  return [content, structuredContent].some((part) => tokensOf(part, maxTokens) > maxTokens);
}

function shown(
  kept: Kept,
  exchange: Exchange,
  { readerFor, outputSchema, texts, most }: Keeping & { readonly most: ResultLimits },
): object {
  const { id, result, bytes } = kept;
  const { content: _content, structuredContent, _meta, ...rest } = result;
  const minutes = Math.ceil(most.lifetimeMs / 60_000);
  const how = `${readerFor(exchange)} with id ${id}`;
  const failed = result['isError'] === true ? 'The tool failed, and what it said' : 'The result';
  const text = [
    `${failed} is too large to show: about ${tokensOf(result)} tokens. It is kept whole.`,
    `To read parts of it, call ${how}. path is a JSON path, such as $.content[0].text or $.structuredContent.items[0:5]; it leads into texts that are JSON, too. offset and length count characters. It is forgotten ${minutes} minutes after it was last read.`,
    `Programs read all of it as the resource ${uriOfKept(id)}.`,
    'It has:',
    shapeOf(kept, shapeBytes, texts.parserOf(kept)),
    'It begins with:',
    beginningOf(beginning(result), beginningBytes),
  ].join('\n');
  const told = { id, uri: uriOfKept(id), bytes };
  const members = Object.entries({ ..._metaOf(_meta), [keptKey]: told });
  const answer = {
    ...Object.fromEntries(Object.entries(rest).filter(([, value]) => isSmall(value))),
    content: [{ type: 'text', text }],
    _meta: Object.fromEntries(members.filter(([, value]) => isSmall(value))),
  };
  const schema = structuredContent === undefined ? undefined : outputSchema(exchange);
  if (schema === undefined || result['isError'] === true) return answer;
  const short = shortened(structuredContent, schema, `Shortened. Read all of it: ${how}`);
  if (short !== undefined) return { ...answer, structuredContent: short };
  // A client that checks results takes no other than the whole one, except for an error.
  const succeeded =
    'The call has SUCCEEDED; do not repeat it. It is marked as an error only because its result cannot be shown in a shorter form that its output schema allows.';
  return {
    ...answer,
    content: [{ type: 'text', text: `${succeeded}\n${text}` }],
    isError: true,
  };
}

function _metaOf(meta: unknown): Readonly<Record<string, unknown>> {
  return isRecord(meta) ? meta : {};
}

function isSmall(value: unknown): boolean {
  return tokensOf(value, smallTokens) <= smallTokens;
}

/** What a person would see first. */
function beginning({ content, structuredContent }: Kept['result']): string {
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  const first = blocks.find((block) => isRecord(block) && typeof block['text'] === 'string');
  if (isRecord(first)) return String(first['text']);
  return jsonBeginning(structuredContent ?? blocks, beginningBytes);
}
