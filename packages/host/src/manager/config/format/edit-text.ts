import { isRecord } from 'mcp-kit/internal';
import { configError, topOf } from '../place.ts';
import { sameValue } from '../values.ts';
import { parseDocument, type ConfigFormat } from './document.ts';
import { editJson } from './edit-json.ts';
import { editToml } from './edit-toml.ts';
import { editYaml } from './edit-yaml.ts';

/** One difference between two documents; without a value, what is at the path goes. */
export interface Change {
  readonly path: readonly string[];
  readonly value?: unknown;
}

/** A text as it is, what it says now, and what it shall say; `file` names it in errors. */
export interface Revision {
  readonly text: string;
  readonly before: unknown;
  readonly after: Readonly<Record<string, unknown>>;
  readonly file?: string | undefined;
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
  const { text, before, after, file = 'the text' } = revision;
  if (sameValue(before, after)) return text;
  if (text.trim() === '') return serialise(after, format);
  const changes = changesBetween(before, after, []);
  const edit = { json: editJson, jsonc: editJson, yaml: editYaml };
  const result = await (format === 'toml' ? editToml(revision) : edit[format](text, changes));
  // There are ways to write things down that no part can be put into; nobody's text is rewritten for that.
  if (await says(result, after, format)) return result;
  throw configError(topOf(file), 'is written in a way that cannot be changed in place', {
    hint: 'Write each server of it on lines of its own, as mcpctl config convert prints them, and try again.',
  });
}

async function says(text: string, document: unknown, format: ConfigFormat): Promise<boolean> {
  try {
    const found = await parseDocument(text, '', format);
    // A table of TOML that has nothing in it need not be there.
    const plain = format === 'toml' ? withoutEmpty : (value: unknown) => value;
    return sameValue(plain(found), plain(document));
  } catch {
    return false;
  }
}

function withoutEmpty(document: unknown): unknown {
  const members = Object.entries(isRecord(document) ? document : {});
  return Object.fromEntries(
    members.filter(([, value]) => !isRecord(value) || Object.keys(value).length > 0),
  );
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
