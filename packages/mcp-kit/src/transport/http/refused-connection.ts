import { Buffer, isAscii } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { unref } from '#base';
import type { NodeResponder } from './node-responder.ts';
import { answerOf, causeOf, type Refusal } from './responder.ts';

/** A request that was refused, and will be for a while. */
export interface RefusedRequest {
  readonly request: IncomingMessage;
  readonly responder: NodeResponder;
  readonly refusal: Refusal;
  /** For how long the same is said again. */
  readonly sameForMs: number;
  /** The connection is a client's own, so that nobody else waits when it is not read. */
  readonly isDirect: boolean;
  /** While it says yes, connections end with their answer. */
  readonly draining: () => boolean;
}

const connections = new WeakMap<Socket, RefusedConnection>();

/**
 * Makes further refusals on the same connection cheap. One that asks the same again without waiting is answered without the
 * parser of Node, some hundred times a second; what is different, or does not end, is not read for as long as it would be refused.
 */
export function expectMore(refused: RefusedRequest): void {
  const { socket } = refused.request;
  const connection = connections.get(socket) ?? new RefusedConnection(socket);
  connections.set(socket, connection);
  connection.refused(refused);
}

/** Bytes that ask what was refused, and what is said to them. */
interface Repetition {
  readonly refused: RefusedRequest;
  readonly head: Buffer;
  /** Of head and body. */
  readonly size: number;
  readonly answer: string;
  readonly untilMs: number;
  /** How often it may still be said. */
  left: number;
}

const nothing = Buffer.alloc(0);

type DataListener = (chunk: Buffer) => void;

/** A connection that is told the same more often is no longer read. */
const mostPerSecond = 500;
const leastHoldMs = 10;

/**
 * Sits between a connection and the parser of Node. Whatever is not, byte by byte, a whole request with the head of the one
 * refused before goes to the parser, at once and unchanged: so nothing is kept here, and its timeouts hold.
 */
class RefusedConnection {
  readonly #socket: Socket;
  /** Whoever asks again before this does not wait. */
  #hastyUntilMs = 0;
  #isHeld = false;
  /** How Node takes bytes, while they come here first. */
  #parse: DataListener | undefined;
  /** What the parser is at. */
  #piece: Buffer | undefined;
  #pieces = 0;
  #repetition: Repetition | undefined;
  /** It has asked for something else before that was worth it. */
  #isFickle = false;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  refused(refused: RefusedRequest): void {
    const { request, responder, sameForMs, isDirect } = refused;
    const nowMs = performance.now();
    const isHasty = nowMs < this.#hastyUntilMs;
    // Longer than it is held: what it had sent meanwhile is no sign that it has waited.
    this.#hastyUntilMs = nowMs + 2 * Math.max(sameForMs, leastHoldMs);
    if (!isHasty) return;
    const piece = isDirect && this.#isFickle ? undefined : this.#piece;
    const repetition = piece && repetitionOf(refused, piece, nowMs + sameForMs);
    const pieces = this.#pieces;
    // Not before the answer has left: what is answered here must not overtake it, nor anything that came later.
    responder.onSent(() => {
      const isLast = this.#pieces === pieces && request.complete;
      if (repetition !== undefined && isLast) this.#repetition = repetition;
      else if (this.#parse === undefined) this.#listen();
      // Later still: Node reads what is left of the request, and for that has the connection read on.
      else if (isDirect) setImmediate(() => this.#hold(sameForMs));
    });
  }

  /** A listener of ours makes Node let go of the handle, and pass bytes through its own listener. */
  #listen(): void {
    const [parse, ...others] = this.#socket.listeners('data') as DataListener[];
    if (parse === undefined || others.length > 0 || this.#socket.destroyed) return;
    this.#parse = parse;
    this.#socket.on('data', this.#read).off('data', parse);
  }

  #leave(parse: DataListener): void {
    this.#parse = undefined;
    this.#socket.on('data', parse).off('data', this.#read);
  }

  readonly #read = (chunk: Buffer): void => {
    const nowMs = performance.now();
    const rest = this.#repeat(chunk, nowMs);
    const parse = this.#parse;
    if (rest.length === 0 || parse === undefined) return;
    this.#isFickle = nowMs < (this.#repetition?.untilMs ?? 0);
    this.#repetition = undefined;
    if (nowMs >= this.#hastyUntilMs) this.#leave(parse);
    this.#pieces += 1;
    this.#piece = rest;
    parse.call(this.#socket, rest);
    this.#piece = undefined;
  };

  /** Answers as much as asks the same; gives the rest. */
  #repeat(chunk: Buffer, nowMs: number): Buffer {
    const repetition = this.#repetition;
    if (repetition === undefined || nowMs >= repetition.untilMs) return chunk;
    const { head, size, answer, untilMs, refused } = repetition;
    const socket = this.#socket;
    if (!socket.writable || refused.draining()) return chunk;
    const { observer } = refused.responder;
    let count = 0;
    for (let at = 0; at + size <= chunk.length; at += size) {
      if (head.compare(chunk, at, at + head.length) !== 0) break;
      count += 1;
      observer?.refused(causeOf(refused.refusal));
      observer?.answered(refused.refusal.status);
    }
    if (count === 0) return chunk;
    repetition.left -= count;
    const isTaken = socket.write(answer.repeat(count), 'latin1');
    if (!isTaken) socket.pause().once('drain', () => socket.resume());
    else if (refused.isDirect && repetition.left <= 0) this.#hold(untilMs - nowMs);
    return count * size === chunk.length ? nothing : chunk.subarray(count * size);
  }

  /** Reads nothing for a while: what is sent stays with its sender, and costs nothing here. */
  #hold(ms: number): void {
    const socket = this.#socket;
    if (socket.destroyed || this.#isHeld) return;
    this.#isHeld = true;
    socket.pause();
    const goOn = (): void => {
      this.#isHeld = false;
      socket.off('close', giveUp);
      socket.resume();
    };
    const timer = unref(setTimeout(goOn, Math.max(ms, leastHoldMs)));
    const giveUp = (): void => clearTimeout(timer);
    socket.once('close', giveUp);
  }
}

/** Headers that say more of a request than its bytes show, or have Node do more than answer. */
const unusual = ['transfer-encoding', 'expect', 'upgrade'];

/** What the parser was given, if that was this request, the whole of it and nothing else. */
function repetitionOf(
  refused: RefusedRequest,
  bytes: Buffer,
  untilMs: number,
): Repetition | undefined {
  const { request, responder, refusal } = refused;
  const { method, url, headers, rawHeaders, httpVersion } = request;
  if (method !== 'POST' || httpVersion !== '1.1' || !responder.keepsConnection) return undefined;
  if (unusual.some((name) => headers[name] !== undefined)) return undefined;
  const end = bytes.indexOf('\r\n\r\n');
  const length = end + 4;
  const size = length + Number(headers['content-length'] ?? 0);
  if (end === -1 || size !== bytes.length) return undefined;
  const [first, ...fields] = bytes.toString('latin1', 0, end).split('\r\n');
  if (first !== `POST ${url} HTTP/1.1` || !areFields(fields, rawHeaders)) return undefined;
  // A copy: the piece that it is in may be much larger.
  const head = Buffer.from(bytes.subarray(0, length));
  const answer = responder.textOf(answerOf(refusal));
  if (!isAscii(Buffer.from(answer))) return undefined;
  const left = Math.ceil((mostPerSecond * refused.sameForMs) / 1000);
  return { refused, head, size, answer, untilMs, left };
}

/** Whether these lines are these names and values: then the parser began with the first of them. */
function areFields(lines: readonly string[], raw: readonly string[]): boolean {
  if (lines.length * 2 !== raw.length) return false;
  return lines.every((line, at) => {
    const name = raw[2 * at] ?? '';
    return line.startsWith(`${name}:`) && line.slice(name.length + 1).trim() === raw[2 * at + 1];
  });
}
