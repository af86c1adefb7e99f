/** What one message may cost before any of it is believed. */
export interface Limits {
  /** Bytes of one line or body. */
  readonly maxBytes: number;
  /** Nesting of arrays and objects. */
  readonly maxDepth: number;
  /** Array elements and object members together; an empty array or object counts as one. */
  readonly maxElements: number;
}

export const defaultLimits: Limits = {
  maxBytes: 16 * 1024 * 1024,
  maxDepth: 128,
  maxElements: 100_000,
};

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

/** Short strings are walked by hand; beyond this a native search is faster. */
const handWalked = 48;

/**
 * Counts nesting and elements in JSON bytes without parsing them, and says what exceeds the limits.
 * Runs before `JSON.parse`, because a million elements cost more to build than to count.
 */
export function exceeds(bytes: Uint8Array, limits: Limits): string | undefined {
  const { maxDepth, maxElements } = limits;
  const { length } = bytes;
  // Too short to hold that many brackets or commas.
  if (length < maxDepth && length < maxElements) return undefined;
  let depth = 0;
  let elements = 0;
  for (let at = 0; at < length; at++) {
    switch (bytes[at]) {
      case quote:
        at = endOfString(bytes, at);
        if (at < 0) return undefined;
        break;
      case comma:
        if (++elements > maxElements) return `more than ${maxElements} elements`;
        break;
      case openBrace:
      case openBracket:
        if (++depth > maxDepth) return `nested deeper than ${maxDepth}`;
        if (++elements > maxElements) return `more than ${maxElements} elements`;
        break;
      case closeBrace:
      case closeBracket:
        depth--;
        break;
      default:
    }
  }
  return undefined;
}

/** Index of the quote that ends the string opened at `start`, or -1. */
function endOfString(bytes: Uint8Array, start: number): number {
  const near = Math.min(bytes.length, start + handWalked);
  let at = start + 1;
  for (; at < near; at++) {
    const byte = bytes[at];
    if (byte === quote) return at;
    if (byte === backslash) at++;
  }
  for (;;) {
    at = bytes.indexOf(quote, at);
    if (at < 0 || !isEscaped(bytes, at, start)) return at;
    at++;
  }
}

/** An odd run of backslashes before a quote escapes it. */
function isEscaped(bytes: Uint8Array, at: number, start: number): boolean {
  let first = at;
  while (first - 1 > start && bytes[first - 1] === backslash) first--;
  return (at - first) % 2 === 1;
}
