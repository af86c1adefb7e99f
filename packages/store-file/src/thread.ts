import { Worker } from 'node:worker_threads';
import { KitError } from 'mcp-kit';
import type { DatabaseOptions } from './database.ts';
import type { Failure, Operation, Outcome } from './operation.ts';

/** The thread that has the database. */
export interface Thread {
  ask(operation: Operation): Promise<unknown>;
  /** Ends it when all that was asked is done. */
  close(): Promise<void>;
}

interface Asked {
  readonly operation: Operation;
  resolve(answer: unknown): void;
  reject(error: Error): void;
}

/** More than this is not waited for: whoever asks faster than the disk writes is told so. */
const maxWaiting = 10_000;

/** Starts the thread; it keeps no process alive unless something was asked. */
export async function startThread(options: DatabaseOptions): Promise<Thread> {
  // In what is published it stands beside this file, as an entry of its own.
  const worker = new Worker(new URL('./worker.js', import.meta.url), { workerData: options });
  await opened(worker, options);
  return converse(worker, options);
}

function opened(worker: Worker, { folder }: DatabaseOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (cause: unknown): void => {
      const why = cause instanceof Error ? cause.message : `its thread ended (${String(cause)})`;
      const hint =
        'If it is damaged, move the folder away; a new one is made. What was kept in it is then not known.';
      reject(
        new KitError('invalid_argument', `the store in ${folder} cannot be opened: ${why}`, {
          hint,
          cause,
        }),
      );
    };
    worker.once('error', failed).once('exit', failed);
    worker.once('message', () => {
      worker.off('error', failed).off('exit', failed);
      resolve();
    });
  });
}

function converse(worker: Worker, { folder }: DatabaseOptions): Thread {
  let waiting: Asked[] = [];
  let underWay: readonly Asked[] = [];
  let ended: KitError | undefined;
  let isScheduled = false;
  const send = (): void => {
    isScheduled = false;
    if (underWay.length > 0 || waiting.length === 0) return;
    [underWay, waiting] = [waiting, []];
    worker.ref();
    worker.postMessage(underWay.map(({ operation }) => operation));
  };
  const schedule = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    // What is asked in one turn becomes one change.
    setImmediate(send);
  };
  const end = (error: KitError): void => {
    ended ??= error;
    for (const { reject } of [...underWay, ...waiting]) reject(ended);
    [underWay, waiting] = [[], []];
  };
  worker.on('message', (outcomes: readonly Outcome[]) => {
    const answered = underWay;
    underWay = [];
    worker.unref();
    for (const [at, { resolve, reject }] of answered.entries()) {
      const outcome = outcomes[at];
      if (outcome !== undefined && 'answer' in outcome) resolve(outcome.answer);
      else reject(errorOf(outcome?.failure ?? nothing, folder));
    }
    send();
  });
  worker.once('error', (cause) => end(errorOf({ kind: 'broken', message: cause.message }, folder)));
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  const closed = new KitError('closed', `the store in ${folder} is closed`);
  void exited.then(() => end(closed));
  worker.unref();
  return {
    ask(operation) {
      if (ended !== undefined) return Promise.reject(ended);
      if (waiting.length >= maxWaiting) {
        return Promise.reject(new KitError('overloaded', `${maxWaiting} writes wait for the disk`));
      }
      return new Promise((resolve, reject) => {
        waiting.push({ operation, resolve, reject });
        schedule();
      });
    },
    async close() {
      ended ??= closed;
      while (underWay.length + waiting.length > 0) {
        const answered = new Promise<void>((resolve) => worker.once('message', () => resolve()));
        await Promise.race([answered, exited]);
      }
      // Nothing to do ends the thread.
      worker.ref();
      worker.postMessage([]);
      await exited;
    },
  };
}

const nothing: Failure = { kind: 'broken', message: 'it gave no answer' };

function errorOf({ kind, message }: Failure, folder: string): KitError {
  if (kind === 'invalid') return new KitError('invalid_argument', message);
  if (kind === 'full') {
    return new KitError('overloaded', `the store in ${folder} is full`, {
      hint: 'Wait until something of it has expired, or give it more room: maxBytes.',
    });
  }
  return new KitError('unreachable', `the store in ${folder} failed: ${message}`);
}
