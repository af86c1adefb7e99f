import { fork, type ChildProcess } from 'node:child_process';
import path from 'node:path';

/** The heap of what is under attack, in MiB: small, so that what grows is found soon. */
export const heapMiB = 256;

export interface Vitals {
  /** The longest time, in ms of CPU, that nothing else could run. */
  readonly blockMs: number;
  /** The most memory in use, and what is left after a collection; bytes. */
  readonly memory: number;
  readonly settled: number;
}

/** A process under attack; that it ends is the worst that can happen. */
export class Subject implements AsyncDisposable {
  readonly #process: ChildProcess;
  readonly #exit: Promise<void>;
  #stderr = '';
  ended: string | undefined;

  private constructor(options: object) {
    const file = path.resolve(import.meta.dirname, 'child/subject.mjs');
    this.#process = fork(file, [JSON.stringify(options)], {
      execArgv: ['--unhandled-rejections=strict', '--expose-gc', `--max-old-space-size=${heapMiB}`],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#process.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-4000);
    });
    this.#exit = new Promise((resolve) => {
      this.#process.once('close', (code, signal) => {
        this.ended = `${code ?? signal}: ${this.#stderr}`;
        resolve();
      });
    });
  }

  static async start(options: object): Promise<{ subject: Subject; port: number }> {
    const subject = new Subject(options);
    const { port = 0 } = await subject.#heard<{ port?: number }>('started');
    return { subject, port };
  }

  vitals(): Promise<Vitals> {
    return this.#ask('vitals', 'vitals');
  }

  /** Has a client or manager finish what it is at; tells how often it has begun anew. */
  stop(): Promise<number> {
    return this.#ask('stop', 'rounds');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.ended === undefined) this.#process.kill('SIGKILL');
    await this.#exit;
  }

  #ask<T>(question: string, answer: string): Promise<T> {
    if (this.ended !== undefined) return Promise.reject(new Error(`it ended: ${this.ended}`));
    const heard = this.#heard<T>(answer);
    this.#process.send(question);
    return heard;
  }

  #heard<T>(answer: string): Promise<T> {
    return new Promise((resolve, reject) => {
      const ended = (): void => reject(new Error(`it ended: ${this.ended}`));
      const hear = (message: Record<string, T>): void => {
        if (!(answer in message)) return;
        this.#process.off('message', hear).off('close', ended);
        resolve(message[answer] as T);
      };
      this.#process.on('message', hear).once('close', ended);
    });
  }
}
