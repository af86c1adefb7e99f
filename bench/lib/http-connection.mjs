// Just enough of an HTTP/1.1 client to know where a response ends: prepared bytes go to a plain socket, so that the load
// generator costs a fraction of what a server costs per request.
import net from 'node:net';
import { httpHeaders, initializedMessage, initializeMessage, statelessEra } from './messages.mjs';

const headEnd = Buffer.from('\r\n\r\n');
const isEventStream = (head) => /content-type: *text\/event-stream/i.test(head);

/** One keep-alive connection with at most one request under way. */
export class HttpConnection {
  constructor({ hostname, port }) {
    this.address = { host: hostname, port: Number(port) };
    this.done = null;
    this.failed = null;
    this.headSeen = null;
    this.reset();
  }

  dial() {
    return new Promise((resolve, reject) => {
      const socket = net.connect(this.address);
      socket.setNoDelay(true);
      socket.once('connect', () => {
        socket.off('error', reject);
        socket.on('error', (error) => this.broken(error));
        resolve();
      });
      socket.once('error', reject);
      socket.on('data', (chunk) => this.read(chunk));
      socket.on('close', () => {
        if (this.socket !== socket) return;
        this.socket = null;
        this.broken(new Error('connection closed'));
      });
      this.socket = socket;
      this.reset();
    });
  }

  reset() {
    this.state = 'head';
    this.rest = null;
    this.body = [];
    this.length = 0;
  }

  broken(error) {
    const { failed } = this;
    this.done = this.failed = null;
    failed?.(error);
  }

  // callbacks instead of promises: this is the hot path of the load
  send(bytes, done, failed) {
    this.done = done;
    this.failed = failed;
    if (this.socket) this.socket.write(bytes);
    else void this.dial().then(() => this.socket.write(bytes), failed);
  }

  exchange(bytes) {
    return new Promise((resolve, reject) => this.send(bytes, resolve, reject));
  }

  read(chunk) {
    let bytes = chunk;
    if (this.rest !== null) {
      bytes = Buffer.concat([this.rest, chunk]);
      this.rest = null;
    }
    let at = 0;
    while (at < bytes.length || this.state === 'end') {
      const next = this.state === 'end' ? at : this.step(bytes, at);
      if (next < 0) break;
      at = next;
      if (this.state === 'end') {
        this.finish();
        if (at >= bytes.length) return;
      }
    }
    if (at < bytes.length) this.rest = at === 0 ? bytes : bytes.subarray(at);
  }

  // Reads one part of the response and returns where the next begins, or -1 when more bytes are needed.
  step(bytes, at) {
    if (this.state === 'head') return this.readHead(bytes, at);
    if (this.state === 'sized' || this.state === 'data') {
      const take = Math.min(this.left, bytes.length - at);
      this.body.push(at === 0 && take === bytes.length ? bytes : bytes.subarray(at, at + take));
      this.length += take;
      this.left -= take;
      if (this.left === 0) this.state = this.state === 'sized' ? 'end' : 'after';
      return at + take;
    }
    if (this.state === 'chunk') {
      const end = bytes.indexOf('\r\n', at);
      if (end < 0) return -1;
      this.left = parseInt(bytes.latin1Slice(at, end), 16);
      this.state = this.left === 0 ? 'trailer' : 'data';
      return end + 2;
    }
    if (bytes.length - at < 2) return -1;
    this.state = this.state === 'after' ? 'chunk' : 'end';
    return at + 2;
  }

  readHead(bytes, at) {
    const end = bytes.indexOf(headEnd, at);
    if (end < 0) return -1;
    this.head = bytes.latin1Slice(at, end);
    this.status = Number(this.head.slice(9, 12));
    const length = /\r\ncontent-length: *(\d+)/i.exec(this.head);
    if (length) {
      this.left = Number(length[1]);
      this.state = this.left === 0 ? 'end' : 'sized';
    } else {
      this.state = /\r\ntransfer-encoding: *chunked/i.test(this.head) ? 'chunk' : 'end';
    }
    this.headSeen?.(this.status);
    return end + 4;
  }

  finish() {
    const { status, head, body, length, done } = this;
    this.reset();
    this.done = this.failed = null;
    done?.({ status, head, body, length });
  }

  close() {
    this.done = this.failed = null;
    this.socket?.destroy();
    this.socket = null;
  }
}

/** The bytes of a request; without a message it has no body. */
export function encode(target, message, headers, method = 'POST') {
  const body = message === undefined ? '' : JSON.stringify(message);
  const lines = [`${method} ${target.pathname} HTTP/1.1`, `host: ${target.host}`];
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  if (message !== undefined) lines.push(`content-length: ${Buffer.byteLength(body)}`);
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`);
}

/** The JSON-RPC message in a response, be it a JSON body or an event stream, and which of the two it was. */
export function decode({ status, head, body }) {
  const text = Buffer.concat(body).toString();
  if (status !== 200) throw new Error(`status ${status} ${text.slice(0, 300)}`);
  if (!isEventStream(head)) return { mode: 'json', message: JSON.parse(text) };
  for (const event of text.split(/\r?\n\r?\n/)) {
    const lines = event.split(/\r?\n/).filter((line) => line.startsWith('data:'));
    const data = lines.map((line) => line.slice(5).trim()).join('\n');
    if (data) return { mode: 'sse', message: JSON.parse(data) };
  }
  throw new Error(`no message in the event stream: ${text.slice(0, 200)}`);
}

/** Opens a session on a connection; the modern era has none. */
export async function openSession(connection, target, { era, accept, protocolVersion }) {
  if (era === statelessEra) return { accept };
  const initialize = initializeMessage(protocolVersion ?? era);
  const reply = await connection.exchange(encode(target, initialize, httpHeaders(era, initialize)));
  const { result } = decode(reply).message;
  const sessionId = /\r\nmcp-session-id: *(\S+)/i.exec(reply.head)?.[1];
  const session = { sessionId, protocolVersion: result.protocolVersion, accept };
  const headers = httpHeaders(era, initializedMessage, session);
  const noted = await connection.exchange(encode(target, initializedMessage, headers));
  if (noted.status < 200 || noted.status > 204) throw new Error(`initialized: ${noted.status}`);
  return session;
}
