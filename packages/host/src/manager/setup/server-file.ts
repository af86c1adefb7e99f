import { createHash } from 'node:crypto';
import { lstat, readFile, realpath, rm, rmdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { replaceFile, whileChanging } from 'mcp-kit/internal';
import { configError, topOf } from '../config/place.ts';

/** How large a file with servers may be. */
const maxBytes = 16 * 1024 * 1024;

/** A file as it is; without a text there is none. */
export interface ServerFile {
  /** Where it is, with links followed where they may be. */
  readonly file: string;
  readonly text: string | undefined;
}

/** Reads a file to be changed. A user may have linked their settings to where they keep them; a project has no business to. */
export async function readServerFile(
  file: string,
  { follow }: { readonly follow: boolean },
): Promise<ServerFile> {
  const stats = await lstat(file).catch(() => undefined);
  if (stats === undefined) return { file, text: undefined };
  if (stats.isSymbolicLink() && !follow) {
    throw configError(topOf(file), 'is a link, which is not written through', {
      hint: 'Change the file that it points to.',
    });
  }
  const place = await realpath(file);
  const { size } = await stat(place);
  if (size > maxBytes) throw configError(topOf(file), `is larger than ${maxBytes} bytes`);
  return { file: place, text: decoded(await readFile(place), file) };
}

/** All of it, also the mark that some editors begin files with: what is written back has the same bytes. */
function decoded(bytes: Uint8Array, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw configError(topOf(file), 'is not UTF-8', { cause });
  }
}

/** What tells one text from any other. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** The folders that have to be made before a file can be written, the outermost first. */
export async function missingFolders(file: string): Promise<readonly string[]> {
  const missing: string[] = [];
  for (let folder = path.dirname(file); ; folder = path.dirname(folder)) {
    const there = await stat(folder).catch(() => undefined);
    if (there !== undefined || folder === path.dirname(folder)) return missing.toReversed();
    missing.push(folder);
  }
}

/**
 * Puts another text into a file, or, without one, removes it; in one step, one process at a time, and only if it still
 * is as it was read. A new file gets `mode`: it may have secrets in it.
 */
export async function changeServerFile(
  { file, text: before }: ServerFile,
  after: string | undefined,
  { mode = 0o600 }: { readonly mode?: number } = {},
): Promise<void> {
  const change = async (): Promise<void> => {
    const { text } = await readServerFile(file, { follow: false });
    if (text !== before) {
      throw configError(topOf(file), 'has changed meanwhile: nothing was written', {
        hint: 'Try again.',
      });
    }
    if (after === undefined) await rm(file, { force: true });
    else await replaceFile(file, after, (await modeOf(file)) ?? mode);
  };
  await whileChanging(file, change, 0o777);
}

function modeOf(file: string): Promise<number | undefined> {
  return stat(file).then(
    (stats) => stats.mode & 0o777,
    () => undefined,
  );
}

/** Removes folders that are empty, the innermost first. */
export async function removeEmptyFolders(folders: readonly string[]): Promise<void> {
  for (const folder of folders.toReversed()) await rmdir(folder).catch(() => {});
}
