import { Buffer } from 'node:buffer';
import { connect, type Socket } from 'node:net';

/** An HTTP answer as it stands on the wire. */
export interface RawAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

interface Head {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
}

const headEnd = Buffer.from('\r\n\r\n');

/** One keep-alive connection, one request at a time, with nothing between the test and the bytes. */
export class RawHttp {
  readonly socket: Socket;
  #rest: Buffer = Buffer.alloc(0);
  #waiting: { resolve(answer: RawAnswer): void; reject(error: Error): void } | undefined;
  #failure: Error | undefined;

  constructor(at: number | Socket) {
    this.socket = typeof at === 'number' ? connect(at, '127.0.0.1') : at;
    this.socket.setNoDelay(true);
    this.socket.on('data', (chunk: Buffer) => {
      this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
      this.#look();
    });
    this.socket.on('error', (error) => this.#fail(error));
    this.socket.on('close', () => this.#fail(new Error('the connection closed')));
  }

  /** Sends bytes and waits for one answer. */
  exchange(request: string | Buffer): Promise<RawAnswer> {
    this.socket.write(request);
    return this.answer();
  }

  /** Waits for one answer. */
  answer(): Promise<RawAnswer> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#look();
    });
  }

  /** Settles when the server has hung up. */
  get gone(): Promise<void> {
    if (this.socket.destroyed) return Promise.resolve();
    return new Promise((resolve) => this.socket.once('close', () => resolve()));
  }

  [Symbol.dispose](): void {
    this.socket.destroy();
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#waiting?.reject(error);
    this.#waiting = undefined;
  }

  #look(): void {
    const end = this.#rest.indexOf(headEnd);
    if (end < 0 || this.#waiting === undefined) return;
    const head = readHead(this.#rest.toString('latin1', 0, end));
    const body = readBody(head, this.#rest.subarray(end + headEnd.length));
    if (body === undefined) return;
    const { resolve } = this.#waiting;
    this.#waiting = undefined;
    this.#rest = body.rest;
    resolve({ ...head, body: body.text });
    // An interim answer is not the one that was waited for.
  }
}

function readHead(text: string): Head {
  const [first = '', ...lines] = text.split('\r\n');
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
  }
  return { status: Number(first.split(' ')[1]), headers };
}

/** The whole body, or nothing while some of it is missing. */
function readBody(head: Head, bytes: Buffer): { text: string; rest: Buffer } | undefined {
  if (head.headers.get('transfer-encoding') === 'chunked') return readChunks(bytes);
  const length = Number(head.headers.get('content-length') ?? 0);
  if (bytes.length < length) return undefined;
  return { text: bytes.toString('utf8', 0, length), rest: bytes.subarray(length) };
}

function readChunks(bytes: Buffer): { text: string; rest: Buffer } | undefined {
  const parts: Buffer[] = [];
  let at = 0;
  for (;;) {
    const line = bytes.indexOf('\r\n', at);
    if (line < 0) return undefined;
    const size = Number.parseInt(bytes.toString('latin1', at, line), 16);
    const from = line + 2;
    if (bytes.length < from + size + 2) return undefined;
    at = from + size + 2;
    if (size === 0)
      return { text: Buffer.concat(parts).toString('utf8'), rest: bytes.subarray(at) };
    parts.push(bytes.subarray(from, from + size));
  }
}

export interface RawRequest {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** A whole request as bytes. */
export function requestBytes(request: RawRequest): Buffer {
  const { method = 'POST', path = '/mcp', headers = {}, body } = request;
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  const sent: Record<string, string> = { host: '127.0.0.1' };
  if (body !== undefined) {
    sent['content-type'] = 'application/json';
    sent['content-length'] = String(Buffer.byteLength(text));
  }
  if (method === 'POST') sent['accept'] = 'application/json, text/event-stream';
  if (method === 'GET') sent['accept'] = 'text/event-stream';
  const lines = Object.entries({ ...sent, ...headers }).map(([name, value]) => `${name}: ${value}`);
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${text}`);
}
