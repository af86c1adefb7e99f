import { spawn, type ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { fixtureCommand } from './peers.mjs';

export type Json = Readonly<Record<string, unknown>>;

/** A host that knows nothing but the wire. */
export interface RawHost extends AsyncDisposable {
  /** Sends one message or an array of them, and gives what is answered to it, if anything is. */
  send(message: object): Promise<unknown>;
}

const patienceMs = 5000;

/** Starts the fixture as a host would, and speaks to it line by line. */
export class RawStdio implements RawHost {
  readonly lines: unknown[] = [];
  readonly stderr: string[] = [];
  readonly exited: Promise<number | null>;
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #waiting: ((line: unknown) => void)[] = [];

  constructor(args: readonly string[] = []) {
    const { command, args: before } = fixtureCommand;
    this.#child = spawn(command, [...before, ...args], { stdio: ['pipe', 'pipe', 'pipe'] });
    this.#child.stdout.setEncoding('utf8');
    this.#child.stderr.setEncoding('utf8');
    let rest = '';
    this.#child.stdout.on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) this.#take(JSON.parse(line));
    });
    this.#child.stderr.on('data', (chunk: string) => this.stderr.push(chunk));
    this.exited = new Promise((resolve) => this.#child.once('close', resolve));
  }

  write(text: string): void {
    this.#child.stdin.write(text);
  }

  end(): void {
    this.#child.stdin.end();
  }

  /** The next line nobody has waited for yet. */
  next(): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('no line in time')), patienceMs);
      this.#waiting.push((line) => {
        clearTimeout(timer);
        resolve(line);
      });
    });
  }

  async send(message: object): Promise<unknown> {
    const answer = isAnswered(message) ? this.next() : undefined;
    this.write(`${JSON.stringify(message)}\n`);
    return answer;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.end();
    await this.exited;
  }

  #take(line: unknown): void {
    this.lines.push(line);
    this.#waiting.shift()?.(line);
  }
}

/** Speaks to an endpoint with nothing but `fetch`. */
export class RawHttp implements RawHost {
  readonly #url: string;
  /** Sent with every request; a session adds itself. */
  readonly headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  lastStatus = 0;

  constructor(url: string) {
    this.#url = url;
  }

  async send(message: object): Promise<unknown> {
    const body = JSON.stringify(message);
    const response = await fetch(this.#url, { method: 'POST', headers: this.headers, body });
    this.lastStatus = response.status;
    const session = response.headers.get('mcp-session-id');
    if (session !== null) this.headers['mcp-session-id'] = session;
    const text = await response.text();
    return text === '' ? undefined : JSON.parse(text);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await fetch(this.#url, { method: 'DELETE', headers: this.headers });
  }
}

function isAnswered(message: object): boolean {
  return Array.isArray(message) ? message.some(isAnswered) : 'id' in message;
}
