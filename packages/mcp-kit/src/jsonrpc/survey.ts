import type { Buffer } from 'node:buffer';
import type { Limits } from './limits.ts';

/** A message as bytes, and as a text of as many characters once that is of use. */
export interface Source {
  readonly bytes: Buffer;
  latin1?: string;
}

/** What can be said of a message before it is parsed. */
export interface Survey {
  /** What exceeds the limits. */
  readonly excess: string | undefined;
  /** Whether a member may have the name `__proto__`, as it is or with escapes. */
  readonly mayNamePrototype: boolean;
}

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const underscore = 0x5f;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Strings up to this length are walked by hand; starting a native search would cost more. */
const walked = 48;

/** The lengths of `__proto__` as it is, and with every letter escaped. */
const shortestPrototype = 9;
const longestPrototype = 54;

/** Messages with fewer members cost little, whatever their names. */
const fewMembers = 2000;
/** What a name counts for that has not been there before, besides its value. */
const newName = 5;

/**
 * Counts nesting and elements of JSON without parsing it. Runs before `JSON.parse`, because a million elements cost more to
 * build than to count, and a new name more than ten values: the engine has to keep it, and a shape for each object with it.
 */
export function survey(source: Source, { maxDepth, maxElements }: Limits): Survey {
  const { bytes } = source;
  const { length } = bytes;
  members = 0;
  const maxStructure = 64 * 1024 + 40 * maxElements;
  // Where there will have been too much that is no string value.
  let tooFar = maxStructure;
  let end = Math.min(length, tooFar);
  let depth = 0;
  let elements = 0;
  let string = 0;
  let start = 0;
  let mayNamePrototype = false;
  for (let at = 0; at < end; at++) {
    switch (bytes[at]) {
      case quote:
        start = at + 1;
        at = endOfString(source, start);
        if (at < 0) return { excess: undefined, mayNamePrototype };
        string = at - start;
        tooFar += string;
        end = Math.min(length, tooFar);
        break;
      case colon:
        // The string was a name.
        mayNamePrototype ||= mayBePrototype(bytes, start, start + string);
        tooFar -= string;
        string = 0;
        end = Math.min(length, tooFar);
        elements += weightOfName(bytes, start, at);
        break;
      case comma:
        if (++elements > maxElements) return tooMany(maxElements);
        break;
      case openBrace:
      case openBracket:
        if (++depth > maxDepth) return exceeded(`nested deeper than ${maxDepth}`);
        elements++;
        break;
      case closeBrace:
      case closeBracket:
        if (elements > maxElements) return tooMany(maxElements);
        depth--;
        break;
      default:
    }
  }
  if (end < length) return exceeded(`more than ${maxStructure} bytes beside string values`);
  return { excess: undefined, mayNamePrototype };
}

/** How many members the message has that is being looked at. */
let members = 0;
/** Which names it has had, each as one bit; a few of them share theirs. */
const names = new Uint32Array(4096);
/** Strangers cannot know which do. */
const seed = Math.trunc(Math.random() * 2 ** 32);

/** What the name of a member counts for; what follows it up to the colon is part of it here. */
function weightOfName(bytes: Buffer, start: number, end: number): number {
  members++;
  if (members < fewMembers) return 1;
  if (members === fewMembers) names.fill(0);
  let hash = seed;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x0100_0193);
  hash ^= hash >>> 15;
  const word = (hash >>> 5) & 0xfff;
  const bit = 1 << (hash & 31);
  const known = names[word] ?? 0;
  names[word] = known | bit;
  return (known & bit) === 0 ? newName : 1;
}

function tooMany(maxElements: number): Survey {
  return exceeded(`more than ${maxElements} elements`);
}

function exceeded(excess: string): Survey {
  return { excess, mayNamePrototype: false };
}

/** A letter of `__proto__` can also be written as an escape, `\u005f` for one. */
function mayBePrototype(bytes: Buffer, start: number, end: number): boolean {
  const length = end - start;
  if (length < shortestPrototype || length > longestPrototype) return false;
  if (length === shortestPrototype) return bytes[start] === underscore;
  for (let at = start; at < end; at++) if (bytes[at] === backslash) return true;
  return false;
}

/**
 * Characters and escapes of a string, up to the quote that ends it. The count is bounded because the engine remembers a way
 * back for each repetition, and has room for some millions only.
 */
const insideString = /[^"\\]*(?:\\.[^"\\]*){0,4096}/sy;

/** Index of the quote that ends the string whose content begins at `start`, or -1. */
function endOfString(source: Source, start: number): number {
  const { bytes } = source;
  const near = Math.min(bytes.length, start + walked);
  let at = start;
  for (; at < near; at++) {
    const byte = bytes[at];
    if (byte === quote) return at;
    if (byte === backslash) at++;
  }
  // `at` is never inside an escape, so a quote right here, or after anything but a backslash, is no part of one.
  const next = bytes.indexOf(quote, at);
  if (next <= at || bytes[next - 1] !== backslash) return next;
  const text = (source.latin1 ??= bytes.toString('latin1'));
  for (;;) {
    insideString.lastIndex = at;
    insideString.test(text);
    if (insideString.lastIndex === at) return bytes[at] === quote ? at : -1;
    at = insideString.lastIndex;
  }
}
