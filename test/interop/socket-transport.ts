import { connect, type Socket } from 'node:net';
import type { SdkTransport } from './peers.mjs';

/** Sees every message as it is on the wire. */
export type Tap = (direction: 'sent' | 'received', message: unknown) => void;

export interface SocketTransportOptions {
  readonly tap?: Tap | undefined;
  /** A request that somebody made on this connection before the client came to it. */
  readonly opening?: object | undefined;
}

/** A client transport of ours for either SDK: one message per line over a unix socket, as stdio has it. */
export class SocketTransport implements SdkTransport {
  /** By these two the newer SDK knows a transport that may probe as on a pipe. */
  readonly stderr = null;
  readonly pid = null;
  onmessage?: ((message: unknown) => void) | undefined;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  readonly #path: string;
  readonly #tap: Tap | undefined;
  readonly #opening: object | undefined;
  #opened: ((answer: unknown) => void) | undefined;
  #socket: Socket | undefined;

  constructor(path: string, { tap, opening }: SocketTransportOptions = {}) {
    this.#path = path;
    this.#tap = tap;
    this.#opening = opening;
  }

  async start(): Promise<void> {
    const socket = connect(this.#path);
    this.#socket = socket;
    socket.setEncoding('utf8');
    let rest = '';
    socket.on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) this.#receive(JSON.parse(line));
    });
    socket.on('close', () => this.onclose?.());
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
    socket.on('error', (error) => this.onerror?.(error));
    if (this.#opening === undefined) return;
    const answered = new Promise((resolve) => (this.#opened = resolve));
    await this.send(this.#opening);
    await answered;
    this.#opened = undefined;
  }

  async send(message: unknown): Promise<void> {
    this.#tap?.('sent', message);
    this.#socket?.write(`${JSON.stringify(message)}\n`);
  }

  async close(): Promise<void> {
    const socket = this.#socket;
    if (socket === undefined || socket.destroyed) return;
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    socket.end();
    await closed;
  }

  #receive(message: unknown): void {
    this.#tap?.('received', message);
    if (this.#opened === undefined) this.onmessage?.(message);
    else this.#opened(message);
  }
}
