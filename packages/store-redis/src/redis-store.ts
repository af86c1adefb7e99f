import { KitError } from 'mcp-kit';
import type { Kv, Log, LogEntry, LogRead, Store } from 'mcp-kit/store';
import { connect, type Connection } from './connection.ts';
import { append, cas, readAfter } from './scripts.ts';
import { openWatch, type Watch } from './watch.ts';

/** Where in the database, and bounds. */
export interface RedisStoreOptions {
  /** What all keys begin with; `mcp:`. Servers that share a store have the same. */
  readonly prefix?: string | undefined;
  /** What one log may take; 8 MiB. */
  readonly maxLogBytes?: number | undefined;
  /** How long one answer of the server may take; half a second. */
  readonly answerMs?: number | undefined;
}

/** A store that many machines share. */
export interface RedisStore extends Store {
  close(): Promise<void>;
}

const mebibyte = 1024 * 1024;

/**
 * Opens the store that a Redis or Valkey server keeps: `redis://HOST:PORT`, the server that Sentinel names:
 * `redis+sentinel://HOST:PORT,HOST:PORT/NAME`, or a cluster: `redis+cluster://HOST:PORT,HOST:PORT`. What cannot be done soon fails as
 * `unreachable`, and may have been done nevertheless; a connection that broke is made again.
 */
export async function openRedisStore(
  url: string,
  { prefix = 'mcp:', maxLogBytes = 8 * mebibyte, answerMs = 500 }: RedisStoreOptions = {},
): Promise<RedisStore> {
  const connection = await connect(url, answerMs);
  const watch = openWatch(url);
  return {
    kv: kvOf(connection, `${prefix}v:`),
    log: logOf(connection, watch, { prefix, maxLogBytes }),
    async close() {
      watch.close();
      await connection.close();
    },
  };
}

function kvOf({ ask, run, servers }: Connection, prefix: string): Kv {
  return {
    get: (key) => ask(async (redis) => (await redis.get(prefix + key)) ?? undefined),
    async cas(...[key, expected, value, { ttlMs } = {}]) {
      const args = [...given(expected), ...given(value), lifetime(ttlMs)];
      return (await run(cas, [prefix + key], args)) === 1;
    },
    async list(wanted) {
      const pattern = `${(prefix + wanted).replaceAll(/[*?[\]\\^]/g, String.raw`\$&`)}*`;
      const found = new Set<string>();
      for (const server of servers()) {
        let cursor = '0';
        do {
          const scan = ask(() => server.scan(cursor, 'MATCH', pattern, 'COUNT', 1000));
          const [next, keys] = await scan;
          for (const key of keys) found.add(key.slice(prefix.length));
          cursor = next;
        } while (cursor !== '0');
      }
      return [...found].toSorted();
    },
  };
}

function given(text: string | undefined): readonly [string, string] {
  return text === undefined ? ['0', ''] : ['1', text];
}

/** In milliseconds; none is 0. */
function lifetime(ttlMs: number | undefined): string {
  if (ttlMs === undefined) return '0';
  if (ttlMs > 0) return String(Math.ceil(ttlMs));
  throw new KitError('invalid_argument', `ttlMs must be positive, not ${ttlMs}`);
}

/** An entry as the server tells it: its id, which begins with the position, and its one field with the text. */
type Told = readonly [id: string, fields: readonly [name: string, data: string]];

function logOf(
  { ask, run }: Connection,
  watch: Watch,
  { prefix, maxLogBytes }: Required<Pick<RedisStoreOptions, 'prefix' | 'maxLogBytes'>>,
): Log {
  /** What is known of it, and its entries: in a cluster they must be in one place, which the braces say. */
  const keysOf = (key: string): readonly [string, string] => [
    `${prefix}m:{k${key}}`,
    `${prefix}l:{k${key}}`,
  ];
  return {
    async append(...[key, position, data, { ttlMs } = {}]) {
      if (position !== 'next' && !(Number.isSafeInteger(position) && position >= 0)) {
        throw wrongPosition(key, position, 'not a number from 0 on');
      }
      const args = [String(position), data, lifetime(ttlMs), String(maxLogBytes)];
      const [isDone, at] = (await run(append, keysOf(key), args)) as readonly [number, string];
      if (isDone === 1) return Number(at);
      throw wrongPosition(key, position, `not above ${at}`);
    },
    async readAfter(key, position, limit = Number.MAX_SAFE_INTEGER): Promise<LogRead> {
      // What is asked for may be before all there can be.
      const args = [String(Math.max(0, position)), String(Math.max(0, limit))];
      const found = await run(readAfter, keysOf(key), args);
      if (found === null) return { entries: [], complete: false };
      const [horizon, told] = found as readonly [string, readonly Told[]];
      return { entries: told.map(entryOf), complete: position >= Number(horizon) };
    },
    watch: (key, woken) => watch.add(keysOf(key)[1], woken),
    async delete(key) {
      await ask((redis) => redis.unlink(...keysOf(key)));
    },
  };
}

function entryOf([id, [, data]]: Told): LogEntry {
  return { position: Number.parseInt(id, 10), data };
}

function wrongPosition(key: string, position: number | 'next', why: string): KitError {
  return new KitError('invalid_argument', `log "${key}": position ${position} is ${why}`);
}
