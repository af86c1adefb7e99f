import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, rmdir, unlink } from 'node:fs/promises';
import path from 'node:path';
import { CocosError } from '#cocos/document';
import { codeOf, keepDurably, syncFolder, writeDurably } from './durable.ts';
import type { Mount } from './find-project.ts';
import { parseRecord, type JournalRecord } from './journal-record.ts';
import { fileOf } from './paths.ts';
import { hashOf, identityOf, statOf } from './stamp.ts';

/** A file before and after; undefined where there is none. */
export interface FileStep {
  readonly path: string;
  /** The fingerprint of what is there. */
  readonly before: string | undefined;
  readonly after: Uint8Array | undefined;
}

/** Everything one transaction does to the files of a project. */
export interface Plan {
  readonly id: string;
  readonly label: string;
  readonly files: readonly FileStep[];
  /** Folders that come and go, outer ones first. */
  readonly createdFolders: readonly string[];
  readonly removedFolders: readonly string[];
  /** The transaction that this one takes back. */
  readonly undoes?: string;
}

/**
 * A transaction is a folder whose name says how far it came. Until it is `applying` nothing of the project was touched; once it
 * is `done` everything is in place; whatever is found `applying` was interrupted, and is taken back from the copies in it.
 */
type Stage = 'preparing' | 'applying' | 'done' | 'discarded';

/** Where a transaction lies. */
export interface JournalEntry {
  readonly number: number;
  readonly stage: Stage;
  readonly folder: string;
}

/** What the journal works on. `onStep` hears of every single change to the disk, before it is made. */
export interface JournalPlace {
  readonly root: string;
  readonly mounts: readonly Mount[];
  /** The folder of the transactions. */
  readonly folder: string;
  readonly onStep?: ((step: string) => void) | undefined;
}

/** The transactions in the journal, oldest first. */
export async function journalEntries(place: JournalPlace): Promise<JournalEntry[]> {
  let names: string[];
  try {
    names = await readdir(place.folder);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
  return names
    .flatMap((name): JournalEntry[] => {
      const [, number, stage] = /^(\d+)\.(preparing|applying|done|discarded)$/.exec(name) ?? [];
      if (number === undefined) return [];
      const folder = path.join(place.folder, name);
      return [{ number: Number(number), stage: stage as Stage, folder }];
    })
    .sort((left, right) => left.number - right.number);
}

/** The record of a transaction; undefined where it is damaged, or not one of this project. */
export async function readRecord(
  place: JournalPlace,
  entry: JournalEntry,
): Promise<JournalRecord | undefined> {
  try {
    const text = await readFile(path.join(entry.folder, 'journal.json'), 'utf8');
    return parseRecord(text, place);
  } catch {
    return undefined;
  }
}

/** The bytes a file had before a transaction. */
export function readBefore(entry: JournalEntry, index: number): Promise<Uint8Array> {
  return readFile(path.join(entry.folder, `before-${index}`));
}

/** A transaction that was done, and the identity of each file that it wrote. */
export interface RunPlan {
  readonly entry: JournalEntry;
  readonly written: ReadonlyMap<string, string>;
}

/** Does a transaction: all of it, or nothing. */
export async function runPlan(place: JournalPlace, plan: Plan): Promise<RunPlan> {
  const record = recordOf(plan);
  const { entry: prepared, written } = await prepare(place, plan, record);
  try {
    await apply(place, prepared, record);
    return { entry: await restage(place, prepared, 'done'), written };
  } catch (error) {
    await takeBack(place, prepared, record).catch((second: unknown) => {
      throw new CocosError('E_INTERNAL', `"${plan.label}" was interrupted by ${String(error)}`, {
        suggestion: 'Opening the project again takes it back.',
        cause: second,
      });
    });
    throw failure(error, plan.label);
  }
}

/** Takes back what was interrupted and clears away what is left over; answers the labels of what was taken back. */
export async function recover(place: JournalPlace): Promise<string[]> {
  const recovered: string[] = [];
  for (const entry of await journalEntries(place)) {
    const record = await readRecord(place, entry);
    if (entry.stage === 'applying' && record !== undefined) {
      await takeBack(place, entry, record);
      recovered.push(record.label);
    } else if (entry.stage === 'done' && record?.undoes !== undefined) {
      await clearUndone(place, entry, record.undoes);
    } else if (entry.stage !== 'applying' && (entry.stage !== 'done' || record === undefined)) {
      await rm(entry.folder, { recursive: true, force: true });
    }
  }
  return recovered;
}

/** After a transaction was taken back there is nothing to remember of it, nor of taking it back. */
export async function clearUndone(
  place: JournalPlace,
  undo: JournalEntry,
  undoes: string,
): Promise<void> {
  for (const entry of await journalEntries(place)) {
    if (entry.stage !== 'done' || entry.number === undo.number) continue;
    if ((await readRecord(place, entry))?.id === undoes) await discard(place, entry);
  }
  await discard(place, undo);
}

/** Forgets a transaction. */
export async function discard(place: JournalPlace, entry: JournalEntry): Promise<void> {
  const { folder } = await restage(place, entry, 'discarded');
  step(place, `remove ${folder}`);
  await rm(folder, { recursive: true, force: true });
}

function recordOf(plan: Plan): JournalRecord {
  const { files, ...rest } = plan;
  return {
    ...rest,
    at: new Date().toISOString(),
    files: files.map(({ path: name, before, after }) => ({
      path: name,
      before: before ?? null,
      after: after === undefined ? null : hashOf(after),
    })),
  };
}

/** Writes everything that is needed to do the transaction and to take it back. */
async function prepare(place: JournalPlace, plan: Plan, record: JournalRecord): Promise<RunPlan> {
  const written = new Map<string, string>();
  const number = Math.max(0, ...(await journalEntries(place)).map((entry) => entry.number)) + 1;
  const folder = path.join(place.folder, `${String(number).padStart(6, '0')}.preparing`);
  const write = async (name: string, content: Uint8Array | string, mode?: number) => {
    step(place, `write ${name}`);
    return identityOf(await writeDurably(path.join(folder, name), content, mode));
  };
  try {
    await mkdir(folder, { recursive: true });
    await inGroups(plan.files, async (file, index) => {
      const target = fileOf(place, file.path);
      if (file.after !== undefined) {
        written.set(file.path, await write(`after-${index}`, file.after, modeOf(target)));
      }
      if (file.before === undefined) return;
      step(place, `keep before-${index}`);
      await keepDurably(target, path.join(folder, `before-${index}`));
    });
    await write('journal.json', JSON.stringify(record, null, 1));
    await syncFolder(folder);
    const entry = await restage(place, { number, stage: 'preparing', folder }, 'applying');
    return { entry, written };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw failure(error, plan.label);
  }
}

/** Some at a time: each waits for the disk, and many would need as many open files. */
async function inGroups<Item>(
  items: readonly Item[],
  work: (item: Item, index: number) => Promise<void>,
): Promise<void> {
  const size = 16;
  for (let start = 0; start < items.length; start += size) {
    const group = items.slice(start, start + size).map((item, at) => work(item, start + at));
    // All have ended before anybody clears up after the one that failed.
    await Promise.allSettled(group);
    await Promise.all(group);
  }
}

/** What goes makes room for what comes: a file may take the place of a folder, and the other way round. */
async function apply(
  place: JournalPlace,
  entry: JournalEntry,
  record: JournalRecord,
): Promise<void> {
  const touched = new Set<string>();
  for (const file of record.files) {
    if (file.after !== null) continue;
    const target = fileOf(place, file.path);
    step(place, `remove ${file.path}`);
    await unlink(target);
    touched.add(path.dirname(target));
  }
  await removeFolders(place, record.removedFolders, touched);
  await makeFolders(place, record.createdFolders, touched);
  for (const [index, file] of record.files.entries()) {
    if (file.after === null) continue;
    const target = fileOf(place, file.path);
    step(place, `replace ${file.path}`);
    await rename(path.join(entry.folder, `after-${index}`), target);
    touched.add(path.dirname(target));
  }
  await syncAll(touched);
}

/** Puts the files back that the transaction changed; what somebody else changed since is left as it is. */
async function takeBack(
  place: JournalPlace,
  entry: JournalEntry,
  record: JournalRecord,
): Promise<void> {
  const touched = new Set<string>();
  const restore = async (isWanted: (after: string | null) => boolean) => {
    for (const [index, { path: name, before, after }] of record.files.entries()) {
      if (!isWanted(after)) continue;
      const target = fileOf(place, name);
      const current = await currentHash(target);
      if (current === before || current !== after) continue;
      step(place, `restore ${name}`);
      if (before === null) await unlink(target);
      else await rename(path.join(entry.folder, `before-${index}`), target);
      touched.add(path.dirname(target));
    }
  };
  await restore((after) => after !== null);
  await removeFolders(place, record.createdFolders, touched);
  await makeFolders(place, record.removedFolders, touched);
  await restore((after) => after === null);
  await syncAll(touched);
  await discard(place, entry);
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

/** Who may read and write a file; a new one takes what the system gives. */
function modeOf(file: string): number | undefined {
  const stat = statOf(file);
  return stat?.isFile() === true ? Number(stat.mode & 0o777n) : undefined;
}

async function currentHash(file: string): Promise<string | null> {
  try {
    return hashOf(await readFile(file));
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    // Like a file that somebody else wrote.
    if (code === 'EISDIR') return code;
    throw error;
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

/** Moves a transaction on: one rename, so it is at one stage at every moment. */
async function restage(
  place: JournalPlace,
  entry: JournalEntry,
  stage: Stage,
): Promise<JournalEntry> {
  if (entry.stage === stage) return entry;
  const folder = entry.folder.replace(/\.[a-z]+$/, `.${stage}`);
  step(place, `rename to ${path.basename(folder)}`);
  await rename(entry.folder, folder);
  await syncFolder(place.folder);
  return { ...entry, stage, folder };
}

function step({ onStep }: JournalPlace, what: string): void {
  onStep?.(what);
}

function failure(error: unknown, label: string): CocosError {
  if (error instanceof CocosError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  const isFull = ['ENOSPC', 'EDQUOT'].includes(codeOf(error) ?? '');
  return new CocosError('E_UNAVAILABLE', `"${label}" was not written, nothing changed: ${reason}`, {
    suggestion: isFull ? 'Free some space on the disk.' : 'See that the files can be written.',
    cause: error,
  });
}
