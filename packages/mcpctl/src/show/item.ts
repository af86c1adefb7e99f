import { isRecord } from 'mcp-kit/internal';
import type { Globals } from '../globals.ts';
import { plainText } from '../terminal/plain-text.ts';
import { columnsOf, createStyle } from '../terminal/style.ts';
import { table } from '../terminal/table.ts';
import { fit } from '../terminal/width.ts';

/** Something of a list: what it is called, and a line about it. Both must be plain. */
export interface Item {
  readonly title: string;
  readonly about: string;
}

const indent = '    ';

/** A list for people: each title on a line of its own, what it is about below; `more` says what shows all that had to be cut. */
export function showItems(
  items: readonly Item[],
  { color }: Globals,
  more: '--verbose' | '--json',
): string {
  const style = createStyle({ color });
  const columns = columnsOf(process.stdout);
  let wasCut = false;
  const cut = (text: string, taken: number): string => {
    const fitted = columns === undefined ? text : fit(text, columns - taken);
    wasCut ||= fitted !== text;
    return fitted;
  };
  const lines = items.flatMap(({ title, about }) => {
    const [, name = title, rest = ''] = /^([^(]*)(.*)$/.exec(cut(title, 0)) ?? [];
    const line = style.bold(name) + style.dim(rest);
    return about === '' ? [line] : [line, `${indent}${cut(about, indent.length)}`];
  });
  if (wasCut) lines.push(style.dim(`Cut to fit; ${more} shows all.`));
  return lines.join('\n');
}

/** Rows whose first cell is a name, below a head, as wide as the terminal. */
export function namedTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  globals: Globals,
): string {
  const { bold, dim } = createStyle(globals);
  return table(rows, {
    head,
    columns: columnsOf(process.stdout),
    whenCut: 'Cut to fit; --json shows all.',
    paint: { head: dim, cells: [bold], whenCut: dim },
  });
}

/** JSON for people; what a terminal would obey is escaped, and it stays the same JSON. */
export function prettyJson(value: unknown): string {
  return plainText(JSON.stringify(value, undefined, 2) ?? 'null');
}

/** Text of a server as content: as it is for programs, harmless on a terminal. */
export function contentText(text: string): string {
  return process.stdout.isTTY ? plainText(text) : text;
}

/** Everything of a list that comes in pages; what lacks that by which it is asked for is left out. */
export async function collect<T>(
  pages: AsyncIterable<T>,
  key: keyof T & string,
): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const item of pages) {
    if (isRecord(item) && typeof item[key] === 'string') all.push(item);
  }
  return all;
}
