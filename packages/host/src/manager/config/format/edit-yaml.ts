import type * as Yaml from 'yaml';
import type { Document, Pair, YAMLMap } from 'yaml';
import { isRecord } from 'mcp-kit/internal';
import { nestedIn } from '../values.ts';
import type { Change } from './edit-text.ts';
import { eolOf, insertAt, lineEnd, lineStart, spliced, type Splice } from './splice.ts';

/** The package, which is loaded when it is needed. */
type Package = Pick<typeof Yaml, 'isMap' | 'isScalar' | 'parseDocument' | 'stringify'>;

/** Makes changes to YAML; every character that is no part of them stays. */
export async function editYaml(text: string, changes: readonly Change[]): Promise<string> {
  const yaml = (await import('yaml')).default;
  let result = text;
  for (const change of changes) {
    // Read before, and found to have each key once.
    const document = yaml.parseDocument(result, { uniqueKeys: false });
    result = spliced(result, splicesFor(result, { document, yaml }, change));
  }
  return result;
}

interface Source {
  readonly document: Document;
  readonly yaml: Package;
}

function splicesFor(text: string, { document, yaml }: Source, change: Change): readonly Splice[] {
  let map: unknown = document.contents;
  let holder: Pair | undefined;
  for (const [depth, key] of change.path.entries()) {
    const rest = change.path.slice(depth + 1);
    if (!yaml.isMap(map)) return [];
    const member = map.items.find((pair) => yaml.isScalar(pair.key) && pair.key.value === key);
    if (!('value' in change)) {
      if (member === undefined) return [];
      if (rest.length === 0) return removal(text, map, { member, holder });
    } else if (member === undefined) {
      return insertion(text, map, { key, value: nestedIn(rest, change.value), yaml });
    } else if (rest.length === 0 || !yaml.isMap(member.value)) {
      return replacement(text, member, { value: nestedIn(rest, change.value), yaml });
    }
    holder = member;
    map = member.value;
  }
  return [];
}

/** Where a part of the document begins and ends. */
function rangeOf(node: unknown): readonly [number, number] | undefined {
  const range: unknown = Reflect.get(Object(node) as object, 'range');
  return Array.isArray(range) ? [Number(range[0]), Number(range[1])] : undefined;
}

const startOf = (pair: Pair): number => rangeOf(pair.key)?.[0] ?? 0;

/** The end of a member, at the end of its last line where it stands on lines of its own. */
function endOf(text: string, pair: Pair): number {
  const end = Math.max(rangeOf(pair.value)?.[1] ?? 0, rangeOf(pair.key)?.[1] ?? 0);
  return end > 0 && text[end - 1] === '\n' ? lineEnd(text, lineStart(text, end - 1)) : end;
}

/** The lines of a value below a key, set in. */
function linesOf(
  value: unknown,
  indent: string,
  { yaml, eol }: { yaml: Package; eol: string },
): string {
  const lines = yaml.stringify(value, { lineWidth: 0 }).trimEnd().split('\n');
  return lines.map((line) => (line === '' ? line : indent + line)).join(eol);
}

interface Addition {
  readonly key: string;
  readonly value: unknown;
  readonly yaml: Package;
}

function insertion(text: string, map: YAMLMap, { key, value, yaml }: Addition): readonly Splice[] {
  const last = map.items.at(-1);
  if (map.flow === true || last === undefined) {
    const close = (rangeOf(map)?.[1] ?? text.length) - 1;
    const written = `${JSON.stringify(key)}: ${JSON.stringify(value)}`;
    if (last === undefined) return [insertAt(close, written)];
    const end = endOf(text, last);
    const comma = text.slice(end, close).includes(',') ? '' : ', ';
    return [insertAt(comma === '' ? close : end, `${comma}${written}`)];
  }
  const first = map.items[0] ?? last;
  const indent = text.slice(lineStart(text, startOf(first)), startOf(first));
  const at = lineEnd(text, endOf(text, last));
  const eol = eolOf(text);
  return [insertAt(at, eol + linesOf({ [key]: value }, indent, { yaml, eol }))];
}

/** Another value; what stands on lines of its own is written into one. */
function replacement(
  text: string,
  pair: Pair,
  { value, yaml }: Pick<Addition, 'value' | 'yaml'>,
): readonly Splice[] {
  const [from, to] = rangeOf(pair.value) ?? [0, 0];
  const colon = text.indexOf(':', rangeOf(pair.key)?.[1] ?? 0) + 1;
  if (from === to && isRecord(value)) {
    const eol = eolOf(text);
    const indent = `${text.slice(lineStart(text, startOf(pair)), startOf(pair))}  `;
    return [insertAt(lineEnd(text, colon), eol + linesOf(value, indent, { yaml, eol }))];
  }
  if (from === to) return [insertAt(colon, ` ${JSON.stringify(value)}`)];
  const end = text[to - 1] === '\n' ? endOf(text, pair) : to;
  return [{ from, to: end, text: JSON.stringify(value) }];
}

/** Takes a member away with its lines; a map that is left empty says so, because nothing would be no map. */
function removal(
  text: string,
  map: YAMLMap,
  { member, holder }: { readonly member: Pair; readonly holder: Pair | undefined },
): readonly Splice[] {
  const [start, end] = [startOf(member), endOf(text, member)];
  if (map.flow === true) {
    const after = /^\s*,\s*/.exec(text.slice(end))?.[0];
    if (after !== undefined) return [{ from: start, to: end + after.length, text: '' }];
    const before = /\s*,\s*$/.exec(text.slice(0, start))?.[0] ?? '';
    return [{ from: start - before.length, to: end, text: '' }];
  }
  // With the line break before it, as it was put there; the first line of a text has none.
  const line = lineStart(text, start);
  const from = line === 0 ? 0 : lineEnd(text, lineStart(text, line - 1));
  const lines = { from, to: lineEnd(text, end), text: '' };
  if (map.items.length > 1 || holder === undefined) return [lines];
  const colon = text.indexOf(':', rangeOf(holder.key)?.[1] ?? 0) + 1;
  return [insertAt(colon, ' {}'), lines];
}
