import { statSync } from 'node:fs';
import { KitError } from '#base';
import type { Exit } from './process-group.ts';
import type { StderrTail } from './stderr-tail.ts';

/** Characters of standard error that a message repeats. */
export const maxQuoted = 2000;

/** Why a process could not be started. */
export function startFailure(
  label: string,
  { command, cwd }: { readonly command: string; readonly cwd: string | undefined },
  cause: unknown,
): KitError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown reason';
  // Node lists the arguments, some of which may be secrets.
  if (cause instanceof Error) Reflect.deleteProperty(cause, 'spawnargs');
  return new KitError('process_failed', `cannot start ${label}: ${code}`, {
    hint: startHint(code, command, cwd),
    cause,
  });
}

function startHint(code: string, command: string, cwd: string | undefined): string {
  // The system reports a missing folder as a missing program.
  if (cwd !== undefined && !isFolder(cwd)) return `There is no folder ${cwd}; correct cwd.`;
  switch (code) {
    case 'ENOENT':
      return `Install ${command}, name it by its whole path, or set PATH in env.`;
    case 'EACCES':
      return isFolder(command)
        ? `${command} is a folder; name a program in it.`
        : `Make ${command} executable, or name the program that runs it.`;
    case 'EAGAIN':
    case 'EMFILE':
    case 'ENFILE':
    case 'ENOMEM':
      return 'This machine or user has reached a limit; close other processes, or raise the limit.';
    default:
      return 'Check command, args, cwd and env.';
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Why a conversation with a process is over: it has ended, or it no longer takes part. */
export function endFailure(
  label: string,
  ending: Exit | 'deaf' | 'mute',
  stderr: StderrTail,
): KitError {
  const quoted = stderr.lastLines(maxQuoted);
  const words = quoted === '' ? '' : `; it said:\n${quoted}`;
  const { code, signal } = typeof ending === 'string' ? { code: null, signal: null } : ending;
  return new KitError('process_failed', `${label} ${describe(ending)}${words}`, {
    hint:
      quoted === ''
        ? 'Run the command in a terminal to see what it does.'
        : 'Its last words say why. Run the command in a terminal to see all of them.',
    details: { exitCode: code, signal, stderr: stderr.text },
  });
}

function describe(ending: Exit | 'deaf' | 'mute'): string {
  if (ending === 'deaf') return 'closed its standard input and runs on';
  if (ending === 'mute') return 'closed its standard output and runs on';
  if (ending.signal !== null) return `was ended by ${ending.signal}`;
  return `ended with exit code ${ending.code}`;
}
