import type { Dirent } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { CocosError } from '#cocos/document';
import { codeOf, keepDurably, renewDurably, syncFolder, writeDurably } from './durable.ts';
import { applyFiles, takeBackFiles, type KeptFiles } from './journal-files.ts';
import { step, type JournalEntry, type JournalPlace, type Stage } from './journal-place.ts';
import { isOwnFile, parseRecord, type JournalRecord } from './journal-record.ts';
import { entryOf, setAside } from './own-folder.ts';
import { fileOf, refuseUnwritable } from './paths.ts';
import { hashOf, hashOfFile, identityOf, statOf } from './stamp.ts';

/** A file before and after; undefined where there is none. */
export interface FileStep {
  readonly path: string;
  /** The fingerprint of what is there. */
  readonly before: string | undefined;
  readonly after: Uint8Array | KeptBytes | undefined;
}

/** Bytes that are in a file of the journal. */
export interface KeptBytes {
  readonly file: string;
  readonly hash: string;
}

/** Everything one transaction does to the files of a project. */
export interface Plan {
  readonly id: string;
  readonly label: string;
  readonly at: string;
  readonly files: readonly FileStep[];
  /** Folders that come and go, outer ones first. */
  readonly createdFolders: readonly string[];
  readonly removedFolders: readonly string[];
  /** The transaction that this one takes back. */
  readonly undoes?: string | undefined;
  /** Called when all is ready and nothing is changed yet, for the last time to refuse; answers what else belongs to the transaction. */
  readonly beforeWrite: () => Promise<readonly FileStep[]>;
}

/** Numbers from here on are none that were made here. */
const maxNumber = 900_000_000;
/** Larger than a record can be. */
const maxRecordBytes = 64 * 1024 * 1024;

/** The transactions in the journal, oldest first; anything else there is left alone. */
export async function journalEntries(place: JournalPlace): Promise<JournalEntry[]> {
  return (await namesIn(place))
    .flatMap((entry): JournalEntry[] => {
      const [, number, stage] =
        /^(\d{6,9})\.(preparing|applying|done|discarded)$/.exec(entry.name) ?? [];
      if (number === undefined || Number(number) > maxNumber || !entry.isDirectory()) return [];
      const folder = path.join(place.folder, entry.name);
      return [{ number: Number(number), stage: stage as Stage, folder }];
    })
    .sort((left, right) => left.number - right.number);
}

async function namesIn({ folder }: JournalPlace): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

/** A number that no name has, whatever it is the name of. */
async function nextNumber(place: JournalPlace): Promise<number> {
  const numbers = (await namesIn(place)).map(({ name }) => Number(/^(\d{1,9})\./.exec(name)?.[1]));
  return Math.max(0, ...numbers.filter((number) => number < maxNumber)) + 1;
}

/** The record of a transaction; undefined where it is damaged, or not one of this project. */
export async function readRecord(
  place: JournalPlace,
  entry: JournalEntry,
): Promise<JournalRecord | undefined> {
  try {
    const file = path.join(entry.folder, 'journal.json');
    const stat = entryOf(file);
    if (stat?.isFile() !== true || stat.size > maxRecordBytes) return undefined;
    return parseRecord(await readFile(file, 'utf8'), place);
  } catch {
    return undefined;
  }
}

/** The bytes a file had before a transaction, if they still are. */
export async function keptBefore(
  { folder }: JournalEntry,
  index: number,
  { path: name, before: hash }: JournalRecord['files'][number],
): Promise<KeptBytes | undefined> {
  if (hash === null) return undefined;
  const file = path.join(folder, `before-${index}`);
  if (entryOf(file)?.isFile() === true && (await hashOfFile(file)) === hash) return { file, hash };
  throw new CocosError('E_INTERNAL', `what ${name} was before is damaged`);
}

/** A transaction that was done, and the identity of each file that it wrote. */
export interface RunPlan {
  readonly entry: JournalEntry;
  readonly record: JournalRecord;
  readonly written: ReadonlyMap<string, string>;
}

/** Does a transaction: all of it, or nothing. */
export async function runPlan(place: JournalPlace, plan: Plan): Promise<RunPlan> {
  const { entry: prepared, record, written, kept } = await prepare(place, plan);
  try {
    await applyFiles(place, { entry: prepared, record }, kept);
    return { entry: await restage(place, prepared, 'done'), record, written };
  } catch (error) {
    const others = await takeBack(place, prepared, record).catch((second: unknown) => {
      throw new CocosError('E_INTERNAL', `"${plan.label}" was interrupted by ${String(error)}`, {
        suggestion: 'Opening the project again takes it back.',
        cause: second,
      });
    });
    throw withKept(failure(error, plan.label), others);
  }
}

/** Says where the bytes of somebody else are that could not stay in their place. */
function withKept(error: CocosError, kept: readonly string[]): CocosError {
  if (kept.length === 0) return error;
  return new CocosError(error.code, error.message, {
    suggestion: `What somebody else saved meanwhile is kept: ${kept.join(', ')}. ${error.suggestion ?? ''}`,
    details: { ...error.details, kept },
    cause: error,
  });
}

async function takeBack(
  place: JournalPlace,
  entry: JournalEntry,
  record: JournalRecord,
): Promise<string[]> {
  const kept = await takeBackFiles(place, { entry, record });
  await discard(place, entry);
  return kept;
}

/** Takes back what was interrupted and clears away what is left over; answers the labels of what was taken back. */
export async function recover(place: JournalPlace): Promise<string[]> {
  const recovered: string[] = [];
  const entries = await journalEntries(place);
  for (const entry of entries) {
    const { stage, folder } = entry;
    if (stage === 'applying') {
      recovered.push(...(await recoverEntry(place, entry)));
    } else if (stage !== 'done') {
      await rm(folder, { recursive: true, force: true });
    }
    // Only the last can have been left with something to clear.
    else if (entry === entries.at(-1)) {
      const undoes = (await readRecord(place, entry))?.undoes;
      if (undoes !== undefined) await clearUndone(place, entry, undoes);
    }
  }
  return recovered;
}

/** What cannot be taken back for what it says, and not for the disk, is not ours, or no use any more. */
const hopeless = new Set(['ENOTDIR', 'EISDIR', 'EEXIST', 'ENOENT', 'ELOOP', 'ENOTEMPTY']);

async function recoverEntry(place: JournalPlace, entry: JournalEntry): Promise<string[]> {
  const record = await readRecord(place, entry);
  if (record === undefined) return [];
  try {
    await takeBack(place, entry, record);
    return [record.label];
  } catch (error) {
    const isHopeless = error instanceof CocosError || hopeless.has(codeOf(error) ?? '');
    if (!isHopeless) throw failure(error, record.label);
    await setAside(entry.folder);
    return [];
  }
}

/** After a transaction was taken back there is nothing to remember of it, nor of taking it back. */
export async function clearUndone(
  place: JournalPlace,
  undo: JournalEntry,
  undoes: string,
): Promise<void> {
  // It is the last before, or close to it.
  for (const entry of (await journalEntries(place)).toReversed()) {
    if (entry.stage !== 'done' || entry.number === undo.number) continue;
    if ((await readRecord(place, entry))?.id !== undoes) continue;
    await discard(place, entry);
    break;
  }
  await discard(place, undo);
}

/** Forgets a transaction. */
export async function discard(place: JournalPlace, entry: JournalEntry): Promise<void> {
  const { folder } = await restage(place, entry, 'discarded');
  step(place, `remove ${folder}`);
  await rm(folder, { recursive: true, force: true });
}

function recordOf(
  { beforeWrite: _, files, ...rest }: Plan,
  more: readonly FileStep[],
): JournalRecord {
  return {
    ...rest,
    files: [...files, ...more].map(({ path: name, before, after }) => ({
      path: name,
      before: before ?? null,
      after: after === undefined ? null : isKept(after) ? after.hash : hashOf(after),
    })),
  };
}

const isKept = (bytes: Uint8Array | KeptBytes): bytes is KeptBytes => 'hash' in bytes;

interface Prepared extends RunPlan {
  readonly kept: KeptFiles;
}

/** Writes everything that is needed to do the transaction and to take it back. */
async function prepare(place: JournalPlace, plan: Plan): Promise<Prepared> {
  const written = new Map<string, string>();
  const kept = new Map<number, string>();
  const number = await nextNumber(place);
  const folder = path.join(place.folder, `${String(number).padStart(6, '0')}.preparing`);
  const write = async (name: string, content: Uint8Array | KeptBytes | string, mode?: number) => {
    step(place, `write ${name}`);
    const file = path.join(folder, name);
    const stat =
      typeof content !== 'string' && isKept(content)
        ? await renewDurably(content.file, file, mode)
        : await writeDurably(file, content, mode);
    return identityOf(stat);
  };
  const ready = async (file: FileStep, index: number) => {
    const target = targetOf(place, file.path);
    if (file.after !== undefined) {
      written.set(file.path, await write(`after-${index}`, file.after, modeOf(target)));
    }
    if (file.before === undefined) return;
    step(place, `keep before-${index}`);
    const stat = statOf(target);
    if (stat !== undefined) kept.set(index, identityOf(stat));
    await keepDurably(target, path.join(folder, `before-${index}`));
  };
  try {
    await mkdir(folder);
    await inGroups(plan.files, ready);
    const more = await plan.beforeWrite();
    await inGroups(more, (file, index) => ready(file, plan.files.length + index));
    const record = recordOf(plan, more);
    await write('journal.json', JSON.stringify(record, null, 1));
    await syncFolder(folder);
    const entry = await restage(place, { number, stage: 'preparing', folder }, 'applying');
    return { entry, record, written, kept };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw failure(error, plan.label);
  }
}

/** Where a file really is; links inside the project must not lead from where edits go to where they do not. */
function targetOf(place: JournalPlace, name: string): string {
  const target = fileOf(place, name);
  const real = path.relative(place.root, target).replaceAll('\\', '/');
  if (real !== name && !isOwnFile(name)) refuseUnwritable(place, real);
  refuseReadOnly(target, name);
  return target;
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

/** Who may read and write a file; a new one takes what the system gives. */
function modeOf(file: string): number | undefined {
  const stat = statOf(file);
  return stat?.isFile() === true ? Number(stat.mode & 0o777n) : undefined;
}

/** Whoever took away the right to write a file, as some source controls do, did not mean it to be replaced. */
function refuseReadOnly(file: string, name: string): void {
  const mode = modeOf(file);
  if (mode === undefined || (mode & 0o222) !== 0) return;
  throw new CocosError('E_PRECONDITION_FAILED', `${name} is read-only`, {
    suggestion: 'Nothing was written. Check it out, or make it writable.',
    details: { files: [name] },
  });
}

/** Moves a transaction on: one rename, so it is at one stage at every moment. */
async function restage(
  place: JournalPlace,
  entry: JournalEntry,
  stage: Stage,
): Promise<JournalEntry> {
  if (entry.stage === stage) return entry;
  const folder = entry.folder.replace(/\.[a-z]+$/, `.${stage}`);
  if (entryOf(folder) !== undefined) await setAside(folder);
  step(place, `rename to ${path.basename(folder)}`);
  await rename(entry.folder, folder);
  await syncFolder(place.folder);
  return { ...entry, stage, folder };
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
