import { isRecord } from 'mcp-kit/internal';
import { pointerOf } from '../config/place.ts';
import { sameValue } from '../config/values.ts';
import { canonicalJson } from './canonical.ts';

/** One place where two values differ; a side that has nothing there is undefined. */
export interface Change {
  /** The JSON pointer of the place. */
  readonly pointer: string;
  readonly before: unknown;
  readonly now: unknown;
}

/** Where two JSON values differ, at the smallest places, in the order of their names. */
export function changesBetween(before: unknown, now: unknown, pointer = ''): readonly Change[] {
  const [one, other] = [membersOf(before), membersOf(now)];
  if (one === undefined || other === undefined || Array.isArray(before) !== Array.isArray(now)) {
    return sameValue(before, now) ? [] : [{ pointer, before, now }];
  }
  const names = [...new Set([...one.keys(), ...other.keys()])];
  if (!Array.isArray(before)) names.sort();
  return names.flatMap((name) => {
    return changesBetween(one.get(name), other.get(name), pointer + pointerOf(name));
  });
}

/** A change in one line for each side, in letters that show; what is long is cut. */
export function showChange({ pointer, before, now }: Change): readonly string[] {
  const lines = [visible(pointer === '' ? '/' : pointer)];
  if (before !== undefined) lines.push(`- ${shown(before)}`);
  if (now !== undefined) lines.push(`+ ${shown(now)}`);
  return lines;
}

function membersOf(value: unknown): ReadonlyMap<string, unknown> | undefined {
  if (Array.isArray(value)) return new Map(value.map((item, index) => [String(index), item]));
  return isRecord(value) ? new Map(Object.entries(value)) : undefined;
}

const shownCharacters = 2000;

function shown(value: unknown): string {
  const text = visible(canonicalJson(value));
  const rest = text.length - shownCharacters;
  return rest > 0 ? `${text.slice(0, shownCharacters)}… (${rest} more characters)` : text;
}

/** Writes out what a terminal would obey or hide: controls, invisible letters, those that turn the direction. */
function visible(text: string): string {
  return text.replaceAll(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, (letter) => {
    return `\\u{${(letter.codePointAt(0) ?? 0).toString(16)}}`;
  });
}
