import { spawn, spawnSync } from 'node:child_process';
import { windowsProgram } from '#base';
import { Guardian } from './guardian.ts';
import { recordChild, sweepOrphans } from './orphan-record.ts';

const guardian = new Guardian();
/** The groups of this process, and how to let go of each. */
const held = new Map<number, () => void>();
let swept = false;

/** Makes sure that a group does not outlive this process, however it ends; gives back how to let go of it. */
export function takeCustody(pid: number, guarded: boolean): () => void {
  if (held.size === 0) process.on('exit', killHeld);
  const forget = guarded ? guard(pid) : undefined;
  const release = (): void => {
    if (!held.delete(pid)) return;
    guardian.remove(pid);
    forget?.();
    if (held.size === 0) process.off('exit', killHeld);
  };
  held.set(pid, release);
  return release;
}

/**
 * The record first, which is there at once: whoever comes next finds the child even if this process is killed before it
 * has a guardian. Starting one takes milliseconds that the child need not wait for.
 */
function guard(pid: number): () => void {
  const forget = recordChild(pid);
  guardian.add(pid);
  sweepOnce();
  return forget;
}

function sweepOnce(): void {
  if (swept) return;
  swept = true;
  try {
    sweepOrphans();
  } catch {
    // What others left behind is no reason not to start.
  }
}

/** Sends a signal to a process and all that it started. On Windows there is only one: the end. */
export function signalGroup(pid: number, signal: 'SIGTERM' | 'SIGCONT' | 'SIGKILL'): void {
  if (process.platform === 'win32') {
    if (signal === 'SIGKILL')
      spawn(windowsProgram('taskkill.exe'), killTree(pid), quiet).on('error', () => {});
    return;
  }
  try {
    process.kill(-pid, signal);
  } catch {
    // The group has ended.
  }
}

function killHeld(): void {
  for (const [pid, release] of held) {
    if (process.platform === 'win32')
      spawnSync(windowsProgram('taskkill.exe'), killTree(pid), quiet);
    else signalGroup(pid, 'SIGKILL');
    release();
  }
}

const quiet = { stdio: 'ignore', windowsHide: true } as const;

function killTree(pid: number): string[] {
  return ['/pid', String(pid), '/T', '/F'];
}
