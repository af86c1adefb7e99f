import { fork, type ChildProcess } from 'node:child_process';
import path from 'node:path';

/** The heap of what is under attack, in MiB: small, so that what grows is found soon. */
const heapMiB = 256;

interface Vitals {
  /** The longest time, in ms of CPU, that nothing else could run. */
  readonly blockMs: number;
  /** The most memory in use, and how much more there is at the end, after a collection; bytes. */
  readonly memory: number;
  readonly grown: number;
  /** All the CPU time it has used. */
  readonly cpuMs: number;
  /** The length of all its numbers as text. */
  readonly metrics: number;
}

const mebibyte = 1024 * 1024;
const mib = (bytes: number): string => `${(bytes / mebibyte).toFixed(0)} MiB`;

/** What a process may be like after any attack. */
const allowed = { blockMs: 50, memory: heapMiB * mebibyte, grown: 32 * mebibyte, metrics: 200_000 };

/** Judges a process: what is wrong with it, and what was measured. */
export async function wrongWith(
  subject: Subject,
): Promise<{ readonly wrong: readonly string[]; readonly told: string }> {
  const vitals = await subject.vitals().catch(() => undefined);
  if (vitals === undefined || subject.ended !== undefined) {
    return { wrong: [`it ended: ${subject.ended}`], told: 'it ended' };
  }
  const { blockMs, memory, grown, metrics, cpuMs } = vitals;
  const blocked = `blocked ${blockMs.toFixed(1)} ms at most`;
  const used = `memory ${mib(memory)} at most, ${mib(grown)} more than before`;
  const wrong = [
    ...(blockMs < allowed.blockMs ? [] : [blocked]),
    ...(memory < allowed.memory && grown < allowed.grown ? [] : [used]),
    ...(metrics < allowed.metrics ? [] : [`${metrics} characters of metrics`]),
  ];
  return { wrong, told: `${blocked}, ${used}, ${(cpuMs / 1000).toFixed(1)} s of CPU` };
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
      if (process.env['HOSTILE_BLAME']) process.stderr.write(text);
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
