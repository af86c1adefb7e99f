import type { Buffer } from 'node:buffer';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { idleMs, Unread, type Budget, type Holder } from '#base';
import { sizeOf, type Headers, type Parts } from '#jsonrpc';
import { withAllCredentials, type Forwarding } from './admit.ts';
import type { HeaderList, Observer, Responder, ResponseStream } from './responder.ts';
import { createRouter, type BodySink, type HttpRequest, type RouterOptions } from './router.ts';

export interface ListenerOptions extends RouterOptions {
  readonly forwarding?: Forwarding | undefined;
  readonly observer?: Observer | undefined;
  readonly draining?: Draining | undefined;
}

/** Shared by a listener with whoever drains its server. */
export interface Draining {
  /** Connections end with their answer. */
  begun: boolean;
  lastRequestMs: number;
}

/** A connection that was refused so often ends with the answer: whoever does not wait has to connect again. */
const maxRefusals = 10;

/** Serves requests of a `node:http` server that somebody else created. */
export function createListener(options: ListenerOptions): RequestListener {
  const { endpoint, cors, forwarding, observer, draining } = options;
  const accounts = { observer, budget: endpoint.budget };
  const refusals = new WeakMap<Socket, number>();
  const route = createRouter(options);

  const refused = (response: ServerResponse, { socket }: IncomingMessage): void => {
    const count = (refusals.get(socket) ?? 0) + 1;
    refusals.set(socket, count);
    if (count >= maxRefusals) response.shouldKeepAlive = false;
  };

  return (request, response) => {
    const { headers } = request;
    if (draining?.begun) {
      draining.lastRequestMs = performance.now();
      response.shouldKeepAlive = false;
    }
    const more = headers.origin === undefined ? undefined : cors?.headersFor(headers);
    const incoming = new NodeRequest(request, forwarding, () => refused(response, request));
    route(incoming, new NodeResponder(response, more, accounts));
  };
}

/** A request of `node:http`. */
class NodeRequest implements HttpRequest {
  readonly headers: Headers;
  readonly refused: () => void;
  readonly #request: IncomingMessage;
  readonly #forwarding: Forwarding | undefined;

  constructor(request: IncomingMessage, forwarding: Forwarding | undefined, refused: () => void) {
    this.#request = request;
    this.#forwarding = forwarding;
    this.headers = withAllCredentials(request.headers, request.rawHeaders);
    this.refused = refused;
  }

  /** Not before somebody asks: from then on Node keeps what the system says. */
  get address(): string | undefined {
    const { remoteAddress } = this.#request.socket;
    return this.#forwarding?.(remoteAddress, this.headers) ?? remoteAddress;
  }

  get method(): string {
    return this.#request.method ?? '';
  }

  get path(): string {
    const { url = '' } = this.#request;
    const query = url.indexOf('?');
    return query === -1 ? url : url.slice(0, query);
  }

  get query(): string {
    const { url = '' } = this.#request;
    const query = url.indexOf('?');
    return query === -1 ? '' : url.slice(query + 1);
  }

  get rawHeaders(): readonly string[] {
    return this.#request.rawHeaders;
  }

  read({ piece, end, lost }: BodySink): () => void {
    const request = this.#request;
    const collect = (chunk: Buffer): void => {
      const isCounted = piece(chunk);
      if (isCounted) request.on('close', lost);
    };
    const stop = (): void => void request.off('data', collect).off('end', complete);
    const complete = (): void => {
      // Node keeps the request for as long as its answer takes, which may be hours.
      stop();
      request.off('close', lost);
      end();
    };
    request.on('data', collect).on('end', complete);
    return stop;
  }
}

/** A body the kernel may not take at once, and how long its reader may then take nothing. */
const maxUnwatched = 64 * 1024;
const stallMs = 60_000;

/** Where answers are counted. */
interface Accounts {
  readonly observer: Observer | undefined;
  readonly budget: Budget;
}

/** Answers through `node:http`, with as few layers in between as possible. */
class NodeResponder implements Responder, ResponseStream {
  readonly #response: ServerResponse;
  readonly #more: HeaderList | undefined;
  readonly #accounts: Accounts;

  /** `more` are headers that every answer to this request carries. */
  constructor(response: ServerResponse, more: HeaderList | undefined, accounts: Accounts) {
    this.#response = response;
    this.#more = more;
    this.#accounts = accounts;
  }

  get observer(): Observer | undefined {
    return this.#accounts.observer;
  }

  respond(status: number, headers: HeaderList, body: string | Parts): void {
    const response = this.#response;
    if (response.headersSent || response.destroyed) return;
    const length = sizeOf(body);
    const head = this.#head(headers);
    if (status !== 204) head.push('content-length', String(length));
    this.observer?.answered(status);
    response.writeHead(status, head);
    if (typeof body === 'string') {
      response.end(body);
    } else {
      const [begin, bytes, end] = body;
      // One write to the kernel, and no copy on the way: the socket is corked until this turn ends.
      response.write(begin);
      response.write(bytes);
      response.end(end);
    }
    if (length > maxUnwatched) this.cutAfterStall(stallMs);
    if (this.waiting > 0) this.#countUnread();
  }

  /** The system has not taken all of the answer: it waits here until its reader does. */
  #countUnread(): void {
    const unread = new Unread(this.#accounts.budget, this);
    unread.look();
    this.#response.once('close', () => unread.end());
  }

  openStream(headers: HeaderList): ResponseStream {
    const response = this.#response;
    if (!response.headersSent && !response.destroyed) {
      this.observer?.answered(200);
      response.writeHead(200, this.#head(headers));
      response.flushHeaders();
    }
    return this;
  }

  #head(headers: HeaderList): string[] {
    return this.#more === undefined ? [...headers] : [...headers, ...this.#more];
  }

  get gone(): boolean {
    return this.#response.destroyed;
  }

  onGone(listener: () => void): void {
    const response = this.#response;
    if (response.destroyed) {
      listener();
      return;
    }
    response.on('close', () => {
      if (!response.writableFinished) listener();
    });
  }

  write(text: string): void {
    if (!this.#response.destroyed) this.#response.write(text);
  }

  get waiting(): number {
    return this.#response.writableLength;
  }

  onDrain(listener: () => void): void {
    this.#response.on('drain', listener);
  }

  onClose(listener: () => void): void {
    if (this.#response.destroyed) listener();
    else this.#response.on('close', listener);
  }

  end(): void {
    if (!this.#response.destroyed) this.#response.end();
  }

  cutAfterStall(ms: number | undefined): void {
    // Node takes progress of a write into account, and destroys a socket whose timeout nobody handles.
    if (!this.#response.destroyed) this.#response.setTimeout(ms ?? 0);
  }

  cut(): void {
    this.#response.destroy();
  }
}

/** About what Node keeps for a connection on which nothing happens, and for one with TLS. */
const plainBytes = 16 * 1024;
const secureBytes = 64 * 1024;

/** Counts the connections of a server; when there is no room for one more, the oldest is closed on which nothing happens. */
export function countConnections(server: Server, budget: Budget, isSecure: boolean): void {
  const bytes = isSecure ? secureBytes : plainBytes;
  const connections = new WeakMap<Socket, Connection>();
  /** With TLS there is a second socket, and only who is at its other end tells that it is of the first. */
  const handshakes = new Map<string, Connection>();

  server.on('connection', (socket: Socket) => {
    if (!budget.admits('connections', bytes)) {
      socket.destroy();
      return;
    }
    const peer = isSecure ? peerOf(socket) : undefined;
    // A unix socket is for this user only, and its other end has no name.
    if (isSecure && peer === undefined) return;
    const connection = new Connection(socket, budget, bytes);
    if (peer === undefined) {
      connections.set(socket, connection);
      return;
    }
    handshakes.set(peer, connection);
    socket.on('close', () => {
      if (handshakes.get(peer) === connection) handshakes.delete(peer);
    });
  });
  server.on('secureConnection', (socket: Socket) => {
    const connection = handshakes.get(peerOf(socket) ?? '');
    if (connection === undefined) return;
    connection.socket = socket;
    connections.set(socket, connection);
  });
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    connections.get(socket)?.begin(response);
  });
}

/** One connection, which can be closed while no request is under way. */
class Connection implements Holder {
  socket: Socket;
  #underWay = 0;
  #usedMs = performance.now();
  readonly #end: () => void;

  constructor(socket: Socket, budget: Budget, bytes: number) {
    this.socket = socket;
    const held = budget.hold('connections', bytes, this);
    socket.on('close', () => held.resize(0));
    this.#end = () => {
      this.#underWay -= 1;
      this.#usedMs = performance.now();
    };
  }

  begin(response: ServerResponse): void {
    this.#underWay += 1;
    response.on('close', this.#end);
  }

  letGo(): boolean {
    if (this.#underWay > 0 || performance.now() - this.#usedMs < idleMs) return false;
    this.socket.destroy();
    return true;
  }
}

function peerOf({ remoteAddress, remotePort }: Socket): string | undefined {
  return remotePort === undefined ? undefined : `${remoteAddress} ${remotePort}`;
}
