import { isRecord } from 'mcp-kit/internal';
import type { Revision } from './edit-text.ts';
import { sameValue } from '../values.ts';

/** The lines from one header to the next, each with its line break. */
interface Table {
  readonly path: readonly string[];
  readonly lines: readonly string[];
}

/** Writes, replaces or removes the tables of what has changed two levels down, and leaves all other lines as they are. */
export async function editToml({ text, before, after }: Revision): Promise<string> {
  const { parse, stringify } = await import('smol-toml');
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  let tables = tablesOf(text, (line) => pathOf(parse(line)));
  for (const path of changed(before, after)) {
    const [section = '', name = ''] = path;
    const members = after[section];
    const value = isRecord(members) ? members[name] : undefined;
    const lines =
      value === undefined
        ? undefined
        : stringify({ [section]: { [name]: value } })
            .trimEnd()
            .split('\n')
            .map((line) => line + eol);
    tables = withTable(tables, { path, lines, eol });
  }
  return tables.flatMap(({ lines }) => lines).join('');
}

/** The paths of two keys below which two documents differ. */
function changed(before: unknown, after: Revision['after']): readonly (readonly string[])[] {
  const old = isRecord(before) ? before : {};
  return [...new Set([...Object.keys(old), ...Object.keys(after)])].flatMap((section) => {
    const [one, other] = [old[section], after[section]].map((part) => (isRecord(part) ? part : {}));
    return [...new Set([...Object.keys(one ?? {}), ...Object.keys(other ?? {})])]
      .filter((name) => !sameValue(one?.[name], other?.[name]))
      .map((name) => [section, name]);
  });
}

/** `[a.b.c]`, parsed, is objects that have one member each. */
function pathOf(value: unknown): readonly string[] {
  const inner: unknown = Array.isArray(value) ? value[0] : value;
  const [first] = Object.entries(isRecord(inner) ? inner : {});
  return first === undefined ? [] : [first[0], ...pathOf(first[1])];
}

function tablesOf(text: string, header: (line: string) => readonly string[]): readonly Table[] {
  const tables: { path: readonly string[]; lines: string[] }[] = [{ path: [], lines: [] }];
  let quote: string | undefined;
  for (const line of text.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
    if (quote === undefined && /^\s*\[.*\]\s*(#.*)?$/.test(line)) {
      const path = attempt(() => header(line));
      if (path !== undefined) tables.push({ path, lines: [] });
    }
    tables.at(-1)?.lines.push(line);
    quote = quoteAfter(line, quote);
  }
  return tables;
}

function attempt<Type>(read: () => Type): Type | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** Texts on one line and comments, which may have the marks of others in them. */
const tokens = /"""|'''|"(?:\\.|[^"\\])*"|'[^']*'|#.*/g;

/** The mark of the text over several lines that is still open after a line. */
function quoteAfter(line: string, open: string | undefined): string | undefined {
  if (open !== undefined) {
    const end = line.indexOf(open);
    return end === -1 ? open : quoteAfter(line.slice(end + open.length), undefined);
  }
  for (const { 0: token, index } of line.matchAll(tokens)) {
    const isMark = token === '"""' || token === "'''";
    if (isMark) return quoteAfter(line.slice(index + token.length), token);
  }
  return undefined;
}

/** A table to write, or, without lines, to remove. */
interface Wanted {
  readonly path: readonly string[];
  readonly lines: readonly string[] | undefined;
  readonly eol: string;
}

function withTable(tables: readonly Table[], wanted: Wanted): readonly Table[] {
  const isPart = ({ path }: Table): boolean =>
    path.length >= 2 && wanted.path.every((key, index) => path[index] === key);
  const at = tables.findIndex(isPart);
  if (at === -1) return wanted.lines === undefined ? tables : inserted(tables, wanted);
  const { path, lines } = wanted;
  const kept = tables.map((table, index) => {
    if (!isPart(table)) return table;
    // Comments after the last value are those of the table that follows.
    const after = table.lines.slice(solidLines(table.lines));
    const next = tables[index + 1];
    const isWithin = next !== undefined && isPart(next);
    const rest = isWithin ? after.filter((line) => line.trim() !== '') : after;
    const own = index === at ? (lines ?? []) : [];
    return { path: own.length > 0 ? path : [], lines: [...own, ...rest] };
  });
  if (lines !== undefined) return kept;
  const previous = kept[at - 1];
  const isSpaced = previous?.lines.at(-1)?.trim() === '';
  if (previous === undefined || !isSpaced) return kept;
  // The blank line before it was put there with it.
  return kept.with(at - 1, { ...previous, lines: previous.lines.slice(0, -1) });
}

/** How many lines there are up to the last that says something. */
function solidLines(lines: readonly string[]): number {
  return lines.findLastIndex((line) => !/^\s*(#.*)?\s*$/.test(line)) + 1;
}

/** After the last table beside it, else at the end. */
function inserted(tables: readonly Table[], { path, lines = [], eol }: Wanted): readonly Table[] {
  const [section = ''] = path;
  const beside = tables.findLastIndex((table) => table.path[0] === section);
  const at = beside === -1 ? tables.length - 1 : beside;
  const table = tables[at];
  if (table === undefined) return tables;
  const end = beside === -1 ? table.lines.length : solidLines(table.lines);
  const before = table.lines.slice(0, end);
  const last = before.at(-1);
  const isOpen = last !== undefined && !last.endsWith('\n');
  const isFirst = tables.every((other) => other.lines.length === 0);
  const gap = [isOpen ? eol : '', isFirst ? '' : eol].filter((text) => text !== '');
  const parts = [
    { path: table.path, lines: [...before, ...gap] },
    { path, lines },
    { path: [], lines: table.lines.slice(end) },
  ];
  return tables.toSpliced(at, 1, ...parts);
}
