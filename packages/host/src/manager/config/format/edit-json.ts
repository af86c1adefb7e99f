import type { Node } from 'jsonc-parser';
import { nestedIn } from '../values.ts';
import type { Change } from './edit-text.ts';
import {
  eolOf,
  indentOf,
  insertAt,
  lineStart,
  solidBefore,
  spliced,
  type Splice,
} from './splice.ts';

/** Makes changes to JSON, with comments or without; every character that is no part of them stays. */
export async function editJson(text: string, changes: readonly Change[]): Promise<string> {
  const { parseTree } = await import('jsonc-parser');
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : '';
  let result = text.slice(mark.length);
  for (const change of changes) {
    const root = parseTree(result, [], { allowTrailingComma: true });
    if (root !== undefined) result = spliced(result, splicesFor(result, root, change));
  }
  return mark + result;
}

function splicesFor(text: string, root: Node, change: Change): readonly Splice[] {
  let node = root;
  for (const [depth, key] of change.path.entries()) {
    const rest = change.path.slice(depth + 1);
    const member = memberOf(node, key);
    if (!('value' in change)) {
      if (member === undefined) return [];
      if (rest.length === 0) return removal(text, node, member);
    } else if (member === undefined) {
      return insertion(text, { object: node, root }, [key, nestedIn(rest, change.value)]);
    }
    const value = member.children?.[1];
    if (value === undefined) return [];
    if ('value' in change && (rest.length === 0 || value.type !== 'object')) {
      const indent = indentOf(text, member.offset);
      const written = pretty(nestedIn(rest, change.value), { text, indent });
      return [{ from: value.offset, to: endOf(value), text: written }];
    }
    node = value;
  }
  return [];
}

function memberOf(object: Node, key: string): Node | undefined {
  return object.children?.find(({ children: [name] = [] }) => name?.value === key);
}

const endOf = ({ offset, length }: Node): number => offset + length;

/** By how much one level is set in. */
function unitOf(text: string): string {
  return /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';
}

function pretty(value: unknown, { text, indent }: { text: string; indent: string }): string {
  return JSON.stringify(value, null, unitOf(text)).replaceAll('\n', eolOf(text) + indent);
}

/** The commas of an object between two places; those in comments are none. */
function commaBetween(text: string, from: number, to: number): number | undefined {
  const comments = /\/\/[^\n]*|\/\*[^]*?\*\//g;
  const blank = text.slice(from, to).replaceAll(comments, (found) => ' '.repeat(found.length));
  const at = blank.indexOf(',');
  return at === -1 ? undefined : from + at;
}

/** Adds a member after the last one, and after the comments that follow it. */
function insertion(
  text: string,
  place: { readonly object: Node; readonly root: Node },
  [key, value]: readonly [string, unknown],
): readonly Splice[] {
  const { object } = place;
  const last = object.children?.at(-1);
  const close = endOf(object) - 1;
  const start = last === undefined ? object.offset + 1 : endOf(last);
  const at = Math.max(solidBefore(text, close), start);
  const trailing = last !== undefined && commaBetween(text, start, close) !== undefined;
  const comma = last === undefined || trailing ? [] : [insertAt(start, ',')];
  const [name, end] = [JSON.stringify(key), trailing ? ',' : ''];
  if (!isSpread(text, place) && !text.slice(start, at).includes('//')) {
    const space = last === undefined ? '' : ' ';
    return [...comma, insertAt(at, `${space}${name}: ${JSON.stringify(value)}${end}`)];
  }
  const indent = memberIndent(text, object);
  const line = `${eolOf(text)}${indent}${name}: ${pretty(value, { text, indent })}${end}`;
  const isEnded = text.slice(at, close).includes('\n');
  const closing = isEnded ? '' : eolOf(text) + indentOf(text, object.offset);
  return [...comma, insertAt(at, line + closing)];
}

/** Whether the members of an object are on lines of their own; those of an empty one are if the document has lines. */
function isSpread(
  text: string,
  { object, root }: { readonly object: Node; readonly root: Node },
): boolean {
  const [first] = object.children ?? [];
  if (first !== undefined) return text.slice(object.offset, first.offset).includes('\n');
  return object === root || text.slice(root.offset, endOf(root)).includes('\n');
}

/** How far members are set in: as the first is, if it begins its line. */
function memberIndent(text: string, object: Node): string {
  const [first] = object.children ?? [];
  const before = first && text.slice(lineStart(text, first.offset), first.offset);
  return before?.trim() === '' ? before : indentOf(text, object.offset) + unitOf(text);
}

/** Takes a member away, with one comma and the space that it had; comments around it stay. */
function removal(text: string, object: Node, member: Node): readonly Splice[] {
  const members = object.children ?? [];
  const index = members.indexOf(member);
  const next = members[index + 1];
  if (next === undefined) return removalOfLast(text, object, member);
  const comma = commaBetween(text, endOf(member), next.offset);
  const stop = comma === undefined ? endOf(member) : comma + 1;
  const line = lineStart(text, member.offset);
  const lineBreak = /^[ \t]*\r?\n/.exec(text.slice(stop))?.[0];
  if (text.slice(line, member.offset).trim() === '' && lineBreak !== undefined) {
    return [{ from: line, to: stop + lineBreak.length, text: '' }];
  }
  const gap = /^[ \t]*/.exec(text.slice(stop))?.[0] ?? '';
  return [{ from: member.offset, to: stop + gap.length, text: '' }];
}

/** The comma before the last member goes with it, unless commas follow all members. */
function removalOfLast(text: string, object: Node, member: Node): readonly Splice[] {
  const previous = object.children?.at(-2);
  const close = endOf(object) - 1;
  const comma = commaBetween(text, endOf(member), close);
  const stop = comma === undefined ? endOf(member) : comma + 1;
  const start = solidBefore(text, member.offset);
  const isAlone = previous === undefined && start === object.offset + 1;
  if (isAlone && text.slice(stop, close).trim() === '') {
    return [{ from: start, to: close, text: '' }];
  }
  // What follows must not become a part of a comment that ends with its line.
  const isComment = /\/\/[^\n]*$/.test(text.slice(lineStart(text, start), start));
  const isSafe = /^[ \t]*\r?\n/.test(text.slice(stop));
  const own = { from: isComment && !isSafe ? member.offset : start, to: stop, text: '' };
  const before = previous && commaBetween(text, endOf(previous), member.offset);
  if (before === undefined || comma !== undefined) return [own];
  // The comma may be the last thing before.
  if (before === own.from - 1) return [{ ...own, from: before }];
  return [{ from: before, to: before + 1, text: '' }, own];
}
