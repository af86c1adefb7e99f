import { spawn, spawnSync } from 'node:child_process';
import { windowsProgram } from '#base';
import { Guardian } from './guardian.ts';
import { endMarked, type Ward } from './marks.ts';
import { recordChild, sweepOrphans } from './orphan-record.ts';

const guardian = new Guardian();

/** Those of this process, and how to let go of each. */
const held = new Map<Ward, () => void>();
let swept = false;

/** Makes sure that a child does not outlive this process, however that ends; gives back how to let go of it. */
export function takeCustody(ward: Ward, guarded: boolean): () => void {
  if (held.size === 0) process.on('exit', killHeld);
  const forget = guarded ? guard(ward) : undefined;
  const release = (): void => {
    if (!held.delete(ward)) return;
    guardian.remove(ward);
    forget?.();
    if (held.size === 0) process.off('exit', killHeld);
  };
  held.set(ward, release);
  return release;
}

/**
 * The record first, which is there at once: whoever comes next finds the child even if this process is killed before it
 * has a guardian. Starting one takes milliseconds that the child need not wait for.
 */
function guard(ward: Ward): () => void {
  const forget = recordChild(ward);
  guardian.add(ward);
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
  const wards = [...held.keys()];
  for (const { pid } of wards) {
    if (process.platform === 'win32') {
      spawnSync(windowsProgram('taskkill.exe'), killTree(pid), quiet);
    } else signalGroup(pid, 'SIGKILL');
  }
  endMarked(new Set(wards.map(({ mark }) => mark)));
  for (const release of held.values()) release();
}

const quiet = { stdio: 'ignore', windowsHide: true } as const;

function killTree(pid: number): string[] {
  return ['/pid', String(pid), '/T', '/F'];
}
