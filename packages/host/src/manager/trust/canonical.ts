import { canonicalJson as textOf, crypto, KitError } from 'mcp-kit/internal';

/** Deeper values are taken for endless ones. */
export const maxDepth = 512;

/**
 * The one text of a JSON value (RFC 8785): members in the order of their names, no spaces, numbers as ECMAScript writes them.
 * Members that are undefined are left out, as JSON does; what JSON has no text for is refused.
 */
export function canonicalJson(value: unknown): string {
  requireJson(value, 0);
  return textOf(value);
}

/** The fingerprint of a JSON value; equal for values that differ only in the order of their members. */
export function digestOf(value: unknown): string {
  return `sha256:${crypto().createHash('sha256').update(canonicalJson(value), 'utf8').digest('hex')}`;
}

function requireJson(value: unknown, depth: number): void {
  if (depth > maxDepth) throw unwritable(`nested deeper than ${maxDepth} levels`);
  if (value === null || typeof value === 'boolean') return;
  if (typeof value === 'string') requireWhole(value);
  else if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw unwritable(String(value));
  } else if (typeof value !== 'object') throw unwritable(`a value of type ${typeof value}`);
  else if (Array.isArray(value)) for (const item of value) requireJson(item, depth + 1);
  else if (!('toJSON' in value && typeof value.toJSON === 'function')) {
    for (const [name, member] of Object.entries(value)) {
      requireWhole(name);
      if (member !== undefined) requireJson(member, depth + 1);
    }
  }
}

function requireWhole(text: string): void {
  if (/\p{Surrogate}/u.test(text)) throw unwritable('text with half a surrogate pair');
}

function unwritable(what: string): KitError {
  return new KitError('invalid_argument', `cannot be fingerprinted: ${what}`, {
    hint: 'Only values of JSON have a fingerprint.',
  });
}
