import { canonicalJson, crypto } from '#base';
import { isRecord } from '#jsonrpc';
import type { Outcome } from '../result.ts';

/**
 * What is known of the calls with one key:
 * `running` nothing has been changed yet; lapses by itself when its process dies.
 * `applying` something may have been changed, by a process that says until when it is sure to be alive.
 * `failed` it ended within `apply` with a failure that is worth another try.
 * `done` this is the answer.
 */
export interface KeyRecord {
  readonly phase: 'running' | 'applying' | 'failed' | 'done';
  /** Digest of the arguments. */
  readonly args: string;
  /** Which call wrote it. */
  readonly owner: string;
  readonly untilMs?: number;
  /** Digest of the plan, where its author says what it was made from: equal as long as it has not been applied. */
  readonly witness?: string;
  readonly outcome?: Outcome;
}

/** Where the record of a key is kept: a caller's keys are its own, and so are a tool's. */
export function recordKey(scope: {
  readonly principal: string | undefined;
  readonly tool: string;
  readonly key: string;
}): string {
  return `idempotency/${digest([scope.principal ?? null, scope.tool, scope.key])}`;
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
  if (text.length <= maxCharacters || record.outcome === undefined) return text;
  const note = 'This was done before; the answer was too large to be kept.';
  const shown = { content: [{ type: 'text', text: note }] } as const;
  const outcome: Outcome = record.outcome.ok
    ? { ok: true, value: null, shown }
    : { ok: false, failure: { ...record.outcome.failure, details: undefined } };
  return JSON.stringify({ ...record, outcome });
}
