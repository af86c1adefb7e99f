import fs, { type BigIntStats } from 'node:fs';
import path from 'node:path';
import { crypto, findProgram, KitError } from 'mcp-kit/internal';
import type { StdioSettings } from '../config/entry.ts';

/** How a program would be started. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  /** The variables that the program gets, as far as they tell where its files are. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder it starts in; a command with a slash is looked for from there. */
  readonly cwd: string;
  /** The folders that a command without a slash is looked for in, as `PATH` has them. */
  readonly path: string;
  /** A file with more variables for it. */
  readonly envFile?: string | undefined;
}

/** How a server would be started, all variables in its settings being resolved; `cwd` is where others start. */
export function launchOf(
  settings: Omit<StdioSettings, 'kind' | 'passEnv' | 'stdoutLog'>,
  own: { readonly cwd: string; readonly env: Readonly<Record<string, string | undefined>> },
): Launch {
  const { command, args, cwd = own.cwd, env, inheritEnv, envFile } = settings;
  const inherited = inheritEnv ? own.env : placesIn(own.env);
  return {
    command,
    args,
    env: { ...inherited, ...env },
    cwd: path.resolve(own.cwd, cwd),
    // The system looks in the folders that the child is told, not in ours.
    path: pathIn(env) ?? pathIn(own.env) ?? '',
    envFile: envFile === undefined ? undefined : path.resolve(own.cwd, envFile),
  };
}

/** Of what every program gets, the variables that say where files are. */
function placesIn(env: Launch['env']): Launch['env'] {
  const names = ['HOME', 'PATH', 'LOCALAPPDATA', 'USERPROFILE', 'SYSTEMROOT'];
  return Object.fromEntries(names.map((name) => [name, env[name]]));
}

function pathIn(env: Readonly<Record<string, string | undefined>>): string | undefined {
  if (process.platform !== 'win32') return env['PATH'];
  return Object.entries(env).find(([name]) => name.toUpperCase() === 'PATH')?.[1];
}

/** A file, byte for byte. */
export interface FileIdentity {
  /** Where its name leads, through all links. */
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
  /** Tells without reading it that a file is still the same; only for a file that was at rest when it was read. */
  readonly stamp?: string | undefined;
}

/** Which program a command is. */
export interface Executable extends FileIdentity {
  /** Where the command was found. */
  readonly found: string;
}

/** A file that changed this recently may change again without its times telling. */
const restMs = 2000;

/** Which program a launch would start; undefined when there is none. `known` spares reading a file that is still the same. */
export async function identify(
  launch: Launch,
  known?: Executable,
): Promise<Executable | undefined> {
  const found = findProgram(launch.command, launch);
  const identity = found === undefined ? undefined : await identifyFile(found, known);
  return found === undefined || identity === undefined ? undefined : { found, ...identity };
}

/**
 * Which file is at a place; undefined when none is there. `known` spares reading one that is still the same: looking whether
 * it is takes less than handing that to another thread.
 */
export async function identifyFile(
  place: string,
  known?: FileIdentity,
): Promise<FileIdentity | undefined> {
  const { file, opened } = openProgram(place);
  try {
    const startedAt = Date.now();
    const stats = fs.fstatSync(opened, { bigint: true });
    if (!stats.isFile()) return undefined;
    const stamp = stampOf(stats);
    if (known?.stamp === stamp && known.path === file) return known;
    const hash = crypto().createHash('sha256');
    const content = fs.createReadStream('', { fd: opened, autoClose: false, start: 0 });
    for await (const chunk of content) hash.update(chunk as Uint8Array);
    const isAtRest = startedAt - Number(stats.ctimeMs) > restMs;
    const isSame = stampOf(fs.fstatSync(opened, { bigint: true })) === stamp;
    const size = Number(stats.size);
    const sha256 = hash.digest('hex');
    return { path: file, size, sha256, stamp: isAtRest && isSame ? stamp : undefined };
  } finally {
    fs.closeSync(opened);
  }
}

function openProgram(found: string): { readonly file: string; readonly opened: number } {
  const { O_RDONLY, O_NONBLOCK } = fs.constants;
  try {
    const file = fs.realpathSync.native(found);
    return { file, opened: fs.openSync(file, O_RDONLY | O_NONBLOCK) };
  } catch (cause) {
    const { code = '' } = cause as NodeJS.ErrnoException;
    throw new KitError('process_failed', `cannot read the program ${found} (${code})`, {
      hint: 'Only a program that can be read can be approved.',
      cause,
    });
  }
}

/** The times of the last change are the system's; nobody can set them back. */
function stampOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(':');
}
