import { Buffer } from 'node:buffer';
import { connect, type Socket } from 'node:net';
import { clientMessage } from './messages.ts';
import type { Random } from './random.ts';

const initialize =
  '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"hostile","version":"1"}}}';
const lanes = 6;

/** Sends `count` messages over HTTP, in requests of every shape; settles when all are sent. */
export async function attackHttp(port: number, count: number, random: Random): Promise<void> {
  let left = count;
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      const lane = new Lane(port, random);
      while (left-- > 0) await lane.send();
      lane.close();
    }),
  );
}

/** One connection at a time, one request after the other; whoever does not answer soon is left. */
class Lane {
  readonly #port: number;
  readonly #random: Random;
  #socket: Socket | undefined;
  #session: string | undefined;
  #settle: (() => void) | undefined;

  constructor(port: number, random: Random) {
    this.#port = port;
    this.#random = random;
  }

  async send(): Promise<void> {
    const random = this.#random;
    if (this.#session === undefined || random.chance(0.01)) {
      await this.#exchange(this.#request(initialize, {}));
    }
    const bytes = this.#request(clientMessage(random), this.#headers());
    if (random.chance(0.01)) {
      await this.#cutOff(bytes);
      return;
    }
    await this.#exchange(bytes);
  }

  close(): void {
    this.#socket?.destroy();
  }

  #headers(): Record<string, string> {
    const random = this.#random;
    const headers: Record<string, string> = {};
    if (this.#session !== undefined && random.chance(0.7)) {
      headers['mcp-session-id'] = this.#session;
    }
    if (random.chance(0.8)) {
      headers['mcp-protocol-version'] = random.pick([
        '2025-11-25',
        '2026-07-28',
        '2025-03-26',
        'x',
      ]);
    }
    if (random.chance(0.4)) {
      headers['mcp-method'] = random.pick(['tools/call', 'tools/list', 'ping', 'made/up']);
      headers['mcp-name'] = random.pick(['echo', '=?base64?ZWNobw==?=', 'x']);
    }
    if (random.chance(0.02)) headers['last-event-id'] = random.pick(['1.1', '999.999', 'x-1']);
    if (random.chance(0.02)) headers['content-type'] = 'text/plain';
    if (random.chance(0.05)) headers['accept'] = random.pick(['*/*', 'text/event-stream', 'x/y']);
    if (random.chance(0.01)) headers['host'] = 'example.com';
    if (random.chance(0.01)) headers['origin'] = 'https://example.com';
    if (random.chance(0.01)) headers['x-long'] = 'y'.repeat(random.pick([1000, 10_000, 20_000]));
    return headers;
  }

  #request(body: string, headers: Record<string, string>): Buffer {
    const random = this.#random;
    const method = random.chance(0.97) ? 'POST' : random.pick(['GET', 'DELETE', 'PUT', 'OPTIONS']);
    const path = random.chance(0.98) ? '/mcp' : random.pick(['/', '/mcp/x', '/healthz', '/%00']);
    const bytes = Buffer.from(body);
    const all: Record<string, string> = {
      host: `127.0.0.1:${this.#port}`,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...headers,
    };
    const chunked = random.chance(0.1);
    if (chunked) all['transfer-encoding'] = 'chunked';
    else all['content-length'] = String(bytes.length);
    const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    const start = Buffer.from(`${method} ${path} HTTP/1.1\r\n${head.join('')}\r\n`);
    if (!chunked) return Buffer.concat([start, bytes]);
    const size = `${bytes.length.toString(16)}\r\n`;
    const end = bytes.length === 0 ? '0\r\n\r\n' : '\r\n0\r\n\r\n';
    return Buffer.concat([
      start,
      Buffer.from(bytes.length === 0 ? '' : size),
      bytes,
      Buffer.from(end),
    ]);
  }

  /** Sends half of it and hangs up, or is silent. */
  async #cutOff(bytes: Buffer): Promise<void> {
    const socket = await this.#dial();
    socket.write(bytes.subarray(0, this.#random.below(bytes.length)));
    if (this.#random.chance(0.5)) socket.destroy();
    // The other half stays open and silent; the next request opens a connection of its own.
    else setTimeout(() => socket.destroy(), 500).unref();
    this.#socket = undefined;
  }

  async #exchange(bytes: Buffer): Promise<void> {
    const socket = await this.#dial();
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => {
        socket.destroy();
        this.#settle?.();
      }, 60);
      this.#settle = () => {
        clearTimeout(timer);
        this.#settle = undefined;
        resolve();
      };
      socket.write(bytes);
    });
    // What goes on after its first bytes is a stream; it is left open for a moment at times.
    if (this.#random.chance(0.05)) socket.destroy();
  }

  async #dial(): Promise<Socket> {
    if (this.#socket !== undefined && !this.#socket.destroyed) return this.#socket;
    const socket = connect(this.#port, '127.0.0.1');
    this.#socket = socket;
    socket.on('error', () => {});
    socket.on('close', () => this.#settle?.());
    socket.on('data', (chunk: Buffer) => {
      const found = /\r\nmcp-session-id: *(\S+)/i.exec(chunk.toString('latin1', 0, 600));
      if (found !== null) this.#session = found[1];
      this.#settle?.();
    });
    await new Promise<void>((resolve) => {
      socket.once('connect', resolve).once('close', () => resolve());
    });
    return socket;
  }
}
