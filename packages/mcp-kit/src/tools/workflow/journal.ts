import {
  crypto,
  describeError,
  longestTimerMs,
  unref,
  type Logger,
  type MaybePromise,
} from '#base';
import { isRecord } from '#jsonrpc';
import type { Store } from '#store';
import type { Change, Plan } from '../changes.ts';
import { fail, type Failure, type ToolFailure } from '../failure.ts';

/**
 * How far a stage has got:
 * `planned` it has not begun. `applying` it has begun: what became of it is not known yet. `applied`, `failed` as they say.
 * `undone` it was applied, and taken back. `not_undone` it was applied, and could not be taken back.
 */
export type StageStatus = 'planned' | 'applying' | 'applied' | 'failed' | 'undone' | 'not_undone';

/** What is known of a stage of a run. */
export interface StageRecord {
  readonly stage: string;
  readonly plan: Plan;
  status: StageStatus;
  durationMs: number;
  answers?: Readonly<Record<string, unknown>>;
  output?: unknown;
  /** What was changed, where that is not what was planned. */
  changes?: readonly Change[];
  error?: Failure;
  /** Of one that failed: it may have changed something nevertheless; or it was still going on when it was given up. */
  doubt?: 'effect' | 'running';
  /** Of one that failed: nothing of it is left. */
  restored?: true;
  /** Why something of it is left. */
  leftover?: string;
}

/** What is known of a run; all that is needed to go on with it, or to take it back. */
export interface RunRecord {
  readonly runId: string;
  readonly workflow: string;
  readonly principal: string | null;
  readonly startedAt: string;
  readonly stages: readonly StageRecord[];
  /** The stages that have begun, in that order. */
  readonly begun: string[];
  status: 'open' | 'done' | 'undone';
  direction: 'forward' | 'back';
  /** Why it is taken back. */
  failure?: Failure;
  /** Who works on it, and until when that is sure. */
  owner: string;
  untilMs: number;
}

/** Where a workflow keeps its journals, and for how long. */
export interface JournalOptions {
  readonly workflow: string;
  readonly store: Pick<Store, 'kv'>;
  readonly logger: Logger;
  readonly keepMs: number;
  readonly leaseMs: number;
  readonly now: () => number;
}

interface Found {
  readonly record: RunRecord;
  readonly text: string;
}

/** What the store has of a run. */
export async function findRun(options: JournalOptions, runId: string): Promise<Found | undefined> {
  const text = await reach(options, ({ kv }) => kv.get(placeOf(options, runId)));
  if (text === undefined) return undefined;
  const record: unknown = JSON.parse(text);
  // Only a journal writes under these keys.
  return isRecord(record) ? { record: record as unknown as RunRecord, text } : undefined;
}

/** The runs that have not come to an end; one that has is forgotten here. */
export async function openRuns(options: JournalOptions): Promise<readonly RunRecord[]> {
  const runs: RunRecord[] = [];
  const prefix = markOf(options, '');
  for (const at of await reach(options, ({ kv }) => kv.list(prefix))) {
    const runId = at.slice(prefix.length);
    const found = await findRun(options, runId);
    if (found?.record.status === 'open') runs.push(found.record);
    else if (found !== undefined) await unmark(options, runId);
  }
  return runs;
}

/** One run as its owner writes it down: every step before it is taken, and after. */
export class Journal {
  readonly record: RunRecord;
  readonly #options: JournalOptions;
  #text: string | undefined;
  #saving: Promise<void> = Promise.resolve();
  #renewal: NodeJS.Timeout | undefined;
  #lost = false;

  /** Makes a run this process's own: one that is new, or one that was found and that nobody works on any more. */
  static async claim(
    options: JournalOptions,
    record: RunRecord,
    found: string | undefined,
  ): Promise<Journal> {
    if (found !== undefined && record.untilMs > options.now()) throw underWay();
    await mark(options, record.runId);
    const journal = new Journal(options, record, found);
    await journal.save();
    const renew = (): void => void journal.#quietly(() => journal.save());
    const everyMs = Math.min(longestTimerMs, Math.max(10, options.leaseMs / 3));
    journal.#renewal = unref(setInterval(renew, everyMs));
    return journal;
  }

  private constructor(options: JournalOptions, record: RunRecord, found: string | undefined) {
    this.#options = options;
    this.record = { ...record, owner: crypto().randomUUID() };
    this.#text = found;
  }

  /** Somebody else has taken the run over: whoever finds this out must not touch anything any more. */
  get lost(): boolean {
    return this.#lost;
  }

  /** Writes the record down as it is now, one write after the other. */
  save(): Promise<void> {
    const saving = this.#saving.then(() => this.#write(this.#options.leaseMs));
    this.#saving = saving.catch(() => undefined);
    return saving;
  }

  /** The same; that the store is away does not stop what must be done in any case. */
  async saveIfPossible(): Promise<void> {
    await this.#quietly(() => this.save());
  }

  /** Lets go of a run that has not come to its end; somebody will take it up. */
  async release(): Promise<void> {
    clearInterval(this.#renewal);
    await this.#saving;
    await this.#quietly(() => this.#write(0));
  }

  /** The run has come to its end. */
  async close(status: 'done' | 'undone'): Promise<void> {
    this.record.status = status;
    await this.release();
    await this.#quietly(() => unmark(this.#options, this.record.runId));
  }

  async #write(leaseMs: number): Promise<void> {
    this.record.untilMs = this.#options.now() + leaseMs;
    const text = JSON.stringify(this.record);
    if (!(await this.#swap(text)) && !(await this.#recover(text))) {
      this.#lost = true;
      throw this.#text === undefined ? underWay() : takenOver();
    }
    this.#text = text;
  }

  #swap(text: string): Promise<boolean> {
    const at = placeOf(this.#options, this.record.runId);
    const { keepMs } = this.#options;
    const ttlMs = this.record.status === 'open' ? keepMs : Math.min(keepMs, keepClosedMs);
    return reach(this.#options, ({ kv }) => kv.cas(at, this.#text, text, { ttlMs }));
  }

  /** A store may fail to say that it has written: what it has is this run's own all the same. */
  async #recover(text: string): Promise<boolean> {
    const found = await findRun(this.#options, this.record.runId);
    if (found?.record.owner !== this.record.owner) return false;
    this.#text = found.text;
    return this.#swap(text);
  }

  async #quietly(access: () => Promise<unknown>): Promise<void> {
    // Told to the log where it happened.
    await access().catch(() => undefined);
  }
}

function placeOf({ workflow }: JournalOptions, runId: string): string {
  return `workflow/${workflow}/${runId}`;
}

function markOf({ workflow }: JournalOptions, runId: string): string {
  return `open-run/${workflow}/${runId}`;
}

/** No longer than an idempotency key is: whoever uses one anew then wants it done anew. */
const keepClosedMs = 24 * 60 * 60_000;

/** Remembers a run before it begins, so that it is found should this process die. */
async function mark(options: JournalOptions, runId: string): Promise<void> {
  const { keepMs: ttlMs } = options;
  const at = markOf(options, runId);
  // Or it is there already.
  await reach(options, ({ kv }) => kv.cas(at, undefined, 'open', { ttlMs }));
}

async function unmark(options: JournalOptions, runId: string): Promise<void> {
  await reach(options, ({ kv }) => kv.cas(markOf(options, runId), 'open', undefined));
}

/** Without the store nothing can be promised, so nothing is begun. */
async function reach<T>(
  { store, logger, workflow }: JournalOptions,
  access: (store: Pick<Store, 'kv'>) => MaybePromise<T>,
): Promise<T> {
  try {
    return await access(store);
  } catch (error) {
    logger.error(`workflow ${workflow}: the store failed`, { error: describeError(error) });
    throw fail('E_UNAVAILABLE', 'What keeps the journals of workflows cannot be reached.');
  }
}

function underWay(): ToolFailure {
  return fail('E_CONFLICT', 'This run is under way.', {
    retryable: true,
    suggestion: 'Wait a moment and ask again.',
  });
}

/** Somebody else goes on with the run. */
export function takenOver(): ToolFailure {
  return fail('E_CONFLICT', 'This run was taken over by another process.', { retryable: true });
}
