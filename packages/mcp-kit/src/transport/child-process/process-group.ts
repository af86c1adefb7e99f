import type { ChildProcess } from 'node:child_process';
import { createDeferred, startTimer } from '#base';
import { endMarkedSoon } from './marks.ts';
import { ownChild, signalGroup } from './own-children.ts';

/** How a process ended. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** How long a child may take to end, first after its input has ended, then after SIGTERM. */
export interface StopOptions {
  readonly eofMs?: number | undefined;
  readonly termMs?: number | undefined;
}

/** How long the kernel may take to end a killed process: one that hangs in a device may never end. */
const killMs = 1000;

/** A child and all that it starts, from its start to its end. */
export class ProcessGroup {
  /** Settles when the child has ended, whoever still holds its pipes. */
  readonly exited: Promise<Exit>;
  readonly #child: ChildProcess;
  readonly #pid: number;
  readonly #mark: string;
  readonly #release: () => void;
  #exit: Exit | undefined;

  /** `child` has just been started, as the leader of a group of its own, with `mark` in its environment. */
  constructor(
    child: ChildProcess & { readonly pid: number },
    { mark, guarded }: { readonly mark: string; readonly guarded: boolean },
  ) {
    this.#child = child;
    this.#pid = child.pid;
    this.#mark = mark;
    this.#release = ownChild({ pid: child.pid, mark }, guarded);
    const exited = createDeferred<Exit>();
    this.exited = exited.promise;
    child.once('exit', (code, signal) => {
      this.#exit = { code, signal };
      exited.resolve(this.#exit);
    });
    child.on('error', () => {});
  }

  /** How the child has ended, once it has. */
  get exit(): Exit | undefined {
    return this.#exit;
  }

  /** Waits for the child to end by itself, its input having ended; then asks; then kills. Nothing of it is left. */
  async stop({ eofMs = 2000, termMs = 3000 }: StopOptions): Promise<void> {
    const windows = process.platform === 'win32';
    if (!(await this.exitWithin(eofMs)) && !windows) {
      signalGroup(this.#pid, 'SIGTERM');
      // One that is stopped hears it only when it goes on.
      signalGroup(this.#pid, 'SIGCONT');
      await this.exitWithin(termMs);
    }
    // Also when the child has ended: what it started may not have. Windows knows no group without its leader.
    if (this.#exit === undefined || !windows) signalGroup(this.#pid, 'SIGKILL');
    if (!(await this.exitWithin(killMs))) this.#child.unref();
    // And what has left the group.
    await endMarkedSoon(this.#mark);
    this.#release();
  }

  /** True once the child has ended; false when it has not after so long. */
  async exitWithin(ms: number): Promise<boolean> {
    if (this.#exit !== undefined) return true;
    const late = createDeferred<void>();
    const timer = startTimer(late.resolve, ms);
    await Promise.race([this.exited, late.promise]);
    clearTimeout(timer);
    return this.#exit !== undefined;
  }
}
