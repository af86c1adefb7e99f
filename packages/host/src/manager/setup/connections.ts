import { mkdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import {
  isRecord,
  KitError,
  replaceFile,
  stateFolder,
  whileChanging,
  whileWriting,
} from 'mcp-kit/internal';
import { parseStrictJson } from '../config/format/strict-json.ts';
import { configError, topOf } from '../config/place.ts';

/** What was written into one file of a host, and what it takes to undo it. */
export interface Connection {
  readonly host: string;
  readonly file: string;
  readonly level: 'project' | 'user';
  /** The digest of the text before; the text is kept under it. `null`: there was no file. Missing: it can only be taken apart. */
  readonly before?: string | null | undefined;
  /** The digest of the text that was written. */
  readonly after: string;
  /** The servers that were written, by name. */
  readonly servers: Readonly<Record<string, unknown>>;
  /** The map of servers was not there before. */
  readonly madeMap: boolean;
  /** Folders that were made for the file. */
  readonly folders: readonly string[];
}

/** Connections by file. */
export type Connections = ReadonlyMap<string, Connection>;

type Environment = Readonly<Record<string, string | undefined>>;

const fileOf = (env: Environment): string => path.join(stateFolder(env), 'connections.json');

/** Where texts are kept that can be restored. */
function backupPath(env: Environment, digest: string): string {
  return path.join(stateFolder(env), 'backups', digest);
}

/** Every connection of this user. */
export async function readConnections(env: Environment): Promise<Connections> {
  const file = fileOf(env);
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw configError(topOf(file), `cannot be read (${error.code ?? 'for a reason unknown'})`);
  });
  if (text === undefined) return new Map();
  const document = parseStrictJson(text, file);
  const list = isRecord(document) ? document['connections'] : undefined;
  if (!Array.isArray(list) || !list.every((item) => isConnection(item))) {
    throw configError(topOf(file), 'is not what was written there', {
      hint: `Texts from before are in ${backupPath(env, '')}. Move the file away to begin anew.`,
    });
  }
  return new Map(list.map((connection) => [connection.file, connection]));
}

function isConnection(value: unknown): value is Connection {
  return (
    isRecord(value) &&
    typeof value['file'] === 'string' &&
    typeof value['host'] === 'string' &&
    typeof value['after'] === 'string' &&
    isRecord(value['servers']) &&
    Array.isArray(value['folders'])
  );
}

/** Notes a connection of a file, or, without one, that there is none any more; one process at a time. */
export async function noteConnection(
  env: Environment,
  file: string,
  connection: Connection | undefined,
): Promise<void> {
  const place = fileOf(env);
  await whileChanging(place, async () => {
    const all = new Map(await readConnections(env));
    if (connection === undefined) all.delete(file);
    else all.set(file, connection);
    const connections = [...all.values()].toSorted((a, b) => (a.file < b.file ? -1 : 1));
    // What was written may have secrets in it.
    await replaceFile(place, `${JSON.stringify({ version: 1, connections }, null, 2)}\n`, 0o600);
  });
}

/** Keeps a text, for its user alone. */
export async function keepBackup(env: Environment, digest: string, text: string): Promise<void> {
  const file = backupPath(env, digest);
  await whileWriting(file, async () => {
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    await replaceFile(file, text, 0o600);
  });
}

/** A text that was kept. */
export async function readBackup(env: Environment, digest: string): Promise<string> {
  const file = backupPath(env, digest);
  return readFile(file, 'utf8').catch((cause: unknown) => {
    throw new KitError('invalid_config', `${file}: the text from before cannot be read`, { cause });
  });
}

/** Removes a text that no connection would go back to. */
export async function forgetBackup(env: Environment, digest: string | undefined): Promise<void> {
  const connections = [...(await readConnections(env)).values()];
  if (digest === undefined || connections.some(({ before }) => before === digest)) return;
  await rm(backupPath(env, digest), { force: true });
}
