import { Buffer, isUtf8 } from 'node:buffer';
import { rpcErrors } from './error.ts';
import { exceeds, type Limits } from './limits.ts';

/** Why bytes are not a message: what to answer. */
export interface Unparsed {
  readonly ok: false;
  readonly code: number;
  readonly reason: string;
}

export type Parsed = { readonly ok: true; readonly value: unknown } | Unparsed;

const byteOrderMark = 0xfeff;

/** Turns the bytes of one message into a JSON value, within limits. */
export function parseMessage(bytes: Uint8Array, limits: Limits): Parsed {
  if (bytes.length > limits.maxBytes) return oversized(limits);
  if (!isUtf8(bytes)) return refused(rpcErrors.parse, 'Parse error: not UTF-8');
  const text = decode(bytes);
  const excess = exceeds(text, limits);
  if (excess !== undefined) return refused(rpcErrors.invalidRequest, `Invalid request: ${excess}`);
  try {
    const value: unknown = JSON.parse(text.charCodeAt(0) === byteOrderMark ? text.slice(1) : text);
    return { ok: true, value: mayNamePrototype(text) ? withoutPrototypeKeys(value) : value };
  } catch {
    return refused(rpcErrors.parse, 'Parse error: not JSON');
  }
}

/** The verdict on a message with more bytes than it may have. */
export function oversized({ maxBytes }: Limits): Unparsed {
  return refused(rpcErrors.invalidRequest, `Invalid request: larger than ${maxBytes} bytes`);
}

function decode(bytes: Uint8Array): string {
  const buffer = Buffer.isBuffer(bytes)
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return buffer.toString('utf8');
}

/**
 * `__proto__` can only be spelled in JSON as itself or with one of its letters escaped, as in `\u005f`. The backslash is not
 * searched for: a text with many of them would be searched slowly.
 */
function mayNamePrototype(text: string): boolean {
  return text.includes('__proto__') || text.includes('u00');
}

/** Deletes own `__proto__` keys: copied by assignment they would change an object's prototype. */
function withoutPrototypeKeys(value: unknown): unknown {
  const pending = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next !== 'object' || next === null) continue;
    if (Object.hasOwn(next, '__proto__')) Reflect.deleteProperty(next, '__proto__');
    for (const inner of Object.values(next)) pending.push(inner);
  }
  return value;
}

function refused(code: number, reason: string): Unparsed {
  return { ok: false, code, reason };
}
