import { canonicalJson, crypto, KitError } from '#base';
import { isRecord } from '#jsonrpc';
import { fail, type ToolFailure } from '../failure.ts';
import type { Outcome } from '../contract/contract.ts';

/**
 * What is known of the calls with one key:
 * `running` nothing has been changed yet; lapses by itself when its process dies.
 * `applying` something may have been changed, by a process that says until when it is sure to be alive.
 * `waiting` something has been changed, and it goes on when whoever was asked has answered.
 * `failed` it ended within `apply` with a failure that is worth another try.
 * `done` this is the answer.
 */
export interface KeyRecord {
  readonly phase: 'running' | 'applying' | 'waiting' | 'failed' | 'done';
  /** Digest of the arguments. */
  readonly args: string;
  /** Which call wrote it. */
  readonly owner: string;
  /** What the names of new things are derived from: the same for as long as the call is one, and another for every other one. */
  readonly nonce?: string | undefined;
  readonly untilMs?: number | undefined;
  /** Digest of the plan, where its author says what it was made from: equal as long as it has not been applied. */
  readonly witness?: string | undefined;
  readonly outcome?: Outcome | undefined;
}

/** Where something is kept of an account, under a name that is its own within a kind of things. */
export function placeOf(
  kind: 'idempotency' | 'plan',
  account: string | undefined,
  name: string,
): string {
  return `${kind}/${account === undefined ? nobody : digest(account)}/${name}`;
}

/** Stands for the caller where callers are not told apart. */
export const nobody = '-';

/** Whose it is that is kept in this place. */
export function ownerOf(place: string): string {
  return place.split('/', 2)[1] ?? nobody;
}

export function digest(value: unknown): string {
  return crypto().hash('sha256', canonicalJson(value), 'base64url');
}

/** Reads a record back; nothing for what is none. */
export function parseRecord(text: string): KeyRecord | undefined {
  try {
    const value: unknown = JSON.parse(text);
    // Only this module writes under these keys.
    return isRecord(value) && typeof value['phase'] === 'string'
      ? (value as unknown as KeyRecord)
      : undefined;
  } catch {
    return undefined;
  }
}

/** A record as text; an answer that is too large is remembered without its content. */
export function writeRecord(record: KeyRecord, maxCharacters: number): string {
  const text = JSON.stringify(record);
  return text.length <= maxCharacters ? text : shortened(record);
}

/** The same record, as text, without the content of its answer; anything else as it is. */
export function withoutAnswer(text: string): string {
  const record = parseRecord(text);
  return record?.outcome === undefined ? text : shortened(record);
}

const maxMessage = 200;

function shortened(record: KeyRecord): string {
  const { outcome } = record;
  if (outcome === undefined) return JSON.stringify(record);
  if (outcome.ok) {
    const note = 'This was done before; its answer is not kept.';
    const shown = { content: [{ type: 'text', text: note }] } as const;
    return JSON.stringify({ ...record, outcome: { ok: true, value: null, shown } });
  }
  const { code, retryable, message, stage } = outcome.failure;
  const failure = { code, retryable, message: message.slice(0, maxMessage), stage };
  return JSON.stringify({ ...record, outcome: { ok: false, failure } });
}

/** What to say where nothing can be promised, because it cannot be remembered. */
export function cannotBeKept(error: unknown, what: string): ToolFailure {
  const isFull = error instanceof KitError && error.code === 'overloaded';
  if (!isFull) return fail('E_UNAVAILABLE', `What keeps ${what} cannot be reached.`);
  return fail('E_UNAVAILABLE', `There is no room for more ${what}.`, {
    suggestion:
      'Nothing was done. Try again when older ones have lapsed; whoever runs the server can give it a larger store.',
  });
}
