// The thread that waits for the disk. What was asked while it waited becomes one change, with one wait.
import { parentPort, workerData } from 'node:worker_threads';
import { openDatabase, type DatabaseOptions, type OpenDatabase } from './database.ts';
import { reads, type Operation, type Outcome } from './operation.ts';
import { failureOf, Refusal } from './refusal.ts';

const sweepEveryMs = 1000;

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

function main(): void {
  const database = openDatabase(workerData as DatabaseOptions);
  let sweptMs = performance.now();
  parentPort?.on('message', (asked: readonly Operation[]) => {
    if (asked.length === 0) {
      database.close();
      parentPort?.close();
      return;
    }
    parentPort?.postMessage(answer(database, asked));
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
