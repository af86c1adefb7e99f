import { Buffer } from 'node:buffer';
import { KitError } from '#base';
import { toErrorObject } from './error.ts';
import type { ErrorObject, Id, Notification, Params, Request } from './message.ts';

/** Below this it takes longer to hand bytes over beside their head than to write all as one text. */
const worthKeeping = 32 * 1024;

/** A result whose JSON is known already, so that a list is not serialised anew for every caller. */
export class Encoded {
  readonly json: string;
  /** What it was made from, where somebody may want to look at it. */
  readonly value: unknown;
  readonly #lasts: boolean;
  #bytes: Uint8Array | undefined;

  /** `lasts`: it will be sent again and again. */
  constructor(json: string, value?: unknown, lasts = false) {
    this.json = json;
    this.value = value;
    this.#lasts = lasts && json.length >= worthKeeping;
  }

  /** The same as bytes, made once; nothing for what is small, or sent once. */
  get bytes(): Uint8Array | undefined {
    if (this.#lasts) this.#bytes ??= Buffer.from(onOneLine(this.json));
    return this.#bytes;
  }
}

/**
 * The same JSON without the two characters that are line ends to some: `readline` of Node from version 24 on, by which
 * servers and clients read messages.
 */
export function onOneLine(json: string): string {
  if (!json.includes('\u2028') && !json.includes('\u2029')) return json;
  return json.replaceAll('\u2028', String.raw`\u2028`).replaceAll('\u2029', String.raw`\u2029`);
}

/** An answer in parts, one of which is kept as bytes. */
export type Parts = readonly [head: string, bytes: Uint8Array, tail: string];

/** A result answer in parts; nothing when its bytes are not kept. */
export function resultParts(id: Id, result: unknown): Parts | undefined {
  const bytes = result instanceof Encoded ? result.bytes : undefined;
  return bytes && [`{"jsonrpc":"2.0","id":${encodeId(id)},"result":`, bytes, '}'];
}

const encodeId = (id: Id): string => (typeof id === 'number' ? String(id) : JSON.stringify(id));

/** A result answer; throws when the result is not JSON. */
export function encodeResult(id: Id, result: unknown): string {
  const json = result instanceof Encoded ? result.json : (JSON.stringify(result ?? {}) ?? '{}');
  return `{"jsonrpc":"2.0","id":${encodeId(id)},"result":${json}}`;
}

/** An error answer; without an id when none could be read, or with `null` for it. */
export function encodeError(id: Id | null | undefined, error: ErrorObject): string {
  const idPart = id === undefined ? '' : `"id":${id === null ? 'null' : encodeId(id)},`;
  return `{"jsonrpc":"2.0",${idPart}"error":${JSON.stringify(error)}}`;
}

/** The answer to a request that failed, whatever was thrown. */
export function encodeThrown(id: Id | undefined, thrown: unknown): string {
  try {
    return encodeError(id, toErrorObject(thrown));
  } catch (notJson) {
    return encodeError(id, toErrorObject(notJson));
  }
}

/** A message of ours; parameters that are not JSON are their author's error. */
export function encodeMessage(message: Request | Notification): string {
  try {
    return JSON.stringify(message);
  } catch (cause) {
    throw new KitError('invalid_argument', `${message.method}: the parameters are not JSON`, {
      hint: 'Leave out big integers and circular references.',
      cause,
    });
  }
}

export function toNotification(method: string, params: Params | undefined): Notification {
  return { jsonrpc: '2.0', method, params };
}

export function encodeNotification(method: string, params: Params | undefined): string {
  return JSON.stringify(toNotification(method, params));
}
