import { isRecord } from '#jsonrpc';
import type { ClientCapabilities, ServerCapabilities } from './types.ts';

/** Whether a client declared everything that is needed. An empty `elicitation` means forms. */
export function supports(declared: ClientCapabilities, needed: ClientCapabilities): boolean {
  return covers(declared, needed, '');
}

function covers(declared: object, needed: object, path: string): boolean {
  return Object.entries(needed).every(([key, inner]) => {
    const value: unknown = Reflect.get(declared, key);
    if (value === undefined) {
      return path === 'elicitation' && key === 'form' && Object.keys(declared).length === 0;
    }
    return !isRecord(inner) || (isRecord(value) && covers(value, inner, key));
  });
}

/** Joins what several features offer. */
export function mergeCapabilities(parts: readonly ServerCapabilities[]): ServerCapabilities {
  const merged: Record<string, Record<string, unknown>> = {};
  for (const part of parts) {
    for (const [name, settings] of Object.entries(part)) {
      merged[name] = { ...merged[name], ...settings };
    }
  }
  return merged;
}
