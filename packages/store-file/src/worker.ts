// The thread that waits for the disk. What was asked while it waited becomes one change, with one wait.
import { watch, type FSWatcher } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { openDatabase, type DatabaseOptions, type OpenDatabase } from './database.ts';
import { reads, type Operation, type Outcome, type Said, type Told } from './operation.ts';
import { failureOf, Refusal } from './refusal.ts';

const sweepEveryMs = 1000;
/** How soon what other processes add to a log is noticed: what is written soon after it as well, and where the system tells nothing. */
const lookAfterMs = 2;
const lookEveryMs = 250;

function perform({ operations }: OpenDatabase, [name, ...given]: Operation): Outcome {
  try {
    // The types of both sides are one table's, which the compiler does not see through.
    const operation = operations[name] as (...given: readonly unknown[]) => unknown;
    return { answer: operation(...given) };
  } catch (error) {
    // What is wrong about one is no reason to undo the others.
    if (error instanceof Refusal && error.kind === 'invalid') return { failure: failureOf(error) };
    throw error;
  }
}

/** Does all of them, or none. */
function performAll(database: OpenDatabase, asked: readonly Operation[]): readonly Outcome[] {
  const work = (): readonly Outcome[] => asked.map((operation) => perform(database, operation));
  return asked.every(([name]) => reads.has(name)) ? work() : database.transaction(work);
}

function answer(database: OpenDatabase, asked: readonly Operation[]): readonly Outcome[] {
  try {
    return performAll(database, asked);
  } catch (error) {
    if (failureOf(error).kind !== 'full') return asked.map(() => ({ failure: failureOf(error) }));
  }
  try {
    database.transaction(() => database.makeRoom(true));
    return performAll(database, asked);
  } catch (error) {
    return asked.map(() => ({ failure: failureOf(error) }));
  }
}

/** Calls back when something in a folder is written; nothing where the system cannot tell. */
function watchFolder(folder: string, changed: () => void): FSWatcher | undefined {
  try {
    return watch(folder, changed).on('error', () => undefined);
  } catch {
    return undefined;
  }
}

/** Errors of the database library reach the other thread without their words. */
function open(options: DatabaseOptions): OpenDatabase {
  try {
    return openDatabase(options);
  } catch (error) {
    throw new Error(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function main(): void {
  const options = workerData as DatabaseOptions;
  const database = open(options);
  const tell = (told: Told): void => parentPort?.postMessage(told);
  let sweptMs = performance.now();
  let watched: readonly string[] = [];
  let timer: NodeJS.Timeout | undefined;
  let soon: NodeJS.Timeout | undefined;
  const look = (): void => {
    clearTimeout(soon);
    soon = undefined;
    // What cannot be looked at now is looked at later.
    try {
      const woken = database.changes(watched);
      if (woken.length > 0) tell({ woken });
    } catch {}
  };
  let changes: FSWatcher | undefined;
  const watchFor = (keys: readonly string[]): void => {
    watched = keys;
    clearInterval(timer);
    if (keys.length === 0) {
      changes?.close();
      changes = undefined;
      return;
    }
    timer = setInterval(look, lookEveryMs);
    changes ??= watchFolder(options.folder, () => (soon ??= setTimeout(look, lookAfterMs)));
  };
  parentPort?.on('message', (asked: Said) => {
    if ('watched' in asked) return watchFor(asked.watched);
    if (asked.length === 0) {
      watchFor([]);
      clearTimeout(soon);
      database.close();
      parentPort?.close();
      return;
    }
    tell(answer(database, asked));
    if (performance.now() - sweptMs < sweepEveryMs) return;
    sweptMs = performance.now();
    // What cannot be swept now is swept later.
    try {
      database.transaction(() => database.makeRoom(false));
    } catch {}
  });
  parentPort?.postMessage('open');
}

main();
