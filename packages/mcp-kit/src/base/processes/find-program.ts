import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';

/** Where to look for a program. */
export interface ProgramPlaces {
  /** The folder that a command with a slash is looked for from, as are folders of `path` that are relative. */
  readonly cwd: string;
  /** The folders that a command without a slash is looked for in, as `PATH` has them. */
  readonly path: string;
}

/**
 * The file that a command starts; undefined when there is none. Never one that merely is in the working directory, which
 * Windows would take first.
 */
export function findProgram(
  command: string,
  { cwd, path: folders }: ProgramPlaces,
): string | undefined {
  const names = process.platform === 'win32' ? withExtensions(command) : [command];
  const isPlace = command.includes('/') || (path.sep === '\\' && command.includes('\\'));
  // An empty list is no list: it must not become the folder that the program starts in.
  const listed = folders === '' ? [] : folders.split(path.delimiter);
  const places = isPlace ? [''] : listed;
  for (const place of places) {
    for (const name of names) {
      const file = path.resolve(cwd, isPlace ? name : path.join(place, name));
      if (isExecutable(file)) return file;
    }
  }
  return undefined;
}

/** The folders of a `PATH` that are the same wherever one is: the others are of whoever filled the working directory. */
export function absoluteFolders(folders: string): string {
  return folders
    .split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder))
    .join(path.delimiter);
}

/** A program of Windows by its whole path, so that none of the same name in the working directory is taken for it. */
export function windowsProgram(name: string): string {
  return `${process.env['SystemRoot'] ?? 'C:\\Windows'}\\System32\\${name}`;
}

/** Beside `npx.cmd` there is an `npx` for other shells, which Windows does not start. */
function withExtensions(command: string): readonly string[] {
  const extensions = (process.env['PATHEXT'] ?? '.EXE;.CMD;.BAT;.COM').split(';');
  const extended = extensions.map((extension) => command + extension);
  return path.extname(command) === '' ? extended : [command, ...extended];
}

function isExecutable(file: string): boolean {
  try {
    // Most folders do not have it, and an exception for each of them would take most of the time.
    if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return false;
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
