import { spawn, type ChildProcessWithoutNullStreams, type SpawnOptions } from 'node:child_process';
import path from 'node:path';
import { isRecord } from 'mcp-kit/internal';

/** The folder of the whole repository. */
export const root: string = path.resolve(import.meta.dirname, '../..');

/** The program as users run it; `npm test` builds it. */
export const mcpctl: string = path.join(root, 'packages/mcpctl/dist/main.js');

/** How a process ended. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface ChildOptions extends SpawnOptions {
  /** It has ended when all that it started has ended, too; except what a Node starts, which inherits nothing. */
  readonly withChildren?: boolean;
}

/** A real child process; whatever happens, it is gone when its scope ends. */
export class Child implements AsyncDisposable {
  readonly process: ChildProcessWithoutNullStreams;
  readonly ended: Promise<Ended>;
  stdout = '';
  stderr = '';
  readonly #watchers = new Set<() => void>();

  constructor(command: string, args: readonly string[], options: ChildOptions = {}) {
    const { withChildren = false, ...spawning } = options;
    this.process = spawn(command, args, {
      cwd: root,
      ...spawning,
      stdio: ['pipe', 'pipe', 'pipe', withChildren ? 'pipe' : 'ignore'],
      // The types know three streams by their number, and nothing of a fourth.
    }) as ChildProcessWithoutNullStreams;
    // A pipe that nobody writes to: its other end is open in each of them until it ends, and `close` waits for that.
    this.process.stdio[3]?.on('error', () => {}).on('data', () => {});
    this.process.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
      this.#look();
    });
    this.process.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
      this.#look();
    });
    // Writing to a process that has ended is not what these tests are about.
    this.process.stdin.on('error', () => {});
    this.ended = new Promise((resolve, reject) => {
      this.process.once('error', reject);
      this.process.once('close', (code, signal) => {
        resolve({ code, signal });
        this.#look();
      });
    });
  }

  /** The child, of our own program. */
  static mcpctl(...args: readonly string[]): Child {
    return new Child(process.execPath, [mcpctl, ...args]);
  }

  /** Settles when `find` gives something, looking again at every piece of output; fails when the child ends first. */
  async until<T>(find: () => T | undefined): Promise<T> {
    for (;;) {
      const found = find();
      if (found !== undefined) return found;
      if (this.process.exitCode !== null || this.process.signalCode !== null) {
        const last = await this.ended.then(find);
        if (last !== undefined) return last;
        throw new Error(`the process ended first:\n${this.stdout}\n${this.stderr}`);
      }
      await new Promise<void>((resolve) => {
        const watcher = (): void => {
          this.#watchers.delete(watcher);
          resolve();
        };
        this.#watchers.add(watcher);
      });
    }
  }

  /** Sends one message as a line. */
  send(message: object): void {
    this.process.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  /** Every complete line of standard output, as JSON. */
  messages(): readonly Record<string, unknown>[] {
    const lines = this.stdout.split('\n').slice(0, -1);
    return lines.map((line) => {
      const value: unknown = JSON.parse(line);
      if (!isRecord(value)) throw new Error(`not an object: ${line}`);
      return value;
    });
  }

  /** The first message on standard output that `matches`. */
  message(
    matches: (message: Record<string, unknown>) => boolean,
  ): Promise<Record<string, unknown>> {
    return this.until(() => this.messages().find(matches));
  }

  /** The answer to a request. */
  answer(id: number | string): Promise<Record<string, unknown>> {
    return this.message((message) => message['id'] === id && message['method'] === undefined);
  }

  /** Sends a signal and tells how the child ended, and after how long. */
  stop(signal: NodeJS.Signals): Promise<Ended> {
    this.process.kill(signal);
    return this.ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.process.exitCode === null && this.process.signalCode === null) {
      this.process.kill('SIGKILL');
    }
    await this.ended;
  }

  #look(): void {
    for (const watcher of this.#watchers) watcher();
  }
}

/** Runs a shell command to its end. */
export async function shell(command: string, options: SpawnOptions = {}): Promise<Ended & Output> {
  await using child = new Child('bash', ['-euo', 'pipefail', '-c', command], options);
  child.process.stdin.end();
  const ended = await child.ended;
  return { ...ended, stdout: child.stdout, stderr: child.stderr };
}

interface Output {
  readonly stdout: string;
  readonly stderr: string;
}
