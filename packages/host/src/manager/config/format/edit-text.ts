import { isRecord } from 'mcp-kit/internal';
import type { ConfigFormat } from './document.ts';
import { editToml } from './edit-toml.ts';
import { sameValue } from '../values.ts';

/** One difference between two documents; without a value, what is at the path goes. */
interface Change {
  readonly path: readonly string[];
  readonly value?: unknown;
}

/** A text as it is, what it says now, and what it shall say. */
export interface Revision {
  readonly text: string;
  readonly before: unknown;
  readonly after: Readonly<Record<string, unknown>>;
}

/** Writes a document as a new text. */
export async function serialise(
  document: Readonly<Record<string, unknown>>,
  format: ConfigFormat,
): Promise<string> {
  if (format === 'toml') return (await import('smol-toml')).stringify(document);
  if (format === 'yaml') return (await import('yaml')).default.stringify(document);
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** Changes a text so that it says something else, and leaves everything else in it alone, comments included. */
export async function reviseText(revision: Revision, format: ConfigFormat): Promise<string> {
  const { text, before, after } = revision;
  if (sameValue(before, after)) return text;
  if (text.trim() === '') return serialise(after, format);
  if (format === 'toml') return editToml(revision);
  const changes = changesBetween(before, after, []);
  return format === 'yaml' ? editYaml(text, changes) : editJson(text, changes);
}

function changesBetween(before: unknown, after: unknown, path: readonly string[]): Change[] {
  if (sameValue(before, after)) return [];
  if (!isRecord(before) || !isRecord(after)) return [{ path, value: after }];
  const gone = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  return [
    ...gone.map((key) => ({ path: [...path, key] })),
    ...Object.entries(after).flatMap(([key, value]) =>
      changesBetween(Object.hasOwn(before, key) ? before[key] : undefined, value, [...path, key]),
    ),
  ];
}

async function editJson(text: string, changes: readonly Change[]): Promise<string> {
  const { applyEdits, modify } = await import('jsonc-parser');
  const indent = /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';
  const formattingOptions = {
    insertSpaces: !indent.startsWith('\t'),
    tabSize: indent.startsWith('\t') ? 1 : indent.length,
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  };
  let result = text;
  for (const { path, value } of changes) {
    result = applyEdits(result, modify(result, [...path], value, { formattingOptions }));
  }
  return result;
}

async function editYaml(text: string, changes: readonly Change[]): Promise<string> {
  const { parseDocument } = (await import('yaml')).default;
  // Read before, and found to have each key once.
  const document = parseDocument(text, { uniqueKeys: false });
  for (const change of changes) {
    if ('value' in change) document.setIn(change.path, document.createNode(change.value));
    else document.deleteIn(change.path);
  }
  return document.toString();
}
