import { isRecord } from 'mcp-kit/internal';

/** Whether two values say the same as JSON, whatever the order of their members. */
export function sameValue(one: unknown, other: unknown): boolean {
  return ordered(one) === ordered(other);
}

function ordered(value: unknown): string | undefined {
  return JSON.stringify(value, (_key, part: unknown) =>
    isRecord(part) && typeof part['toJSON'] !== 'function'
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
