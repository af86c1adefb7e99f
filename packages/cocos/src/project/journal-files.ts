import { existsSync, linkSync, renameSync, unlinkSync } from 'node:fs';
import { mkdir, rename, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { CocosError } from '#cocos/document';
import { codeOf, syncFolder } from './durable.ts';
import { step, type Applied, type JournalPlace } from './journal-place.ts';
import { entryOf, ownFolder } from './own-folder.ts';
import { fileOf } from './paths.ts';
import { hashOfFile, identityOf, statOf } from './stamp.ts';

/** What the files were when they were kept, by their place in the record. */
export type KeptFiles = ReadonlyMap<number, string>;

/**
 * Puts all files of a transaction in their places. What goes makes room for what comes: a file may take the place of a folder,
 * and the other way round. Fails with E_CONFLICT where somebody else saved one of the files meanwhile.
 */
export async function applyFiles(
  place: JournalPlace,
  { entry, record }: Applied,
  kept: KeptFiles,
): Promise<void> {
  const touched = new Set<string>();
  const inEntry = (name: string): string => path.join(entry.folder, name);
  for (const [index, file] of record.files.entries()) {
    if (file.after !== null) continue;
    const target = fileOf(place, file.path);
    step(place, `remove ${file.path}`);
    await take(target, inEntry(`gone-${index}`), file.path);
    touched.add(path.dirname(target));
  }
  await removeFolders(place, record.removedFolders, touched);
  await makeFolders(place, record.createdFolders, touched);
  for (const [index, file] of record.files.entries()) {
    if (file.after === null) continue;
    const target = fileOf(place, file.path);
    const after = inEntry(`after-${index}`);
    step(place, `${file.before === null ? 'create' : 'replace'} ${file.path}`);
    const isPlaced =
      file.before === null
        ? createSync(after, target)
        : replaceSync(after, target, {
            identity: kept.get(index),
            held: inEntry(`before-${index}`),
          });
    if (!isPlaced) throw savedMeanwhile([file.path]);
    touched.add(path.dirname(target));
  }
  await syncAll(touched);
  await refuseOthers({ entry, record });
}

/** Takes whatever is there at this moment. */
async function take(target: string, to: string, name: string): Promise<void> {
  try {
    await rename(target, to);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') throw savedMeanwhile([name]);
    throw error;
  }
}

/** Puts a new file where nothing is: unlike a rename, a link never replaces what somebody else has made there. */
function createSync(after: string, target: string): boolean {
  try {
    linkSync(after, target);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    // A disk that has no links.
    if (statOf(target) !== undefined) return false;
    renameSync(after, target);
    return true;
  }
  unlinkSync(after);
  return true;
}

/**
 * Replaces a file that is still the one that is known: nothing of this process, and next to no time, is between look and
 * replacement. `held` is another name of it, where what was written into it at that very moment is seen, and put back.
 */
function replaceSync(
  after: string,
  target: string,
  { identity, held }: { readonly identity: string | undefined; readonly held?: string | undefined },
): boolean {
  // A disk that has no links has a copy there.
  const isLinked = held !== undefined && identityAt(held) === identity;
  if (identityAt(target) !== identity) return false;
  renameSync(after, target);
  if (!isLinked || identityAt(held) === identity) return true;
  linkSync(held, `${held}-back`);
  renameSync(`${held}-back`, target);
  return false;
}

function identityAt(file: string): string | undefined {
  const stat = statOf(file);
  return stat?.isFile() === true ? identityOf(stat) : undefined;
}

/** What was kept is the same file that stood there, so whoever wrote into it until it was replaced has left its bytes in it. */
async function refuseOthers({ entry, record }: Applied): Promise<void> {
  const changed: string[] = [];
  for (const [index, { path: name, before, after }] of record.files.entries()) {
    if (before === null) continue;
    const held = path.join(entry.folder, `${after === null ? 'gone' : 'before'}-${index}`);
    if ((await hashOfFile(held)) !== before) changed.push(name);
  }
  if (changed.length > 0) throw savedMeanwhile(changed);
}

/**
 * Puts the files back that the transaction changed. What somebody else has saved since is left as it is; what somebody else had
 * saved before it was replaced is put back, or kept where that place is taken. Answers where it was kept.
 */
export async function takeBackFiles(place: JournalPlace, applied: Applied): Promise<string[]> {
  const { record } = applied;
  const touched = new Set<string>();
  const kept: string[] = [];
  const restore = async (isWanted: (after: string | null) => boolean): Promise<void> => {
    for (const [index, { path: name, after }] of record.files.entries()) {
      if (!isWanted(after)) continue;
      const target = fileOf(place, name);
      if (await restoreFile(place, applied, { index, target })) touched.add(path.dirname(target));
      else kept.push(...(await keepOthers(place, applied, { index, target })));
    }
  };
  await restore((after) => after !== null);
  await removeFolders(place, record.createdFolders, touched);
  await makeFolders(place, record.removedFolders, touched);
  await restore((after) => after === null);
  await syncAll(touched);
  return kept;
}

/** Whether a file is again as it was, or never was another. */
async function restoreFile(
  place: JournalPlace,
  { entry, record }: Applied,
  { index, target }: { readonly index: number; readonly target: string },
): Promise<boolean> {
  const file = record.files[index];
  if (file === undefined) return true;
  const { path: name, before, after } = file;
  const found = await lookAt(target);
  const held = heldOf(entry.folder, index);
  if (found.hash === before && before === null) return true;
  if (found.hash !== after) return held === undefined || found.hash === before;
  if (before === null) {
    step(place, `restore ${name}`);
    const taken = path.join(entry.folder, `taken-${index}`);
    await rename(target, taken);
    if ((await hashOfFile(taken)) !== after) createSync(taken, target);
    return true;
  }
  if (held === undefined) return false;
  step(place, `restore ${name}`);
  return after === null
    ? createSync(held, target)
    : replaceSync(held, target, { identity: found.identity });
}

/** What was there before, as it was taken or kept; only a file, whatever came with the project in its place. */
function heldOf(folder: string, index: number): string | undefined {
  return [`gone-${index}`, `before-${index}`]
    .map((name) => path.join(folder, name))
    .find((file) => entryOf(file)?.isFile() === true);
}

/** Keeps bytes of somebody else that would be lost with the transaction. */
async function keepOthers(
  place: JournalPlace,
  { entry, record }: Applied,
  { index, target }: { readonly index: number; readonly target: string },
): Promise<string[]> {
  const file = record.files[index];
  const held = heldOf(entry.folder, index);
  if (held === undefined || file === undefined) return [];
  const hash = await hashOfFile(held);
  if (hash === file.before || hash === (await lookAt(target)).hash) return [];
  const folder = await ownFolder(place.root, 'kept');
  const name = `${entry.number}-${index}-${path.posix.basename(file.path)}`;
  step(place, `keep ${file.path}`);
  await rename(held, path.join(folder, name));
  return [`local/mcp-kit/kept/${name}`];
}

interface Found {
  readonly hash: string | null;
  readonly identity?: string | undefined;
}

async function lookAt(target: string): Promise<Found> {
  const stat = statOf(target);
  if (stat === undefined) return { hash: null };
  // Like a file that somebody else wrote.
  if (!stat.isFile()) return { hash: 'no file' };
  try {
    return { hash: await hashOfFile(target), identity: identityOf(stat) };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return { hash: null };
    throw error;
  }
}

async function makeFolders(
  place: JournalPlace,
  folders: readonly string[],
  touched: Set<string>,
): Promise<void> {
  for (const name of folders) {
    const folder = fileOf(place, name);
    step(place, `make ${name}`);
    await mkdir(folder, { recursive: true });
    touched.add(path.dirname(folder));
  }
}

/** From the inside; a folder with something else in it stays. */
async function removeFolders(
  place: JournalPlace,
  folders: readonly string[],
  touched: Set<string>,
): Promise<void> {
  for (const name of folders.toReversed()) {
    const folder = fileOf(place, name);
    step(place, `remove ${name}`);
    await removeIfEmpty(folder);
    touched.add(path.dirname(folder));
  }
}

async function removeIfEmpty(folder: string): Promise<void> {
  try {
    await rmdir(folder);
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '')) throw error;
  }
}

async function syncAll(folders: Iterable<string>): Promise<void> {
  for (const folder of folders) if (existsSync(folder)) await syncFolder(folder);
}

/** What is answered where somebody else was faster. */
export function savedMeanwhile(files: readonly string[]): CocosError {
  return new CocosError('E_CONFLICT', `${files.join(', ')} changed on the disk meanwhile`, {
    suggestion: 'Look at the project again and repeat the edit.',
    details: { files },
  });
}

/** Whether a failure is that one. */
export function isOvertaken(error: unknown): boolean {
  return (
    error instanceof CocosError &&
    error.code === 'E_CONFLICT' &&
    error.details?.['files'] !== undefined
  );
}
