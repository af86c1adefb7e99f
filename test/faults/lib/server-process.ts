import { fork, type ChildProcess } from 'node:child_process';
import path from 'node:path';

export interface Memory {
  /** Heap and external memory in use. */
  readonly used: number;
  readonly rss: number;
}

export interface Answers {
  /** After garbage collection. */
  readonly memory: Memory;
  readonly objects: Readonly<Record<string, number>>;
  readonly endpoint: { readonly sessions: number; readonly streams: number };
  readonly resources: readonly string[];
  /** Timers of any kind, when asked to watch them. */
  readonly timers: number;
  /** Milliseconds, at most, that nothing else could run since the last time. */
  readonly blocked: number;
  /** Milliseconds it took. */
  readonly close: number;
  /** How often a client has lost its server, and gone on. */
  readonly heal: { readonly healed: number; readonly lost: number; readonly handshakes: number };
  readonly end: null;
}

/** A server in its own process: what it uses is its own, and a crash is seen. */
export class ServerProcess implements AsyncDisposable {
  readonly process: ChildProcess;
  /** Settles with its exit code or signal. */
  readonly exit: Promise<number | string>;
  /** How it ended, if it did, and what it complained about. */
  ended: string | undefined;
  port = 0;
  #asked = 0;

  constructor(script: string, options: object) {
    const file = path.resolve(import.meta.dirname, '../child', script);
    this.process = fork(file, [JSON.stringify(options)], {
      execArgv: ['--unhandled-rejections=strict', '--expose-gc'],
      stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
    });
    let stderr = '';
    this.process.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    this.exit = new Promise((resolve) => {
      this.process.once('close', (code, signal) => {
        this.ended = `${code ?? signal}: ${stderr}`;
        resolve(code ?? String(signal));
      });
    });
  }

  /** One that listens, over HTTP unless another script is named. */
  static async start(options: object = {}, script = 'http.mjs'): Promise<ServerProcess> {
    const server = new ServerProcess(script, options);
    await new Promise<void>((resolve, reject) => {
      server.process.once('message', (message: { port: number }) => {
        server.port = message.port;
        resolve();
      });
      void server.exit.then(() => reject(new Error(`the server ended at once: ${server.ended}`)));
    });
    return server;
  }

  ask<K extends keyof Answers>(question: K): Promise<Answers[K]> {
    const id = ++this.#asked;
    return new Promise((resolve, reject) => {
      if (this.ended !== undefined) throw new Error(`the server ended: ${this.ended}`);
      const exited = (): void => reject(new Error(`the server ended: ${this.ended}`));
      const heard = (message: { id: number; answer: Answers[K] }): void => {
        if (message.id !== id) return;
        this.process.off('message', heard).off('close', exited);
        resolve(message.answer);
      };
      this.process.on('message', heard).once('close', exited);
      this.process.send({ id, ask: question });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.ended === undefined) this.process.kill('SIGKILL');
    await this.exit;
  }
}
