import { spawn, type ChildProcess, type ChildProcessWithoutNullStreams } from 'node:child_process';
import {
  absoluteFolders,
  createDeferred,
  findProgram,
  KitError,
  stderrLogger,
  type Logger,
} from '#base';
import type { Channel, Limits } from '#jsonrpc';
import type { Target } from '#protocol';
import { ChildChannel } from './child-channel.ts';
import { childEnvironment, type EnvironmentOptions } from './environment.ts';
import { startFailure } from './failure.ts';
import { locateLog } from './log-files.ts';
import { createMark, markVariable } from './marks.ts';
import { keyOf, labelOf } from './naming.ts';
import { ProcessGroup, type StopOptions } from './process-group.ts';
import { StderrTail } from './stderr-tail.ts';
import { StdoutLog, type StdoutLogOptions } from './stdout-log.ts';

/** What to start, where, and with which variables. */
export interface ChildOptions extends EnvironmentOptions {
  /** A program: its path, or its name on the PATH. Never a shell's command line. */
  readonly command: string;
  /** The file to start, where it is known already; the program sees `command` as its name all the same. */
  readonly program?: string | undefined;
  readonly args?: readonly string[] | undefined;
  /** What messages may show of the two: with the names of variables where these have their values. */
  readonly shown?: { readonly command: string; readonly args?: readonly string[] } | undefined;
  readonly cwd?: string | undefined;
  readonly limits?: Partial<Limits> | undefined;
  /** Keeps what the child says on its standard output in a file. */
  readonly stdoutLog?: StdoutLogOptions | undefined;
  /** How long it may take to end: 2 s after its input has ended, 3 s more after SIGTERM. */
  readonly stop?: StopOptions | undefined;
  /** Hears what the child says on its standard error, as it comes. */
  readonly onStderr?: ((text: string) => void) | undefined;
  /** Makes sure that the child does not survive a `kill -9` of this process. On by default. */
  readonly guard?: boolean | undefined;
  /** Where a log that cannot be written is reported; standard error unless given. */
  readonly logger?: Logger | undefined;
}

/** A server that is a program: each conversation is a process of its own, and nothing of it survives its end. */
export function childTarget(options: ChildOptions): Target {
  const { command, shown = options, stdoutLog } = options;
  if (command === '') throw new KitError('invalid_argument', 'the command of a child is empty');
  if (stdoutLog !== undefined) locateLog(stdoutLog.path, stdoutLog.root);
  const label = labelOf(shown);
  return {
    label,
    key: keyOf(options),
    wire: 'stream',
    async dial(signal) {
      if (signal?.aborted) {
        throw new KitError('aborted', `${label} was not started`, { cause: signal.reason });
      }
      return start(options, label);
    },
  };
}

async function start(options: ChildOptions, label: string): Promise<Channel> {
  const { logger = stderrLogger(), stdoutLog } = options;
  const { child, group } = await launch(options, label);
  const stderr = new StderrTail();
  child.stderr.on('error', () => {}).on('data', (chunk) => stderr.push(chunk));
  if (options.onStderr !== undefined) hear(child, options.onStderr, logger);
  const log =
    stdoutLog === undefined
      ? undefined
      : new StdoutLog(stdoutLog, (error) => {
          logger.warn(`${label}: its output is no longer logged: ${error.message}`);
        });
  return new ChildChannel({ label, child, group, stderr, log }, options);
}

type Launched = ChildProcessWithoutNullStreams & { readonly pid: number };

async function launch(
  options: ChildOptions,
  label: string,
): Promise<{ readonly child: Launched; readonly group: ProcessGroup }> {
  const { command, program, args = [], cwd, guard = true } = options;
  const windows = process.platform === 'win32';
  const mark = createMark();
  try {
    const run = windows ? await loadCrossSpawn() : spawn;
    const found = program ?? (windows ? onWindows(options) : undefined);
    const child = run(found ?? command, args, {
      cwd,
      // On Windows the program may be a script, and what is started its interpreter.
      argv0: program === undefined || windows ? undefined : command,
      env: { ...childEnvironment(options), ...markVariable(mark) },
      stdio: 'pipe',
      // The leader of a group, which can be ended as a whole. On Windows it would get a window instead.
      detached: !windows,
      windowsHide: true,
    });
    if (hasStarted(child)) {
      return { child, group: new ProcessGroup(child, { mark, guarded: guard }) };
    }
    const failed = createDeferred<never>();
    child.once('error', failed.reject);
    return await failed.promise;
  } catch (cause) {
    throw startFailure(label, { command: options.shown?.command ?? command, cwd }, cause);
  }
}

/** Windows would look in the working directory first, which may be anybody's. */
function onWindows(options: ChildOptions): string {
  const { command, cwd = process.cwd() } = options;
  const env = Object.entries(childEnvironment(options));
  const folders = env.find(([name]) => name.toUpperCase() === 'PATH')?.[1] ?? '';
  const found = findProgram(command, { cwd, path: absoluteFolders(folders) });
  if (found !== undefined) return found;
  throw Object.assign(new Error(`spawn ${command} ENOENT`), { code: 'ENOENT' });
}

function hasStarted(child: ChildProcess): child is Launched {
  return child.pid !== undefined;
}

/** Windows starts `.cmd` files only by way of its shell, whose quoting this knows. */
async function loadCrossSpawn(): Promise<typeof spawn> {
  const { default: crossSpawn } = await import('cross-spawn');
  return crossSpawn.spawn;
}

/** Somebody else's bug is not the end of the conversation. */
function hear(
  child: ChildProcessWithoutNullStreams,
  onStderr: (text: string) => void,
  logger: Logger,
): void {
  const decoder = new TextDecoder();
  child.stderr.on('data', (chunk: Uint8Array) => {
    try {
      onStderr(decoder.decode(chunk, { stream: true }));
    } catch (error) {
      logger.error(`onStderr threw: ${String(error)}`);
    }
  });
}
