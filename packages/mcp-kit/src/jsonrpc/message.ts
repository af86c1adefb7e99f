import { Buffer } from 'node:buffer';
import { KitError } from '#base';
import { toErrorObject } from './error.ts';

/** A request id. Ids of different types are different ids: `1` is not `"1"`. */
export type Id = string | number;

/** Named parameters; what is unknown passes untouched. */
export interface Params {
  readonly [key: string]: unknown;
}

export interface Request {
  readonly jsonrpc: '2.0';
  readonly id: Id;
  readonly method: string;
  readonly params?: Params | undefined;
}

/** A message that has no answer. */
export interface Notification {
  readonly jsonrpc: '2.0';
  readonly id?: undefined;
  readonly method: string;
  readonly params?: Params | undefined;
}

/** What one side asks or tells the other. */
export type Message = Request | Notification;

/** The error of a response. */
export interface ErrorObject {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** An answer; the id is absent when the asked side could not read it. */
export interface Response {
  readonly jsonrpc: '2.0';
  readonly id?: Id | null;
  readonly result?: unknown;
  readonly error?: ErrorObject | null;
}

export type Classified =
  | { readonly kind: 'request'; readonly message: Request }
  | { readonly kind: 'notification'; readonly message: Notification }
  | { readonly kind: 'response'; readonly message: Response }
  | {
      readonly kind: 'invalid';
      readonly id: Id | undefined;
      readonly reason: string;
      /** It asks nothing: its id, if any, is one of the receiver's. */
      readonly answers?: true | undefined;
    };

/** True for what may identify a request: any string, or an integer that survives JSON both ways. */
export function isId(value: unknown): value is Id {
  return typeof value === 'string' || Number.isSafeInteger(value);
}

/** True for a JSON object, as opposed to an array, `null` or a primitive. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Says what any JSON value is, taken as one JSON-RPC message. */
export function classify(value: unknown): Classified {
  if (!isRecord(value)) return invalid(undefined, 'a message must be an object');
  const { id, method, params } = value;
  const readableId = isId(id) ? id : undefined;
  if (value['jsonrpc'] !== '2.0') {
    return invalid(readableId, 'jsonrpc must be "2.0"', method === undefined ? true : undefined);
  }
  if (method === undefined) return classifyResponse(value);
  if (typeof method !== 'string') return invalid(readableId, 'method must be a string');
  if (params !== undefined && !isRecord(params)) {
    return invalid(readableId, 'params must be an object');
  }
  // The checks above are what the message types promise.
  if (id === undefined) {
    return { kind: 'notification', message: value as unknown as Notification };
  }
  if (readableId === undefined) return invalid(undefined, 'id must be a string or a safe integer');
  return { kind: 'request', message: value as unknown as Request };
}

/** Ids of responses are ours, not the peer's: a bad one is never answered, but it ends the wait for a good one. */
function classifyResponse(value: Record<string, unknown>): Classified {
  const { id, result, error } = value;
  if (result === undefined && error === undefined) {
    return invalid(isId(id) ? id : undefined, 'neither method nor result nor error', true);
  }
  const succeeded = result !== undefined && (error === undefined || error === null);
  const failed = result === undefined && isErrorObject(error);
  const unknownId = id === undefined || id === null;
  // The checks above are what the message type promises.
  if (isId(id) ? succeeded || failed : failed && unknownId) {
    return { kind: 'response', message: value as unknown as Response };
  }
  if (!isId(id)) return invalid(undefined, 'unreadable response');
  const malformed = { code: -32_603, message: 'The peer sent a malformed response' };
  return { kind: 'response', message: { jsonrpc: '2.0', id, error: malformed } };
}

function isErrorObject(error: unknown): error is ErrorObject {
  return isRecord(error) && Number.isInteger(error['code']) && typeof error['message'] === 'string';
}

function invalid(id: Id | undefined, reason: string, answers?: true): Classified {
  return { kind: 'invalid', id, reason, answers };
}

const members =
  /^\s*\{(?:\s*"(?:jsonrpc|method)"\s*:\s*"[^"\\]{0,200}"\s*,|\s*"id"\s*:\s*(?:\d{1,15}|"[^"\\]{0,200}")\s*,){0,3}/;
const idAmong = /"id"\s*:\s*(\d{1,15}|"[^"\\]{0,200}")\s*,/;
const idFirst =
  /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15}|"[^"\\]{0,200}")\s*,\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"(?:result|error)"/;
const outcomeFirst = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"(?:result|error)"/;
const idLast = /"id"\s*:\s*(\d{1,15}|"[^"\\]{0,200}")\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/;

/** The id of a response of which only the beginning and the end are known; peers write it first or last. */
export function idOfResponse(head: string, tail: string): Id | undefined {
  const [, json] = (outcomeFirst.test(head) ? idLast.exec(tail) : idFirst.exec(head)) ?? [];
  return readId(json);
}

/** Whether a message that begins so is a request, and which; it may say its name only at its end. */
export function requestIn(head: string): { readonly id: Id } | 'later' | undefined {
  const [begun = ''] = members.exec(head) ?? [];
  if (!begun.includes('"method"')) return undefined;
  const id = readId(idAmong.exec(begun)?.[1]);
  return id === undefined ? 'later' : { id };
}

/** The id that is the last member of a message, or the last but one. */
export function idAtEnd(tail: string): Id | undefined {
  return readId(idLast.exec(tail)?.[1]);
}

function readId(json: string | undefined): Id | undefined {
  if (json === undefined) return undefined;
  const id: unknown = JSON.parse(json);
  return isId(id) ? id : undefined;
}

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

/** How many bytes an answer has. */
export function sizeOf(answer: string | Parts): number {
  if (typeof answer === 'string') return Buffer.byteLength(answer);
  const [head, bytes, tail] = answer;
  return Buffer.byteLength(head) + bytes.length + tail.length;
}

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
