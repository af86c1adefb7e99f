import { fork, type ChildProcess } from 'node:child_process';
import path from 'node:path';

const script = path.resolve(import.meta.dirname, '../server.mjs');

export interface Memory {
  /** Heap and external memory in use. */
  readonly used: number;
  readonly rss: number;
}

interface Answers {
  /** After garbage collection. */
  readonly memory: Memory;
  /** As it is. */
  readonly used: Memory;
  readonly objects: Readonly<Record<string, number>>;
  readonly endpoint: { readonly sessions: number; readonly streams: number };
  readonly resources: readonly string[];
  /** Timers of any kind, when asked to watch them. */
  readonly timers: number;
  readonly blocked: number;
  readonly updated: null;
  readonly close: number;
}

/** A server in its own process: what it uses is its own, and a crash is seen. */
export class ServerProcess implements AsyncDisposable {
  readonly port: number;
  readonly pid: number;
  readonly #child: ChildProcess;
  #stderr = '';
  #asked = 0;
  /** How it ended, if it did. */
  ended: string | undefined;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
    this.pid = child.pid ?? 0;
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.#stderr += text));
    child.once('exit', (code, signal) => (this.ended = `${code ?? signal}: ${this.#stderr}`));
  }

  static async start(options: object = {}): Promise<ServerProcess> {
    const child = fork(script, [JSON.stringify(options)], {
      execArgv: ['--unhandled-rejections=strict', '--expose-gc'],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    const port = await new Promise<number>((resolve, reject) => {
      child.once('message', (message: { port: number }) => resolve(message.port));
      child.once('exit', (code) => reject(new Error(`the server ended at once: ${code}`)));
    });
    return new ServerProcess(child, port);
  }

  ask<K extends keyof Answers>(question: K): Promise<Answers[K]> {
    const id = ++this.#asked;
    return new Promise((resolve, reject) => {
      if (this.ended !== undefined) throw new Error(`the server ended: ${this.ended}`);
      const exited = (): void => reject(new Error(`the server ended: ${this.ended}`));
      const heard = (message: { id: number; answer: Answers[K] }): void => {
        if (message.id !== id) return;
        this.#child.off('message', heard).off('exit', exited);
        resolve(message.answer);
      };
      this.#child.on('message', heard).once('exit', exited);
      this.#child.send({ id, ask: question });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.ended !== undefined) return;
    const exited = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGKILL');
    await exited;
  }
}
