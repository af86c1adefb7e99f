import { randomBytes } from 'node:crypto';
import { lstatSync, type Stats } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { codeOf } from './durable.ts';
import { fileOf, folderGone } from './paths.ts';

const ownName = 'mcp-kit';

/** What is at a path itself, not where it leads; undefined where nothing is. */
export function entryOf(file: string): Stats | undefined {
  try {
    return lstatSync(file, { throwIfNoEntry: false });
  } catch (error) {
    if (codeOf(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

/**
 * A folder of the pack, `local/mcp-kit/…`, which is made where it is not there. A project may come from a stranger: a link, or
 * anything else in the place of one of these folders, is set aside, so that nothing is written or deleted elsewhere.
 */
export async function ownFolder(root: string, ...names: readonly string[]): Promise<string> {
  if (entryOf(root)?.isDirectory() !== true) throw folderGone(root);
  let folder = fileOf({ root }, 'local');
  if (entryOf(folder) === undefined) await makeFolder(folder);
  for (const name of [ownName, ...names]) {
    folder = path.join(folder, name);
    const entry = entryOf(folder);
    if (entry?.isDirectory() === true) continue;
    if (entry !== undefined) await setAside(folder);
    await makeFolder(folder);
  }
  return folder;
}

/** The same where it is there already, and is nothing else; undefined otherwise. */
export function knownFolder(root: string, ...names: readonly string[]): string | undefined {
  let folder = path.join(root, 'local');
  for (const name of ['', ownName, ...names]) {
    folder = path.join(folder, name);
    if (entryOf(folder)?.isDirectory() !== true) return undefined;
  }
  return folder;
}

/** Gives what is in our way another name, whatever it is. */
export async function setAside(file: string): Promise<void> {
  const name = `${path.basename(file)}.foreign-${randomBytes(6).toString('hex')}`;
  await rename(file, path.join(path.dirname(file), name)).catch((error: unknown) => {
    // Another process has done it.
    if (codeOf(error) !== 'ENOENT') throw error;
  });
}

/** Keeps a folder out of source control, also where the project's own list does not leave out `local`. */
export async function hide(folder: string): Promise<void> {
  const file = path.join(folder, '.gitignore');
  const entry = entryOf(file);
  if (entry?.isFile() === true) return;
  if (entry !== undefined) await setAside(file);
  await writeFile(file, '*\n', { flag: 'wx' }).catch((error: unknown) => {
    // Another process has done it.
    if (codeOf(error) !== 'EEXIST') throw error;
  });
}

/** Not with those above it: where the project is gone, nothing shall stand in its place. */
async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}
