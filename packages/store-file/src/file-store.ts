import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { KitError } from 'mcp-kit';
import type { Kv, Log, LogRead, Store } from 'mcp-kit/store';
import type { Operation, Operations } from './operation.ts';
import { startThread } from './thread.ts';

/** Bounds of a store in a folder. */
export interface FileStoreOptions {
  /** What the file may take; 1 GiB. */
  readonly maxBytes?: number | undefined;
  /** What one log may take; 8 MiB. */
  readonly maxLogBytes?: number | undefined;
}

/** A store that lasts. */
export interface FileStore extends Store {
  close(): Promise<void>;
}

const mebibyte = 1024 * 1024;

/**
 * Opens the store that is kept in a folder, and makes it where there is none. Any number of processes of one machine may have it
 * open. What was answered is on the disk. When it is full, logs go first; then what is new is refused as `overloaded`.
 */
export async function openFileStore(
  folder: string,
  { maxBytes = 1024 * mebibyte, maxLogBytes = 8 * mebibyte }: FileStoreOptions = {},
): Promise<FileStore> {
  const place = path.resolve(folder);
  await makeFolder(place);
  const thread = await startThread({ folder: place, maxBytes, maxLogBytes });
  const ask = <Name extends keyof Operations>(
    name: Name,
    ...given: Parameters<Operations[Name]>
  ): Promise<ReturnType<Operations[Name]>> =>
    thread.ask([name, ...given] as unknown as Operation) as Promise<ReturnType<Operations[Name]>>;
  const kv: Kv = {
    get: (key) => ask('get', key),
    cas: (...[key, expected, value, { ttlMs } = {}]) => ask('cas', key, expected, value, ttlMs),
    list: (prefix) => ask('list', prefix),
  };
  const log: Log = {
    async append(...[key, at, data, { ttlMs } = {}]) {
      const position = await ask('append', key, at, data, ttlMs);
      thread.watchers.wake(key);
      return position;
    },
    readAfter: (key, position, limit = Number.MAX_SAFE_INTEGER): Promise<LogRead> =>
      ask('readAfter', key, position, limit),
    watch: thread.watch,
    delete: (key) => ask('deleteLog', key),
  };
  return { kv, log, close: () => thread.close() };
}

/** Nobody else reads what servers keep. */
async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new KitError(
      'invalid_argument',
      `the store cannot be kept in ${folder}: ${String(cause)}`,
      {
        hint: 'Name a folder that you may write to.',
        cause,
      },
    );
  }
}
