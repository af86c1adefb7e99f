import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { ChildOptions } from 'mcp-kit/transport/child-process';

const name = 'MCP_KIT_TEST_MARK';

/** Marks all processes that are started with it, and their children, and theirs. */
export class Mark implements AsyncDisposable {
  readonly env: Readonly<Record<string, string>> = { [name]: randomUUID() };
  readonly #sought = `${name}=${this.env[name]}`;

  /** The pids of all that live and have it; what has ended and waits for its parent does not count. */
  alive(): readonly number[] {
    const pids = readdirSync('/proc').filter((entry) => /^\d+$/.test(entry));
    return pids.filter((pid) => this.#isOn(pid)).map(Number);
  }

  /** What is still alive, although it had time to end. */
  async left(): Promise<readonly number[]> {
    const end = performance.now() + 30_000;
    for (;;) {
      const alive = this.alive();
      if (alive.length === 0 || performance.now() > end) return alive;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  /** Whatever a test that failed has left behind. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const pid of this.alive()) killNow(pid);
    await this.left();
  }

  #isOn(pid: string): boolean {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(this.#sought);
    } catch {
      return false;
    }
  }
}

/** `kill -9`, of one that may have ended meanwhile. */
export function killNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has.
  }
}

/** Answers the first request with the pid of the process that was started, and no other. */
const answer = 'read -r line; printf \'{"jsonrpc":"2.0","id":1,"result":{"pid":%d}}\\n\' "$LEADER"';
const listen = `${answer}; while read -r line; do :; done`;

const quiet = '</dev/null >/dev/null 2>&1';
const sleep = `sleep 1000 ${quiet}`;

/** Programs with different ways to survive. */
const shapes = {
  plain: listen,
  'wrapped by a shell': `sh -c '${escaped(listen)}'; true`,
  'a tree of three': `sh -c '${escaped(`sh -c '${escaped(listen)}'; true`)}'; true`,
  'deaf to SIGTERM and to the end of its input': `trap '' TERM HUP; ${answer}; while :; do sleep 1; done`,
  'with a child that holds its pipes': `sleep 1000 & ${listen}`,
  'with daemons': `setsid ${sleep} & nohup setsid ${sleep} & setsid sh -c 'setsid sleep 1000 & exit 0' ${quiet}; ${listen}`,
  'with a daemon that begins when it ends': `${listen}; setsid ${sleep} &`,
} as const;

export type Shape = keyof typeof shapes;
export const shapeNames: readonly Shape[] = Object.keys(shapes) as Shape[];

/** How to start one of them. */
export function shaped(shape: Shape, mark: Mark): ChildOptions {
  const script = `LEADER=$$; export LEADER; ${shapes[shape]}`;
  return { command: '/bin/sh', args: ['-c', script], env: mark.env };
}

/** Between the quotes of a shell. */
function escaped(script: string): string {
  return script.replaceAll("'", `'\\''`);
}
