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
  // What is carried may have 16 MiB; the rest is for the message around it.
  maxBytes: 16 * 1024 * 1024 + 64 * 1024,
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

/** Strings up to this length are walked by hand; starting a native search would cost more. */
const walked = 48;

/**
 * Characters and escapes of a string, up to the quote that ends it. The count is bounded because the engine remembers a way
 * back for each repetition, and has room for some millions only.
 */
const insideString = /[^"\\]*(?:\\.[^"\\]*){0,4096}/sy;

/**
 * Counts nesting and elements of JSON text without parsing it, and says what exceeds the limits.
 * Runs before `JSON.parse`, because a million elements cost more to build than to count.
 */
export function exceeds(text: string, limits: Limits): string | undefined {
  const { maxDepth, maxElements } = limits;
  const { length } = text;
  // Too short to hold that many brackets or commas.
  if (length < maxDepth && length < maxElements) return undefined;
  let depth = 0;
  let elements = 0;
  for (let at = 0; at < length; at++) {
    switch (text.charCodeAt(at)) {
      case quote:
        at = endOfString(text, at);
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
function endOfString(text: string, start: number): number {
  const near = Math.min(text.length, start + walked);
  let at = start + 1;
  for (; at < near; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) return at;
    if (code === backslash) at++;
  }
  // `at` is never inside an escape, so a quote right here, or after anything but a backslash, is no part of one.
  const next = text.indexOf('"', at);
  if (next <= at || text.charCodeAt(next - 1) !== backslash) return next;
  for (;;) {
    insideString.lastIndex = at;
    insideString.test(text);
    if (insideString.lastIndex === at) return text.charCodeAt(at) === quote ? at : -1;
    at = insideString.lastIndex;
  }
}
