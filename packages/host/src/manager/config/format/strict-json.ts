import { configError, lineAndColumn, pointerOf, topOf, type Place } from '../place.ts';

/** How deep a configuration may be nested. */
export const maxDepth = 64;

interface Frame {
  /** The keys seen so far; none in an array. */
  readonly keys: Set<string> | undefined;
  /** The key or index of the value that is being read. */
  at: string | number;
  expectsKey: boolean;
}

/** Parses JSON as the standard has it, and refuses two members of one name and nesting beyond measure. */
export function parseStrictJson(text: string, file: string, deepest: number = maxDepth): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text) as unknown;
  } catch (error) {
    throw configError(topOf(file), `not valid JSON: ${reasonOf(error, text)}`, { cause: error });
  }
  checkMembers(text, file, deepest);
  return value;
}

/** What the parser has to say, without the quotation of the text: that may hold a secret. */
function reasonOf(error: unknown, text: string): string {
  const message = error instanceof Error ? error.message : '';
  const position = /position (\d+)/.exec(message)?.[1];
  if (position !== undefined) return `unexpected text at ${lineAndColumn(text, Number(position))}`;
  return message.includes('end of JSON') ? 'it ends too early' : 'unexpected text';
}

/** Walks over text that is known to be JSON; only strings and punctuation matter. */
function checkMembers(text: string, file: string, deepest: number): void {
  const frames: Frame[] = [];
  const here = (): Place => ({ file, pointer: pointerOf(...frames.map(({ at }) => at)) });
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (character === '{' || character === '[') {
      if (frames.length === deepest) throw tooDeep(here(), deepest);
      const isObject = character === '{';
      frames.push({ keys: isObject ? new Set() : undefined, at: 0, expectsKey: isObject });
    } else if (character === '}' || character === ']') {
      frames.pop();
    } else if (character === ',') {
      next(frames.at(-1));
    } else if (character === '"') {
      const end = endOfString(text, index);
      const frame = frames.at(-1);
      if (frame?.expectsKey === true) {
        const key = JSON.parse(text.slice(index, end + 1)) as string;
        if (!enter(frame, key)) throw duplicate(here(), key);
      }
      index = end;
    }
  }
}

/** Goes on to the next member or item. */
function next(frame: Frame | undefined): void {
  if (frame?.keys !== undefined) frame.expectsKey = true;
  else if (frame !== undefined) frame.at = Number(frame.at) + 1;
}

/** Notes a key; false when it has been there before. */
function enter(frame: Frame, key: string): boolean {
  const isNew = frame.keys?.has(key) !== true;
  frame.at = key;
  frame.expectsKey = false;
  frame.keys?.add(key);
  return isNew;
}

/** The index of the quotation mark that ends the string beginning at `start`. */
function endOfString(text: string, start: number): number {
  let index = start + 1;
  while (text[index] !== '"') index += text[index] === '\\' ? 2 : 1;
  return index;
}

/** The failure of a member that is there twice. */
export function duplicate(place: Place, key: string): Error {
  return configError(place, `the key ${JSON.stringify(key)} is there twice`, {
    hint: 'Remove one of the two: readers disagree about which one counts.',
  });
}

/** The failure of a file that is nested too deeply. */
export function tooDeep(place: Place, deepest: number = maxDepth): Error {
  return configError(place, `nested deeper than ${deepest} levels`);
}
