import { spawn, spawnSync } from 'node:child_process';
import { windowsProgram } from '#base';
import { endMarked, type OwnChild } from './marks.ts';
import { recordChild, sweepOrphans } from './orphan-record.ts';
import { Watchdog } from './watchdog.ts';

const watchdog = new Watchdog();

/** Those of this process, and how to let go of each. */
const held = new Map<OwnChild, () => void>();
let swept = false;

/** Makes sure that a child does not outlive this process, however that ends; gives back how to let go of it. */
export function ownChild(child: OwnChild, guarded: boolean): () => void {
  if (held.size === 0) process.on('exit', killHeld);
  const forget = guarded ? guard(child) : undefined;
  const release = (): void => {
    if (!held.delete(child)) return;
    watchdog.remove(child);
    forget?.();
    if (held.size === 0) process.off('exit', killHeld);
  };
  held.set(child, release);
  return release;
}

/**
 * The record first, which is there at once: whoever comes next finds the child even if this process is killed before it
 * has a watchdog. Starting one takes milliseconds that the child need not wait for.
 */
function guard(child: OwnChild): () => void {
  const forget = recordChild(child);
  watchdog.add(child);
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
  const children = [...held.keys()];
  for (const { pid } of children) {
    if (process.platform === 'win32') {
      spawnSync(windowsProgram('taskkill.exe'), killTree(pid), quiet);
    } else signalGroup(pid, 'SIGKILL');
  }
  endMarked(new Set(children.map(({ mark }) => mark)));
  for (const release of held.values()) release();
}

const quiet = { stdio: 'ignore', windowsHide: true } as const;

function killTree(pid: number): string[] {
  return ['/pid', String(pid), '/T', '/F'];
}
