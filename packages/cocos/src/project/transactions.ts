import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { CocosError, giveBack } from '#cocos/document';
import type { Draft, DraftFile, FileChange } from './draft.ts';
import type { FileStore } from './file-store.ts';
import type { FoundProject } from './find-project.ts';
import {
  clearUndone,
  discard,
  journalEntries,
  keptBefore,
  readRecord,
  recover,
  runPlan,
  type FileStep,
  type Plan,
  type RunPlan,
} from './journal.ts';
import { savedMeanwhile } from './journal-files.ts';
import type { JournalEntry, JournalPlace } from './journal-place.ts';
import { isOwnFile, type JournalRecord } from './journal-record.ts';
import { type EarlyNote, KeyFiles, type Note } from './keys.ts';
import { acquireLock, type Lock } from './lock.ts';
import { hide, knownFolder, ownFolder } from './own-folder.ts';
import { fileOf } from './paths.ts';
import { hashOf, stampOf } from './stamp.ts';
import { verify } from './verify.ts';

/** How many records are kept in memory. */
const maxRecords = 200;

/** Something that was done to a project, and can be undone. */
export interface Transaction {
  readonly id: string;
  readonly label: string;
  /** ISO 8601. */
  readonly at: string;
  readonly files: readonly FileChange[];
}

/** What else there is to a transaction. */
export interface CommitOptions {
  /**
   * Called when all is ready and nothing is changed yet: what it throws ends the transaction, and nothing is written. What it
   * returns is remembered if, and only if, the transaction is done.
   */
  readonly beforeWrite?: ((done: Transaction) => Promise<EarlyNote | undefined>) | undefined;
  /**
   * Makes the draft anew where somebody else was faster; called while nobody else may write. Nothing where it would not do the
   * same: then the transaction fails.
   */
  readonly again?: (() => Promise<Draft | undefined>) | undefined;
}

/** How a project is written to. */
export interface ProjectOptions {
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
  readonly #options: ProjectOptions;
  readonly #place: JournalPlace;
  readonly #keys: KeyFiles;
  /** The records that were read, by where and what they are on the disk. */
  readonly #records = new Map<string, JournalRecord | undefined>();
  /** What waits for the lock, or has it. */
  readonly #pending = new Set<Promise<unknown>>();

  constructor(
    { root, mounts }: Pick<FoundProject, 'root' | 'mounts'>,
    store: FileStore,
    options: ProjectOptions,
  ) {
    this.#root = root;
    this.#store = store;
    this.#options = options;
    const folder = path.join(root, 'local', 'mcp-kit', 'transactions');
    this.#place = { root, mounts, folder, onStep: options.onStep };
    this.#keys = new KeyFiles(root);
  }

  /** Takes back what was interrupted before; answers the labels of it. */
  async recover(): Promise<string[]> {
    if (knownFolder(this.#root, 'transactions') === undefined) return [];
    const isClean = (await journalEntries(this.#place)).every(({ stage }) => stage === 'done');
    return isClean ? [] : this.#locked(async ({ recovered }) => recovered);
  }

  /** What is remembered under a key. */
  known(key: string): Promise<string | undefined> {
    return this.#locked(() => this.#keys.get(key));
  }

  /** Remembers something if its key has the value that is expected; false where it has another. */
  remember(note: Note): Promise<boolean> {
    return this.#locked(async () => {
      if ((await this.#keys.get(note.key)) !== note.expected) return false;
      await this.#keys.put(note);
      return true;
    });
  }

  /** Remembers nothing under a key any more if it has the value that is expected; false where it has another. */
  forget(key: string, expected: string | undefined): Promise<boolean> {
    return this.#locked(async () => {
      if ((await this.#keys.get(key)) !== expected) return false;
      await this.#keys.delete(key);
      return true;
    });
  }

  /** Writes all files of a draft, or none. Undefined where the draft changes nothing. */
  async commit(
    draft: Draft,
    label: string,
    { beforeWrite, again }: CommitOptions = {},
  ): Promise<Transaction | undefined> {
    const planned = changesOf(draft);
    if (planned === undefined) return undefined;
    return this.#locked(async ({ lock }) => {
      const stale = this.#changedSince(draft);
      const latest = stale.length === 0 ? draft : await again?.();
      if (latest === undefined) throw savedMeanwhile(stale);
      const changes = latest === draft ? planned : changesOf(latest);
      if (changes === undefined) return undefined;
      const { files, folders } = changes;
      const verified = files.map((file) => {
        this.#refuseOther(file);
        return { file, table: verify(file, this.#store) };
      });
      const plan = {
        id: newId(),
        label,
        at: new Date().toISOString(),
        files: files.map(({ path: name, base, after }) => ({ path: name, before: base, after })),
        createdFolders: folders.created,
        removedFolders: folders.removed,
      };
      const { done, written } = await this.#run(plan, lock, beforeWrite);
      for (const { file, table } of verified) {
        if (table === undefined || file.after === undefined) continue;
        const { path: name, after } = file;
        latest.handOver(name);
        this.#store.adopt(name, { hash: hashOf(after), table, identity: written.get(name) });
      }
      // It is on the disk, and nobody else has got the bytes.
      for (const { printed } of files) if (printed?.room !== undefined) giveBack(printed.room);
      return done;
    });
  }

  /** Takes back the last transaction; with an id, only if that is the last. */
  async undo(id?: string, { beforeWrite }: CommitOptions = {}): Promise<Transaction> {
    return this.#locked(async ({ lock }) => {
      const { value: last } = await this.#done().next();
      if (last === undefined) {
        throw new CocosError('E_PRECONDITION_FAILED', 'there is nothing to undo');
      }
      if (id !== undefined && last.record.id !== id) {
        throw new CocosError('E_PRECONDITION_FAILED', `the last transaction is ${last.record.id}`, {
          suggestion: 'Undo the later transactions first.',
        });
      }
      return this.#takeBack(last, lock, beforeWrite);
    });
  }

  /** What can be undone, the last first. */
  async history(): Promise<Transaction[]> {
    const done: Transaction[] = [];
    for await (const { record } of this.#done()) done.push(transactionOf(record));
    return done;
  }

  async #takeBack(
    done: Done,
    lock: Lock,
    beforeWrite: CommitOptions['beforeWrite'],
  ): Promise<Transaction> {
    const { entry, record } = done;
    const steps = record.files.map(async (file, index): Promise<FileStep[]> => {
      if (isOwnFile(file.path)) return this.#keys.undoneStep(file.path, file.after);
      const hash = this.#store.hash(file.path);
      if ((hash ?? null) !== file.after) throw savedMeanwhile([file.path]);
      return [{ path: file.path, before: hash, after: await keptBefore(entry, index, file) }];
    });
    const files = (await Promise.all(steps)).flat();
    const plan = {
      id: newId(),
      label: `undo ${record.label}`,
      at: new Date().toISOString(),
      files,
      createdFolders: record.removedFolders,
      removedFolders: record.createdFolders,
      undoes: record.id,
    };
    const { done: undone, written } = await this.#run(plan, lock, beforeWrite);
    for (const { path: file, before: hash } of record.files) {
      const table = hash === null ? undefined : this.#store.replaced(file, hash);
      if (hash !== null && table !== undefined) {
        this.#store.adopt(file, { hash, table, identity: written.get(file) });
      }
      // Whoever looked at them before looks at them next.
      if (this.#store.isKept(file)) parseAhead(this.#store, file);
    }
    return undone;
  }

  async #run(
    plan: Omit<Plan, 'beforeWrite'>,
    lock: Lock,
    beforeWrite: CommitOptions['beforeWrite'],
  ): Promise<Pick<RunPlan, 'written'> & { readonly done: Transaction }> {
    const done = transactionOf(plan);
    const { entry, written } = await runPlan(this.#place, {
      ...plan,
      beforeWrite: async () => {
        await lock.assertHeld();
        const note = await beforeWrite?.(done);
        if (note?.value === undefined) return [];
        return [await this.#keys.stepFor({ ...note, value: note.value })];
      },
    });
    // It is done: what cannot be cleared away now is cleared away by the next.
    const cleared =
      plan.undoes === undefined ? this.#prune() : clearUndone(this.#place, entry, plan.undoes);
    await cleared.catch(() => undefined);
    return { done, written };
  }

  /** Some at a time: a project may come with thousands. */
  async #prune(): Promise<void> {
    const done = (await journalEntries(this.#place)).filter(({ stage }) => stage === 'done');
    const old = done.slice(0, Math.max(0, done.length - (this.#options.maxUndo ?? 50)));
    for (const entry of old.slice(0, 200)) await discard(this.#place, entry);
  }

  /** The transactions that are complete, the last first. */
  async *#done(): AsyncGenerator<Done, undefined> {
    const undone = new Set<string>();
    const entries = (await this.#entries()).filter(({ stage }) => stage === 'done');
    for (const entry of entries.slice(-(this.#options.maxUndo ?? 50)).toReversed()) {
      const record = await this.#record(entry);
      if (record?.undoes !== undefined) undone.add(record.undoes);
      else if (record !== undefined && !undone.has(record.id)) yield { entry, record };
    }
    return undefined;
  }

  async #record(entry: JournalEntry): Promise<JournalRecord | undefined> {
    const file = path.join(entry.folder, 'journal.json');
    const key = `${file} ${stampOf(file)}`;
    if (this.#records.has(key)) return this.#records.get(key);
    if (this.#records.size >= maxRecords) this.#records.clear();
    const record = await readRecord(this.#place, entry);
    this.#records.set(key, record);
    return record;
  }

  async #entries(): Promise<JournalEntry[]> {
    const isThere = knownFolder(this.#root, 'transactions') !== undefined;
    return isThere ? journalEntries(this.#place) : [];
  }

  /** Settles when nothing is under way any more. */
  async settled(): Promise<void> {
    while (this.#pending.size > 0) await Promise.allSettled(this.#pending);
  }

  #locked<Result>(work: (held: Held) => Promise<Result>): Promise<Result> {
    const result = this.#withLock(work);
    const ended: Promise<unknown> = result
      .catch(() => undefined)
      .finally(() => this.#pending.delete(ended));
    this.#pending.add(ended);
    return result;
  }

  async #withLock<Result>(work: (held: Held) => Promise<Result>): Promise<Result> {
    await ownFolder(this.#root, 'transactions');
    await hide(await ownFolder(this.#root));
    const waitMs = this.#options.lockWaitMs ?? 10_000;
    await using lock = await acquireLock(await ownFolder(this.#root, 'lock'), waitMs);
    // Whoever had the lock before may have died with it.
    return await work({ lock, recovered: await recover(this.#place) });
  }

  /** Files that were read, and changed on the disk since, make the whole draft worthless. */
  #changedSince(draft: Draft): string[] {
    const stale = [...draft.seen()].filter(([file, known]) => {
      const stamp = stampOf(fileOf({ root: this.#root }, file));
      return stamp !== known?.stamp && this.#store.read(file)?.hash !== known?.hash;
    });
    return stale.map(([file]) => file);
  }

  #refuseOther({ path: file, base }: DraftFile): void {
    if (this.#store.hash(file) !== base) throw savedMeanwhile([file]);
  }
}

/** What committing a draft would do; undefined where that is nothing. */
function changesOf(draft: Draft): DraftChanges | undefined {
  const files = draft.files();
  const folders = draft.folders();
  const isNothing = files.length + folders.created.length + folders.removed.length === 0;
  return isNothing ? undefined : { files, folders };
}

interface DraftChanges {
  readonly files: readonly DraftFile[];
  readonly folders: ReturnType<Draft['folders']>;
}

/** What whoever may write has. */
interface Held {
  readonly lock: Lock;
  /** The labels of what was taken back. */
  readonly recovered: string[];
}

/** What a plan and a record have in common. */
interface Described extends Pick<JournalRecord, 'id' | 'label' | 'at'> {
  readonly files: readonly {
    readonly path: string;
    readonly before?: string | null | undefined;
    readonly after?: unknown;
  }[];
}

interface Done {
  readonly entry: JournalEntry;
  readonly record: JournalRecord;
}

const newId = () => randomBytes(6).toString('hex');

function transactionOf({ id, label, at, files }: Described): Transaction {
  const told = files.filter((file) => !isOwnFile(file.path));
  return {
    id,
    label,
    at,
    files: told.map((file) => {
      if ((file.after ?? undefined) === undefined) return { path: file.path, change: 'delete' };
      return {
        path: file.path,
        change: (file.before ?? undefined) === undefined ? 'create' : 'update',
      };
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
