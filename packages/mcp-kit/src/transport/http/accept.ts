import { isRecord, rpcErrors } from '#jsonrpc';
import { claimsModern, modernVersion } from '#protocol';
import type { Profile } from './profile.ts';
import { single, type Headers, type Refusal } from './responder.ts';

/** The form an answer may take: JSON that may become a stream, or only the one. */
export type AnswerMode = 'either' | 'json' | 'sse';

/** What nearly every client sends. */
const usual = 'application/json, text/event-stream';

/** Chooses the form of an answer to a POST; nothing when the client accepts none we have. */
export function chooseMode(accept: string | undefined, profile: Profile): AnswerMode | undefined {
  if (profile.answer === 'json' || profile.answer === 'sse') return profile.answer;
  if (accept === usual) return 'either';
  if (accept === undefined || accept === '') return profile.acceptRequired ? undefined : 'json';
  const ranges = readRanges(accept);
  const json = rankOf(ranges, ['application/json', 'application/*', '*/*']);
  const sse = rankOf(ranges, ['text/event-stream', 'text/*', '*/*']);
  if (json === 0 && sse === 0) return profile.unacceptable === 'serve' ? 'json' : undefined;
  if (json === 0) return 'sse';
  if (sse === 0) return 'json';
  return profile.answer === 'accept-order' && sse > json ? 'sse' : 'either';
}

/** Where the order of the Accept header decides, it does so also about answers that something precedes. */
export function inOrder(mode: AnswerMode, { answer }: Profile): AnswerMode {
  return mode === 'either' && answer === 'accept-order' ? 'json' : mode;
}

interface Range {
  readonly type: string;
  readonly quality: number;
}

function readRanges(accept: string): readonly Range[] {
  return accept.split(',').map((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const quality = parameters.find((parameter) => /^q=[01](?:\.\d{0,3})?$/.test(parameter));
    return { type, quality: quality === undefined ? 1 : Number(quality.slice(2)) };
  });
}

/** How welcome a type is, 0 when it is not: by the most specific range that names it, and of equals the first is first. */
function rankOf(ranges: readonly Range[], names: readonly string[]): number {
  for (const name of names) {
    const at = ranges.findIndex((range) => range.type === name);
    const quality = ranges[at]?.quality;
    if (quality !== undefined) return quality === 0 ? 0 : quality - at * 1e-9;
  }
  return 0;
}

/** Whether GET asks for an event stream. */
export function wantsStream(headers: Headers): boolean {
  const accept = single(headers, 'accept');
  return accept !== undefined && rankOf(readRanges(accept), ['text/event-stream']) > 0;
}

export function unacceptable(profile: Profile): Refusal {
  return {
    status: profile.unacceptable === 'serve' ? 406 : profile.unacceptable,
    error: {
      code: rpcErrors.invalidRequest,
      message: 'Accept must list application/json and text/event-stream',
    },
  };
}

/** A POST must say that it carries JSON, which no web page can without asking first. */
export function wrongContentType(headers: Headers): Refusal | undefined {
  const type = headers['content-type'];
  if (type === 'application/json') return undefined;
  if (typeof type === 'string' && /^application\/json\s*(?:;|$)/i.test(type)) return undefined;
  return {
    status: 415,
    error: { code: rpcErrors.invalidRequest, message: 'Content-Type must be application/json' },
  };
}

/** A message is modern when its header or its body says so; what they disagree on is settled later. */
export function speaksModern(headers: Headers, value: unknown): boolean {
  return headers['mcp-protocol-version'] === modernVersion || isModern(value);
}

/** The same, by its body alone. */
export function isModern(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { params } = value;
  return isRecord(params) && claimsModern(params);
}
