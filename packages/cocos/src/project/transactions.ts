import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { checkTable, CocosError, parseMeta, parseTable, twinOf, type Table } from '#cocos/document';
import { decode } from './bytes.ts';
import type { Draft, DraftFile, FileChange } from './draft.ts';
import type { FileStore, WrittenFile } from './file-store.ts';
import type { FoundProject } from './find-project.ts';
import {
  clearUndone,
  discard,
  journalEntries,
  readBefore,
  readRecord,
  recover,
  runPlan,
  type FileStep,
  type JournalEntry,
  type JournalPlace,
  type Plan,
  type RunPlan,
} from './journal.ts';
import type { JournalRecord } from './journal-record.ts';
import { acquireLock } from './lock.ts';
import { fileOf } from './paths.ts';
import { hashOf, stampOf } from './stamp.ts';

/** Something that was done to a project, and can be undone. */
export interface Transaction {
  readonly id: string;
  readonly label: string;
  /** ISO 8601. */
  readonly at: string;
  readonly files: readonly FileChange[];
}

export interface TransactionOptions {
  /** How many transactions can be undone; 50 unless told otherwise. */
  readonly maxUndo?: number | undefined;
  /** How long to wait for another process that is writing; 10 seconds unless told otherwise. */
  readonly lockWaitMs?: number | undefined;
  /** Hears of every single change to the disk before it is made; for tests of interruption. */
  readonly onStep?: ((step: string) => void) | undefined;
}

/**
 * Writes drafts to the disk and takes them back. Its files are in `local`, which the editor does not import, source control
 * leaves out, and nobody empties to get a fresh start, as is done with `temp` and `library`.
 */
export class Transactions {
  readonly #root: string;
  readonly #store: FileStore;
  readonly #options: TransactionOptions;
  readonly #folder: string;
  readonly #place: JournalPlace;

  constructor(
    { root, mounts }: Pick<FoundProject, 'root' | 'mounts'>,
    store: FileStore,
    options: TransactionOptions,
  ) {
    this.#root = root;
    this.#store = store;
    this.#options = options;
    this.#folder = path.join(root, 'local', 'mcp-kit');
    this.#place = {
      root,
      mounts,
      folder: path.join(this.#folder, 'transactions'),
      onStep: options.onStep,
    };
  }

  /** Takes back what was interrupted before; answers the labels of it. */
  async recover(): Promise<string[]> {
    const isClean = (await journalEntries(this.#place)).every(({ stage }) => stage === 'done');
    return isClean ? [] : this.#locked(async (recovered) => recovered);
  }

  /** Writes all files of a draft, or none. Undefined where the draft changes nothing. */
  async commit(draft: Draft, label: string): Promise<Transaction | undefined> {
    const files = draft.files();
    const folders = draft.folders();
    if (files.length + folders.created.length + folders.removed.length === 0) return undefined;
    return this.#locked(async () => {
      this.#refuseStale(draft);
      const verified = files.map((file) => {
        const step = this.#stepFor(file);
        return { step, table: verify(step, file.printed, this.#store) };
      });
      const { done, written } = await this.#run({
        id: newId(),
        label,
        files: verified.map(({ step }) => step),
        createdFolders: folders.created,
        removedFolders: folders.removed,
      });
      for (const { step, table } of verified) {
        if (table === undefined || step.after === undefined) continue;
        const identity = written.get(step.path);
        this.#adopt(draft, step.path, { bytes: step.after, identity, table });
      }
      return done;
    });
  }

  /** Takes back the last transaction; with an id, only if that is the last. */
  async undo(id?: string): Promise<Transaction> {
    return this.#locked(async () => {
      const [last] = await this.#done();
      if (last === undefined) {
        throw new CocosError('E_PRECONDITION_FAILED', 'there is nothing to undo');
      }
      if (id !== undefined && last.record.id !== id) {
        throw new CocosError('E_PRECONDITION_FAILED', `the last transaction is ${last.record.id}`, {
          suggestion: 'Undo the later transactions first.',
        });
      }
      return this.#takeBack(last);
    });
  }

  /** What can be undone, the last first. */
  async history(): Promise<Transaction[]> {
    return (await this.#done()).map(({ record }) => transactionOf(record));
  }

  /** What was edited is looked at from now on, and what was read back of it is edited next: nothing has to be copied. */
  #adopt(draft: Draft, file: string, written: Omit<WrittenFile, 'copy'>): void {
    const { bytes, table } = written;
    const edited = draft.handOver(file, bytes);
    const twin = edited && twinOf(table, edited);
    this.#store.adopt(file, {
      ...written,
      ...(twin ? { table: twin, copy: table } : { copy: undefined }),
    });
  }

  async #takeBack({ entry, record }: Done): Promise<Transaction> {
    const files = await Promise.all(
      record.files.map(async (file, index): Promise<FileStep> => {
        const hash = this.#store.read(file.path)?.hash;
        if ((hash ?? null) !== file.after) throw changedSince([file.path]);
        const after = file.before === null ? undefined : await readBefore(entry, index);
        if (after !== undefined && hashOf(after) !== file.before) {
          throw new CocosError('E_INTERNAL', `what ${file.path} was before is damaged`);
        }
        return { path: file.path, before: hash, after };
      }),
    );
    const { done } = await this.#run({
      id: newId(),
      label: `undo ${record.label}`,
      files,
      createdFolders: record.removedFolders,
      removedFolders: record.createdFolders,
      undoes: record.id,
    });
    // Whoever looked at them before looks at them next.
    for (const { path: file } of files) if (this.#store.isKept(file)) parseAhead(this.#store, file);
    return done;
  }

  async #run(plan: Plan): Promise<Pick<RunPlan, 'written'> & { readonly done: Transaction }> {
    const { entry, written } = await runPlan(this.#place, plan);
    const record = await readRecord(this.#place, entry);
    if (plan.undoes !== undefined) await clearUndone(this.#place, entry, plan.undoes);
    else await this.#prune();
    if (record === undefined) throw new CocosError('E_INTERNAL', 'the journal cannot be read back');
    return { done: transactionOf(record), written };
  }

  async #prune(): Promise<void> {
    const old = (await this.#done()).slice(this.#options.maxUndo ?? 50);
    for (const { entry } of old) await discard(this.#place, entry);
  }

  /** The transactions that are complete, the last first. */
  async #done(): Promise<Done[]> {
    const done: Done[] = [];
    for (const entry of await journalEntries(this.#place)) {
      const record = entry.stage === 'done' ? await readRecord(this.#place, entry) : undefined;
      if (record !== undefined) done.unshift({ entry, record });
    }
    const undone = new Set(done.map(({ record }) => record.undoes));
    return done.filter(({ record }) => record.undoes === undefined && !undone.has(record.id));
  }

  async #locked<Result>(work: (recovered: string[]) => Promise<Result>): Promise<Result> {
    await this.#makeFolder();
    const waitMs = this.#options.lockWaitMs ?? 10_000;
    await using _lock = await acquireLock(path.join(this.#folder, 'lock'), waitMs);
    // Whoever had the lock before may have died with it.
    return await work(await recover(this.#place));
  }

  async #makeFolder(): Promise<void> {
    // A link there must not lead us out either.
    const folder = fileOf(this.#place, 'local/mcp-kit');
    await mkdir(path.join(folder, 'transactions'), { recursive: true });
    // Also where the project's own list does not leave out `local`.
    const ignore = path.join(folder, '.gitignore');
    if (!existsSync(ignore)) await writeFile(ignore, '*\n');
  }

  /** Files that were read, and changed on the disk since, make the whole draft worthless. */
  #refuseStale(draft: Draft): void {
    const stale = [...draft.seen()].filter(([file, known]) => {
      const stamp = stampOf(fileOf({ root: this.#root }, file));
      return stamp !== known?.stamp && this.#store.read(file)?.hash !== known?.hash;
    });
    if (stale.length > 0) throw changedSince(stale.map(([file]) => file));
  }

  #stepFor({ path: file, base, after }: DraftFile): FileStep {
    if (this.#store.hash(file) !== base) throw changedSince([file]);
    return { path: file, before: base, after };
  }
}

interface Done {
  readonly entry: JournalEntry;
  readonly record: JournalRecord;
}

const newId = () => randomBytes(6).toString('hex');

function transactionOf({ id, label, at, files }: JournalRecord): Transaction {
  return {
    id,
    label,
    at,
    files: files.map((file) => {
      if (file.after === null) return { path: file.path, change: 'delete' };
      return { path: file.path, change: file.before === null ? 'create' : 'update' };
    }),
  };
}

function parseAhead(store: FileStore, file: string): void {
  try {
    store.table(file);
  } catch {
    // What is wrong with it is for those to hear who look at it.
  }
}

function changedSince(files: readonly string[]): CocosError {
  return new CocosError('E_CONFLICT', `${files.join(', ')} changed on the disk meanwhile`, {
    suggestion: 'Look at the project again and repeat the edit.',
    details: { files },
  });
}

/** Reads back what is about to be written: a file that could not be opened again must never replace one that can. */
function verify(
  { path: file, after }: FileStep,
  printed: DraftFile['printed'],
  store: FileStore,
): Table | undefined {
  if (after === undefined) return undefined;
  try {
    if (/\.(scene|prefab)$/.test(file)) {
      const table = parseTable(printed?.text ?? decode(after), file, printed?.table);
      refuseNewFaults(table, () => store.read(file)?.bytes);
      return table;
    }
    if (file.endsWith('.meta') && parseMeta(decode(after)) === undefined) {
      throw new CocosError('E_INTERNAL', 'it has no uuid');
    }
    return undefined;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CocosError('E_INTERNAL', `${file} would be damaged: ${reason}`, {
      suggestion: 'Nothing was written. Please report what was done.',
      cause: error,
    });
  }
}

/** Faults that the file has had before are not for this edit to answer for. */
function refuseNewFaults(table: Table, before: () => Uint8Array | undefined): void {
  const faults = checkTable(table);
  if (faults.length > 0 && faults.length > faultsBefore(before())) {
    throw new CocosError('E_INTERNAL', faults.join('; '));
  }
}

function faultsBefore(before: Uint8Array | undefined): number {
  if (before === undefined) return 0;
  try {
    return checkTable(parseTable(decode(before))).length;
  } catch {
    // It could not be opened, so anything is better.
    return Infinity;
  }
}
