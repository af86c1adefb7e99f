import path from 'node:path';
import type { Dialect } from './dialect.ts';
import { formatOfFile, parseDocument } from './format/document.ts';
import { below, configError, topOf, type Place } from './place.ts';
import { isInside, readConfigFile } from './read-file.ts';
import { valueAt } from './values.ts';

const maxHops = 16;

interface ParsedFile {
  readonly file: string;
  readonly document: unknown;
}

/** Goes where `"mcpServers": "./other.json"` points to: another file below the root. */
export async function followLinks(
  first: ParsedFile,
  { root, dialects }: { readonly root: string; readonly dialects: readonly Dialect[] },
): Promise<ParsedFile> {
  if (!dialects.some(({ id }) => id === 'compat')) return first;
  let parsed = first;
  const visited = new Set([first.file]);
  for (let hops = 0; ; hops += 1) {
    const target = valueAt(parsed.document, ['mcpServers']);
    if (typeof target !== 'string') return parsed;
    const place = below(topOf(parsed.file), 'mcpServers');
    if (hops === maxHops)
      throw configError(place, `more than ${maxHops} files refer to each other`);
    const file = targetOf(target, { place, root, from: parsed.file });
    if (visited.has(file)) throw configError(place, `refers back to ${file}`);
    visited.add(file);
    const text = await readConfigFile(file);
    if (text === undefined) throw configError(place, `there is no file ${file}`);
    parsed = { file, document: await parseDocument(text, file, formatOfFile(file)) };
  }
}

function targetOf(
  target: string,
  { place, root, from }: { readonly place: Place; readonly root: string; readonly from: string },
): string {
  const escapes = (file: string): Error =>
    configError(place, `path escapes root: ${file} (root=${root})`, {
      hint: 'The other file must be inside the project, by a relative path without `..`.',
    });
  if (path.isAbsolute(target) || target.split(/[\\/]/).includes('..')) throw escapes(target);
  const file = path.resolve(path.dirname(from), target);
  if (!isInside(root, file)) throw escapes(file);
  return file;
}
