import { Encoded, isRecord } from 'mcp-kit/internal';
import type { Entry, Outcome } from './entry.ts';
import { itemIn } from './watch.ts';

/** What kind of message it is, or what else was heard. */
type RowKind =
  | 'request'
  | 'notification'
  | 'result'
  | 'error'
  | 'unreadable'
  | 'stderr'
  | 'output'
  | 'state';

/** An entry as a page lists it. */
export interface Row {
  readonly seq: number;
  /** In milliseconds since 1970. */
  readonly at: number;
  readonly wire: Entry['wire'];
  /** Whether it came to the one in the middle, or went out from there. */
  readonly isIn: boolean;
  readonly kind: RowKind;
  readonly server?: string | undefined;
  readonly host?: string | undefined;
  readonly peer?: number | undefined;
  readonly version?: string | undefined;
  readonly method?: string | undefined;
  /** The tool, prompt or resource. */
  readonly item?: string | undefined;
  readonly id?: unknown;
  /** The message that began the call it is part of. */
  readonly call?: number | undefined;
  /** The message that it answers, and how long that took. */
  readonly answers?: number | undefined;
  readonly ms?: number | undefined;
  readonly outcome?: Outcome | undefined;
  readonly bytes: number;
  /** How it begins, without secrets. */
  readonly gist: string;
}

/** Gives what may be shown of a value: without secrets. */
export type Mask = (value: unknown) => unknown;

const gistCharacters = 160;

/** The message of an entry as the wire has it: results may have been kept as they were encoded. */
export function messageOf({ message }: Entry): unknown {
  if (!isRecord(message) || !(message['result'] instanceof Encoded)) return message;
  const { value, json } = message['result'];
  return { ...message, result: value ?? JSON.parse(json) };
}

/** An entry in short, without secrets. */
export function rowOf(entry: Entry, mask: Mask): Row {
  const { seq, atMs, wire, direction, call, answers, outcome } = entry;
  const message = messageOf(entry);
  const { id, params } = Object(message) as Readonly<Record<string, unknown>>;
  return {
    seq,
    at: inMs(atMs),
    wire,
    isIn: direction !== 'sent',
    kind: kindOf(entry),
    ...whoseOf(entry),
    method: entry.method ?? answers?.method,
    item: itemIn(isRecord(params) ? params : undefined) ?? call?.item,
    id,
    call: call?.seq,
    answers: answers?.seq,
    ms: answers && inMs(atMs - answers.atMs),
    outcome,
    bytes: bytesOf(message),
    gist: short(mask(gistIn(message))),
  };
}

/** To the microsecond. */
function inMs(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

function whoseOf({
  server,
  call,
  peer = call?.peer,
}: Entry): Pick<Row, 'server' | 'host' | 'peer' | 'version'> {
  return {
    server: server ?? call?.server,
    host: peer?.name,
    peer: peer?.id,
    version: peer?.version,
  };
}

function short(said: unknown): string {
  const gist = typeof said === 'string' ? said : (JSON.stringify(said) ?? '');
  return gist.length > gistCharacters ? `${gist.slice(0, gistCharacters)}…` : gist;
}

function kindOf({ direction, message, method }: Entry): RowKind {
  if (direction !== 'received' && direction !== 'sent') return direction;
  if (!isRecord(message)) return 'result';
  if (method !== undefined && !('result' in message || 'error' in message)) {
    return message['id'] === undefined ? 'notification' : 'request';
  }
  return 'error' in message ? 'error' : 'result';
}

/** What of a message says most. */
function gistIn(message: unknown): unknown {
  if (!isRecord(message)) return message ?? '';
  const { params, result, error } = message;
  if (isRecord(error)) return `${String(error['code'])} ${String(error['message'])}`;
  if (isRecord(params)) return params['arguments'] ?? withoutMeta(params);
  if (!isRecord(result)) return result ?? '';
  const { content } = result;
  const [block]: unknown[] = Array.isArray(content) ? content : [];
  return isRecord(block) && typeof block['text'] === 'string' ? block['text'] : withoutMeta(result);
}

function withoutMeta({ _meta, ...rest }: Readonly<Record<string, unknown>>): object {
  return rest;
}

function bytesOf(message: unknown): number {
  if (message === undefined) return 0;
  return Buffer.byteLength(typeof message === 'string' ? message : JSON.stringify(message));
}
