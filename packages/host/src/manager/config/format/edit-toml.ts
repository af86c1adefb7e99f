import { isRecord } from 'mcp-kit/internal';
import type { Revision } from './edit-text.ts';
import { sameValue } from '../values.ts';

interface Table {
  readonly path: readonly string[];
  readonly lines: string[];
}

/** Replaces the tables of what has changed two levels down, and leaves all other lines as they are. */
export async function editToml({ text, before, after }: Revision): Promise<string> {
  const { parse, stringify } = await import('smol-toml');
  const header = (line: string): readonly string[] => pathOf(parse(line));
  let tables = tablesOf(text, header);
  for (const [section, members] of Object.entries(after)) {
    const old = isRecord(before) ? before[section] : undefined;
    for (const [name, value] of Object.entries(isRecord(members) ? members : {})) {
      if (isRecord(old) && sameValue(old[name], value)) continue;
      const lines = stringify({ [section]: { [name]: value } })
        .trimEnd()
        .split('\n');
      tables = replaced(tables, { path: [section, name], lines });
    }
  }
  const result = `${tables
    .flatMap(({ lines }) => lines)
    .join('\n')
    .trimEnd()}\n`;
  // Some ways to write a table down cannot be replaced by lines; then its comments are what is lost.
  return says(result, after, parse) ? result : stringify(after);
}

function says(text: string, document: unknown, parse: (text: string) => unknown): boolean {
  try {
    return sameValue(parse(text), document);
  } catch {
    return false;
  }
}

/** `[a.b.c]`, parsed, is objects that have one member each. */
function pathOf(value: unknown): readonly string[] {
  const inner: unknown = Array.isArray(value) ? value[0] : value;
  const [first] = Object.entries(isRecord(inner) ? inner : {});
  return first === undefined ? [] : [first[0], ...pathOf(first[1])];
}

function tablesOf(text: string, header: (line: string) => readonly string[]): readonly Table[] {
  const tables: Table[] = [{ path: [], lines: [] }];
  let quote: string | undefined;
  for (const line of text.split('\n')) {
    if (quote === undefined && /^\s*\[.*\]\s*(#.*)?\r?$/.test(line)) {
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

/** The mark of the text over several lines that is still open after a line. */
function quoteAfter(line: string, open: string | undefined): string | undefined {
  let quote = open;
  for (const [mark] of line.matchAll(/"""|'''/g)) {
    if (quote === undefined) quote = mark;
    else if (quote === mark) quote = undefined;
  }
  return quote;
}

function replaced(tables: readonly Table[], table: Table): readonly Table[] {
  const isPart = ({ path }: Table): boolean =>
    path.length >= 2 && table.path.every((key, index) => path[index] === key);
  const at = tables.findIndex(isPart);
  const rest = tables.filter((other) => !isPart(other));
  const spaced = { path: table.path, lines: [...table.lines, ''] };
  return at === -1 ? [...endedByBlank(tables), spaced] : rest.toSpliced(at, 0, spaced);
}

function endedByBlank(tables: readonly Table[]): readonly Table[] {
  const last = tables.at(-1);
  if (last !== undefined && last.lines.at(-1)?.trim() !== '') last.lines.push('');
  return tables;
}
