import { Worker } from 'node:worker_threads';
import { KitError } from 'mcp-kit';
import { createWatchers, type Watchers } from 'mcp-kit/internal';
import type { DatabaseOptions } from './database.ts';
import type { Failure, Operation, Told } from './operation.ts';

/** The thread that has the database. */
export interface Thread {
  ask(operation: Operation): Promise<unknown>;
  /** Who is called back when a log has grown. */
  readonly watchers: Pick<Watchers, 'wake'>;
  watch(key: string, woken: () => void): () => void;
  /** Ends it when all that was asked is done. */
  close(): Promise<void>;
}

interface Asked {
  readonly operation: Operation;
  resolve(answer: unknown): void;
  reject(error: Error): void;
}

/** More characters than this do not wait: whoever asks faster than the disk writes is told so. */
const maxWaiting = 64 * 1024 * 1024;
/** What an operation takes besides its texts. */
const operationCharacters = 200;

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
      const isMissing = isNotLoaded(cause);
      const hint = isMissing
        ? 'Install libsql for this system, or keep state in memory.'
        : 'If it is damaged, move the folder away; a new one is made. What was kept in it is then not known.';
      const message = `the store in ${folder} cannot be opened: ${why}`;
      const details = { isMissing };
      reject(new KitError('invalid_argument', message, { hint, cause, details }));
    };
    worker.once('error', failed).once('exit', failed);
    worker.once('message', () => {
      worker.off('error', failed).off('exit', failed);
      resolve();
    });
  });
}

/** Whether the library of the database, or its binary for this system, is not there. */
function isNotLoaded(cause: unknown): boolean {
  const { code } = Object(cause) as { readonly code?: unknown };
  return ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND', 'ERR_DLOPEN_FAILED'].includes(String(code));
}

function converse(worker: Worker, { folder }: DatabaseOptions): Thread {
  let waiting: Asked[] = [];
  let waitingCharacters = 0;
  let underWay: readonly Asked[] = [];
  let ended: KitError | undefined;
  let isScheduled = false;
  const send = (): void => {
    isScheduled = false;
    if (underWay.length > 0 || waiting.length === 0) return;
    [underWay, waiting] = [waiting, []];
    waitingCharacters = 0;
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
  const { watchers, watch } = watchingOn(worker);
  worker.on('message', (told: Told) => {
    if ('woken' in told) {
      for (const key of told.woken) watchers.wake(key);
      return;
    }
    const outcomes = told;
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
    watchers,
    watch,
    ask(operation) {
      if (ended !== undefined) return Promise.reject(ended);
      if (waitingCharacters > maxWaiting) {
        return Promise.reject(new KitError('overloaded', `too much waits for ${folder}`));
      }
      waitingCharacters += weightOf(operation);
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

/** Tells the thread which logs are watched. */
function watchingOn(worker: Worker): { readonly watchers: Watchers } & Pick<Thread, 'watch'> {
  const watchers = createWatchers();
  // A thread that has ended hears nothing.
  const tell = (): void => worker.postMessage({ watched: [...watchers.keys()] });
  return {
    watchers,
    watch(key, woken) {
      const end = watchers.add(key, woken);
      tell();
      return () => {
        end();
        tell();
      };
    },
  };
}

function weightOf(operation: Operation): number {
  let characters = operationCharacters;
  for (const given of operation) if (typeof given === 'string') characters += given.length;
  return characters;
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
