import { Buffer, isAscii, isUtf8, transcode } from 'node:buffer';
import { rpcErrors } from './error.ts';

/** What one message may cost before any of it is believed. */
export interface Limits {
  /** Bytes of one line or body. Where not all is ASCII, characters take two bytes, and have at least 16 MiB. */
  readonly maxBytes: number;
  /** Nesting of arrays and objects. */
  readonly maxDepth: number;
  /**
   * Array elements, and twice the object members, for their names and values; an empty array or object counts as one. After
   * 2,000 members one with a new name counts as six. All that is no string value has 40 bytes for each of them, and 64 KiB.
   */
  readonly maxElements: number;
}

/** The limits of messages unless others are given. */
export const defaultLimits: Limits = {
  // What is carried may have 16 MiB; the rest is for the message around it.
  maxBytes: 16 * 1024 * 1024 + 64 * 1024,
  maxDepth: 128,
  maxElements: 100_000,
};

/** Why bytes are not a message: what to answer. */
export interface Unparsed {
  readonly ok: false;
  readonly code: number;
  readonly reason: string;
}

export type Parsed = { readonly ok: true; readonly value: unknown } | Unparsed;

const byteOrderMark = 0xfeff;

/** Messages of this many bytes are decoded in the way that costs least for each byte, rather than for each message. */
const large = 64 * 1024;

/** Turns the bytes of one message into a JSON value, within limits. */
export function parseMessage(bytes: Uint8Array, limits: Limits): Parsed {
  if (bytes.length > limits.maxBytes) return oversized(limits);
  if (!isUtf8(bytes)) return refused(rpcErrors.parse, 'Parse error: not UTF-8');
  const buffer = Buffer.isBuffer(bytes)
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const source: Source = { bytes: buffer };
  const { excess, mayNamePrototype } = survey(source, limits);
  if (excess !== undefined) return refused(rpcErrors.invalidRequest, `Invalid request: ${excess}`);
  const text = decode(source, Math.max(limits.maxBytes, defaultLimits.maxBytes));
  if (text === undefined) return refused(rpcErrors.invalidRequest, tooManyCharacters);
  try {
    const value: unknown = JSON.parse(text.charCodeAt(0) === byteOrderMark ? text.slice(1) : text);
    return { ok: true, value: mayNamePrototype ? withoutPrototypeKeys(value) : value };
  } catch {
    return refused(rpcErrors.parse, 'Parse error: not JSON');
  }
}

/** The verdict on a message with more bytes than it may have. */
export function oversized({ maxBytes }: Limits): Unparsed {
  return refused(rpcErrors.invalidRequest, `Invalid request: larger than ${maxBytes} bytes`);
}

const tooManyCharacters = 'Invalid request: too many characters that are not all ASCII';

/**
 * The text of UTF-8; nothing where it takes more room than it may. Beyond ASCII, Node 20 takes 4 ns for each byte of it, and a
 * tenth of that by way of UTF-16.
 */
function decode({ bytes: utf8, latin1 }: Source, maxBytes: number): string | undefined {
  if (utf8.length < large) return utf8.toString('utf8');
  if (isAscii(utf8)) return latin1 ?? utf8.toString('latin1');
  try {
    const utf16 = transcode(utf8, 'utf8', 'utf16le');
    return utf16.length > maxBytes ? undefined : utf16.toString('utf16le');
  } catch {
    // Not every runtime that has Node's modules has this function of them.
    return utf8.toString('utf8');
  }
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

/** A message as bytes, and as a text of as many characters once that is of use. */
interface Source {
  readonly bytes: Buffer;
  latin1?: string | undefined;
}

/** What can be said of a message before it is parsed. */
interface Survey {
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
