import { constants } from 'node:fs';
import {
  lstat,
  mkdir,
  open,
  readdir,
  realpath,
  rename,
  unlink,
  type FileHandle,
} from 'node:fs/promises';
import path from 'node:path';
import { KitError } from '#base';

/** Where a log is: a folder that it stays in, and the names below it. */
export interface LogLocation {
  readonly root: string;
  readonly folders: readonly string[];
  readonly name: string;
}

/** Finds a log's place below its root; throws for one that would be elsewhere. */
export function locateLog(file: string, root: string = process.cwd()): LogLocation {
  const base = path.resolve(root);
  const names = path.relative(base, path.resolve(base, file)).split(path.sep);
  const name = names.pop() ?? '';
  if (name === '' || name === '..' || names[0] === '..' || path.isAbsolute(names[0] ?? '')) {
    throw new KitError('invalid_argument', `the log ${file} is not a file below ${base}`, {
      hint: 'Choose a path below the root, or another root.',
    });
  }
  return { root: base, folders: names, name };
}

/** A log that is open, and how large it is. */
export interface OpenLog {
  readonly handle: FileHandle;
  /** The folder that it is in, free of links. */
  readonly folder: string;
  size: number;
}

/** Opens a log to append to, for this user only. A link on the way, which could lead elsewhere, is refused. */
export async function openLog({ root, folders, name }: LogLocation): Promise<OpenLog> {
  let folder = await realpath(root);
  for (const next of folders) {
    folder = path.join(folder, next);
    await mkdir(folder, { mode: 0o700 }).catch(ignoring('EEXIST'));
    if (!(await lstat(folder)).isDirectory()) throw refused(folder);
  }
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = constants;
  const file = path.join(folder, name);
  // Without waiting: to open a named pipe can take for ever. Windows lacks some of these.
  const flags = O_WRONLY | O_APPEND | O_CREAT | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0);
  const handle = await open(file, flags, 0o600).catch((error: unknown) => {
    throw hasCode(error, 'ELOOP') ? refused(file) : error;
  });
  try {
    const found = await handle.stat();
    if (!found.isFile() && !found.isCharacterDevice()) throw refused(file);
    if (found.isFile() && (found.mode & 0o777) !== 0o600) await handle.chmod(0o600);
    return { handle, folder, size: found.size };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Gives a complete part its number, the one after the highest there is, and removes the oldest beyond `maxParts`. */
export async function setPartAside(folder: string, name: string, maxParts: number): Promise<void> {
  const { name: stem, ext } = path.parse(name);
  const begin = `${stem}.segment-`;
  const numbers = (await readdir(folder))
    .filter((entry) => entry.startsWith(begin) && entry.endsWith(ext))
    .map((entry) => entry.slice(begin.length, entry.length - ext.length))
    .filter((digits) => /^\d{4,15}$/.test(digits))
    .map(Number)
    .sort((a, b) => a - b);
  const partOf = (number: number): string =>
    path.join(folder, `${begin}${String(number).padStart(4, '0')}${ext}`);
  const next = (numbers.at(-1) ?? 0) + 1;
  await rename(path.join(folder, name), partOf(next));
  numbers.push(next);
  const excess = maxParts === 0 ? [] : numbers.slice(0, -maxParts);
  for (const number of excess) await unlink(partOf(number)).catch(ignoring('ENOENT'));
}

function refused(file: string): KitError {
  return new KitError('invalid_argument', `${file} is a link or something else than was expected`, {
    hint: 'Remove it, or choose another path for the log.',
  });
}

function ignoring(code: string): (error: unknown) => void {
  return (error) => {
    if (!hasCode(error, code)) throw error;
  };
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
