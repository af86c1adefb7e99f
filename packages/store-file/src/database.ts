import { chmodSync, closeSync, openSync } from 'node:fs';
import path from 'node:path';
import Database from 'libsql';
import type { LogRead } from 'mcp-kit/store';
import type { Operations } from './operation.ts';
import { Refusal } from './refusal.ts';

/** Where a database is, and what bounds it. */
export interface DatabaseOptions {
  readonly folder: string;
  readonly maxBytes: number;
  readonly maxLogBytes: number;
}

/** A database that is open: its operations, and how several of them become one change. */
export interface OpenDatabase {
  readonly operations: Operations;
  /** Makes what `work` does one change, which is on the disk when this returns. */
  transaction<T>(work: () => T): T;
  /** Deletes some of what has expired; with `isFull` also the logs that expire first. */
  makeRoom(isFull: boolean): void;
  /** The logs of these that have grown since this was asked last, by whomever. */
  changes(watched: readonly string[]): readonly string[];
  close(): void;
}

const format = 1;
/** How long another process may be busy with a change of its own. */
const busyMs = 10_000;
const pageBytes = 4096;
/** How much is deleted at once, so that nobody waits for long. */
const swept = 500;

const schema = `
CREATE TABLE IF NOT EXISTS value (key TEXT PRIMARY KEY, text TEXT NOT NULL, expires INTEGER) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS value_expires ON value (expires) WHERE expires IS NOT NULL;
CREATE TABLE IF NOT EXISTS log (
  key TEXT PRIMARY KEY, last INTEGER NOT NULL, horizon INTEGER NOT NULL, bytes INTEGER NOT NULL, expires INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS log_expires ON log (expires);
CREATE TABLE IF NOT EXISTS entry (
  key TEXT NOT NULL, position INTEGER NOT NULL, data TEXT NOT NULL, PRIMARY KEY (key, position)
) STRICT, WITHOUT ROWID;
`;

/** Opens the database of a folder, and makes it where there is none. */
export function openDatabase({ folder, maxBytes, maxLogBytes }: DatabaseOptions): OpenDatabase {
  const file = path.join(folder, 'state.db');
  makePrivate(file);
  const database = new Database(file, { timeout: busyMs });
  // What is acknowledged is on the disk: `FULL` waits for it at every change, and not only when the log is folded in.
  database.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA busy_timeout = ${busyMs};
    PRAGMA max_page_count = ${Math.ceil(maxBytes / pageBytes)};
  `);
  const transaction = transactionsOf(database);
  transaction(() => prepareFormat(database));
  const values = valuesOf(database);
  const logs = logsOf(database, maxLogBytes);
  return {
    operations: { ...values, ...logs },
    changes: changesOf(database),
    transaction,
    makeRoom: roomOf(database),
    close: () => void database.close(),
  };
}

/** There are secrets in it, and the folder may be one that others can look into. What lies beside it has the same rights. */
function makePrivate(file: string): void {
  closeSync(openSync(file, 'a', 0o600));
  chmodSync(file, 0o600);
}

/** `IMMEDIATE`: of several processes one changes something at a time, and the others wait before they begin. */
function transactionsOf(database: Database.Database): OpenDatabase['transaction'] {
  return (work) => {
    database.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      database.exec('COMMIT');
      return result;
    } catch (error) {
      if (database.inTransaction) database.exec('ROLLBACK');
      throw error;
    }
  };
}

function prepareFormat(database: Database.Database): void {
  const found = Number(Object(database.prepare('PRAGMA user_version').get())['user_version']);
  if (found > format) {
    throw new Refusal(
      'broken',
      `it was written by a newer version (format ${found}, not ${format})`,
    );
  }
  database.exec(schema);
  database.exec(`PRAGMA user_version = ${format}`);
}

type ValueOperations = Pick<Operations, 'get' | 'cas' | 'list'>;

function valuesOf(database: Database.Database): ValueOperations {
  const select = database.prepare(
    'SELECT text FROM value WHERE key = ? AND (expires IS NULL OR expires > ?)',
  );
  const upsert = database.prepare(
    'INSERT INTO value (key, text, expires) VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE SET text = excluded.text, expires = excluded.expires',
  );
  const remove = database.prepare('DELETE FROM value WHERE key = ?');
  const range = database.prepare(
    'SELECT key FROM value WHERE key >= ? AND key < ? AND (expires IS NULL OR expires > ?) ORDER BY key',
  );
  const get: ValueOperations['get'] = (key) => {
    const row = select.get(written(key), Date.now()) as { readonly text: string } | undefined;
    return row && read(row.text);
  };
  return {
    get,
    cas(...[key, expected, value, ttlMs]) {
      requireLifetime(ttlMs);
      if (get(key) !== expected) return false;
      if (value === undefined) remove.run(written(key));
      else upsert.run(written(key), written(value), expiryOf(ttlMs) ?? null);
      return true;
    },
    list(prefix) {
      const from = written(prefix).slice(0, -1);
      // No text goes on with a higher character.
      const rows = range.all(from, `${from}\u{10ffff}`, Date.now());
      return (rows as readonly { readonly key: string }[]).map(({ key }) => read(key)).toSorted();
    },
  };
}

interface EntryRow {
  readonly position: number;
  readonly data: string;
}

interface LogRow {
  readonly last: number;
  readonly horizon: number;
  readonly bytes: number;
}

type LogOperations = Pick<Operations, 'append' | 'readAfter' | 'deleteLog'>;

function logsOf(database: Database.Database, maxLogBytes: number): LogOperations {
  const select = database.prepare(
    'SELECT last, horizon, bytes FROM log WHERE key = ? AND (expires IS NULL OR expires > ?)',
  );
  const insert = database.prepare(
    'INSERT INTO log (key, last, horizon, bytes, expires) VALUES (?, ?, ?, ?, ?)',
  );
  const update = database.prepare(
    'UPDATE log SET last = ?, horizon = ?, bytes = ?, expires = coalesce(?, expires) WHERE key = ?',
  );
  const add = database.prepare('INSERT INTO entry (key, position, data) VALUES (?, ?, ?)');
  const range = database.prepare(
    'SELECT position, data FROM entry WHERE key = ? AND position > ? ORDER BY position LIMIT ?',
  );
  const oldest = database.prepare(
    'SELECT position, length(data) AS length FROM entry WHERE key = ? ORDER BY position LIMIT 1',
  );
  const cut = database.prepare('DELETE FROM entry WHERE key = ? AND position = ?');
  const remove = database.prepare('DELETE FROM log WHERE key = ?');
  const empty = database.prepare('DELETE FROM entry WHERE key = ?');
  const known = (key: string): LogRow | undefined =>
    select.get(key, Date.now()) as LogRow | undefined;
  const forget = (key: string): void => {
    remove.run(key);
    empty.run(key);
  };
  /** Cuts a log from its beginning until it fits. */
  const fit = (key: string, bytes: number): { readonly bytes: number; readonly cutTo?: number } => {
    let [left, cutTo]: [number, number | undefined] = [bytes, undefined];
    while (left > maxLogBytes) {
      const first = oldest.get(key) as { readonly position: number; readonly length: number };
      cut.run(key, first.position);
      left -= weightOf(first.length);
      cutTo = first.position;
    }
    return cutTo === undefined ? { bytes: left } : { bytes: left, cutTo };
  };
  return {
    append(...[name, at, text, ttlMs]) {
      const expires = expiryOf(ttlMs);
      const [key, data] = [written(name), written(text)];
      const found = known(key);
      const position = at === 'next' ? nextPosition(found?.last) : at;
      const last = found?.last ?? position - 1;
      if (!Number.isSafeInteger(position) || position <= last) {
        const message = `log "${name}": position ${position} is not an integer above ${last}`;
        throw new Refusal('invalid', message);
      }
      // What is left of one that has expired.
      if (found === undefined) {
        forget(key);
        insert.run(key, position, position - 1, 0, expires ?? null);
      }
      add.run(key, position, data);
      const { bytes, cutTo } = fit(key, (found?.bytes ?? 0) + weightOf(data.length));
      const horizon = cutTo ?? found?.horizon ?? position - 1;
      update.run(position, horizon, bytes, expires ?? null, key);
      return position;
    },
    readAfter(name, position, limit): LogRead {
      const key = written(name);
      const found = known(key);
      if (found === undefined) return { entries: [], complete: false };
      const rows = range.all(key, position, Math.max(0, limit)) as readonly EntryRow[];
      const entries = rows.map((row) => ({ position: row.position, data: read(row.data) }));
      return { entries, complete: position >= found.horizon };
    },
    deleteLog: (name) => forget(written(name)),
  };
}

/** Where another process has written nothing, that is a look at memory that all share. */
function changesOf(database: Database.Database): OpenDatabase['changes'] {
  const version = database.prepare('PRAGMA data_version');
  const select = database.prepare('SELECT last FROM log WHERE key = ?');
  let seenVersion: unknown;
  let seen = new Map<string, number>();
  return (watched) => {
    const now: unknown = Object(version.get())['data_version'];
    if (now === seenVersion && watched.every((name) => seen.has(name))) return [];
    seenVersion = now;
    const lasts = watched.map((name): [string, number] => {
      const row = select.get(written(name)) as { readonly last: number } | undefined;
      return [name, row?.last ?? 0];
    });
    const changed = lasts.filter(([name, last]) => seen.get(name) !== last);
    seen = new Map(lasts);
    return changed.map(([name]) => name);
  };
}

function roomOf(database: Database.Database): OpenDatabase['makeRoom'] {
  const values = database.prepare(
    'DELETE FROM value WHERE key IN (SELECT key FROM value WHERE expires <= ? LIMIT ?)',
  );
  const lapsed = database.prepare('SELECT key FROM log WHERE expires <= ? LIMIT ?');
  const next = database.prepare('SELECT key FROM log ORDER BY expires LIMIT ?');
  const remove = database.prepare('DELETE FROM log WHERE key = ?');
  const empty = database.prepare('DELETE FROM entry WHERE key = ?');
  return (isFull) => {
    values.run(Date.now(), swept);
    const logs = isFull ? next.all(swept) : lapsed.all(Date.now(), swept);
    for (const { key } of logs as readonly { readonly key: string }[]) {
      remove.run(key);
      empty.run(key);
    }
  };
}

/** Time is in it: a log that begins anew goes on above the one that is gone. */
function nextPosition(last = 0): number {
  const nowMs = performance.timeOrigin + performance.now();
  return Math.max(last + 1, Math.floor(nowMs * 1000));
}

/** A text as the database has it: without NUL, at which the library would cut it, and never empty. */
function written(text: string): string {
  return JSON.stringify(text);
}

function read(text: string): string {
  return JSON.parse(text) as string;
}

/** What an entry counts, with what is around it. */
function weightOf(characters: number): number {
  return characters + 64;
}

function requireLifetime(ttlMs: number | undefined): void {
  if (ttlMs === undefined || ttlMs > 0) return;
  throw new Refusal('invalid', `ttlMs must be positive, not ${ttlMs}`);
}

function expiryOf(ttlMs: number | undefined): number | undefined {
  requireLifetime(ttlMs);
  return ttlMs === undefined ? undefined : Date.now() + Math.ceil(ttlMs);
}
