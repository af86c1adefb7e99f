import type { Readable, Writable } from 'node:stream';
import { createDeferred, type Deferred } from 'mcp-kit/internal';
import { ServerProcess } from './server-process.ts';
import { initializeBody } from './wire.ts';

export type Message = Readonly<Record<string, unknown>>;

/** A server on a pipe, and its client. */
export class StdioProcess implements AsyncDisposable {
  readonly server: ServerProcess;
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Everything it said that nobody has asked for yet. */
  readonly messages: Message[] = [];
  #rest: string[] = [];
  #arrived: Deferred<void> = createDeferred();

  private constructor() {
    this.server = new ServerProcess('stdio.mjs', {});
    const { stdin, stdout } = this.server.process;
    if (stdin === null || stdout === null) throw new Error('no pipes');
    this.stdin = stdin;
    this.stdout = stdout;
    stdin.on('error', () => {});
    stdout.setEncoding('utf8').on('data', (text: string) => this.#read(text));
  }

  /** One that has completed its handshake. */
  static async start(): Promise<StdioProcess> {
    const started = new StdioProcess();
    await started.exchange(JSON.stringify(initializeBody()));
    started.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
    return started;
  }

  /** The next thing it says. */
  async next(): Promise<Message> {
    for (;;) {
      const message = this.messages.shift();
      if (message !== undefined) return message;
      await this.#arrived.promise;
    }
  }

  exchange(line: string): Promise<Message> {
    this.stdin.write(`${line}\n`);
    return this.next();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
  }

  #read(text: string): void {
    const parts = text.split('\n');
    const last = parts.pop() ?? '';
    for (const part of parts) {
      this.messages.push(JSON.parse(this.#rest.join('') + part) as Message);
      this.#rest = [];
    }
    this.#rest.push(last);
    const { resolve } = this.#arrived;
    this.#arrived = createDeferred();
    resolve();
  }
}
