import { crypto, KitError } from 'mcp-kit/internal';

/** Deeper values are taken for endless ones. */
export const maxDepth = 512;

/**
 * The one text of a JSON value (RFC 8785): members in the order of their names, no spaces, numbers as ECMAScript writes them.
 * Members that are undefined are left out, as JSON does; what JSON has no text for is refused.
 */
export function canonicalJson(value: unknown): string {
  return write(value, 0);
}

/** The fingerprint of a JSON value; equal for values that differ only in the order of their members. */
export function digestOf(value: unknown): string {
  return `sha256:${crypto().createHash('sha256').update(canonicalJson(value), 'utf8').digest('hex')}`;
}

function write(value: unknown, depth: number): string {
  if (depth > maxDepth) throw unwritable(`nested deeper than ${maxDepth} levels`);
  switch (typeof value) {
    case 'boolean':
      return String(value);
    case 'number':
      if (!Number.isFinite(value)) throw unwritable(String(value));
      return JSON.stringify(value);
    case 'string':
      return writeText(value);
    case 'object':
      return value === null ? 'null' : writeObject(value, depth + 1);
    default:
      throw unwritable(`a value of type ${typeof value}`);
  }
}

function writeObject(value: object, depth: number): string {
  if (Array.isArray(value)) return `[${value.map((item) => write(item, depth)).join(',')}]`;
  // Dates of TOML and the like say themselves what they are in JSON.
  if ('toJSON' in value && typeof value.toJSON === 'function') {
    return write((value.toJSON as () => unknown).call(value), depth);
  }
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    // By UTF-16 code units, which is what the operator compares.
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, member]) => `${writeText(name)}:${write(member, depth)}`);
  return `{${members.join(',')}}`;
}

function writeText(text: string): string {
  if (/\p{Surrogate}/u.test(text)) throw unwritable('text with half a surrogate pair');
  return JSON.stringify(text);
}

function unwritable(what: string): KitError {
  return new KitError('invalid_argument', `cannot be fingerprinted: ${what}`, {
    hint: 'Only values of JSON have a fingerprint.',
  });
}
