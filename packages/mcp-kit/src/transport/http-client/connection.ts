import { Buffer } from 'node:buffer';
import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import type { Socket } from 'node:net';
import { chain, isPromise, startTimer, type KitError, type MaybePromise } from '#base';
import { Pieces } from '../buffers.ts';
import { createAgent } from './agent.ts';
import { challengeOf, maxChallenges, type HttpChallenge } from './auth.ts';
import {
  brokenOff,
  connectTimeout,
  noHeaders,
  notAuthorized,
  notSent,
  redirected,
  refusal,
  unreachable,
} from './failures.ts';
import {
  listHeaders,
  mergeHeaders,
  placeHeaders,
  type HeaderRecord,
  type Settings,
} from './options.ts';
import { hostOf, labelOf, portOf } from './place.ts';
import { watchRequest } from './watch.ts';

/** One HTTP request; headers are names and values in turn. */
export interface HttpRequest {
  readonly method: 'POST' | 'GET' | 'DELETE';
  readonly headers: readonly string[];
  readonly body?: string | undefined;
  /** Its socket is opened at once, and the request waits for `send`. */
  readonly held?: boolean | undefined;
}

/** Hears of the response or of the failure, once and never in the turn of the request; of nothing after `abort`. */
export interface ResponseHandler {
  answered(response: IncomingMessage): void;
  failed(error: KitError): void;
}

/** A request under way; aborting it also cuts its response off. */
export interface PendingRequest {
  abort(): void;
  /** Sends what was held back. */
  send(): void;
}

const maxRedirects = 5;
/** How much of a refusal is read. */
export const refusalBytes: number = 64 * 1024;

/** Everything that requests to one address have in common. */
interface Address {
  readonly settings: Settings;
  readonly secure: boolean;
  readonly request: (options: RequestOptions) => ClientRequest;
  /** What every request says: its host, and the caller's own headers. */
  readonly headers: readonly string[] | (() => MaybePromise<readonly string[]>);
  readonly agent: Agent;
  /** Where requests go; moves with permanent redirects. */
  url: URL;
  route: RequestOptions;
}

/** Sends requests to one address, over sockets that are kept alive until it is closed. */
export class HttpConnection {
  readonly #address: Address;

  constructor(url: URL, settings: Settings) {
    const secure = url.protocol === 'https:';
    // Loaded here, because whoever speaks over pipes needs neither.
    const { request } = process.getBuiltinModule(secure ? 'node:https' : 'node:http');
    const agent = settings.agent ?? createAgent(url, settings);
    const headers = headersFor(url, settings);
    this.#address = { settings, secure, request, headers, agent, url, route: routeTo(url) };
  }

  /** The address as it may be shown. */
  get label(): string {
    return labelOf(this.#address.url);
  }

  send(request: HttpRequest, handler: ResponseHandler): PendingRequest {
    return new Attempt(this.#address, request, handler);
  }

  close(): void {
    const { agent, settings } = this.#address;
    if (settings.agent === undefined) agent.destroy();
  }
}

function headersFor(url: URL, { headers }: Settings): Address['headers'] {
  const usual = placeHeaders(url);
  if (typeof headers !== 'function') return mergeHeaders(usual, headers);
  return () => chain(headers(), (given) => mergeHeaders(usual, given));
}

function routeTo(url: URL): RequestOptions {
  const { protocol, port, pathname, search } = url;
  return { protocol, host: hostOf(url), port, path: pathname + search };
}

/** One request, with the redirects and the authorization it takes. */
class Attempt implements PendingRequest {
  readonly #address: Address;
  readonly #sent: HttpRequest;
  readonly #handler: ResponseHandler;
  #url: URL;
  #redirects = 0;
  /** Every redirect so far was for good. */
  #permanent = true;
  #request: ClientRequest | undefined;
  /** What authorized it, or did not. */
  #credentials: HeaderRecord = {};
  #challenges = 0;
  /** There is a connection, so something may have been sent. */
  #connected = false;
  #over = false;
  /** It waits for `send`. */
  #held: boolean;

  constructor(address: Address, request: HttpRequest, handler: ResponseHandler) {
    this.#address = address;
    this.#sent = request;
    this.#held = request.held === true;
    this.#handler = handler;
    this.#url = address.url;
    this.#begin(address.route);
  }

  abort(): void {
    this.#over = true;
    this.#request?.destroy();
  }

  send(): void {
    this.#held = false;
    if (!this.#over) this.#request?.end(this.#sent.body);
  }

  #begin(route: RequestOptions): void {
    try {
      const begun = chain(this.#headers(), (headers) => this.#send(route, headers));
      if (isPromise(begun)) begun.catch((error: unknown) => this.#fail(noHeaders(error)));
    } catch (error) {
      // Whoever sends it has nothing in hand yet to hear about it.
      process.nextTick(() => this.#fail(noHeaders(error)));
    }
  }

  /** What the request says beside what it is about; credentials come last, and win. */
  #headers(): MaybePromise<readonly string[]> {
    const { headers, settings } = this.#address;
    const { auth } = settings;
    const common = typeof headers === 'function' ? headers() : headers;
    if (auth === undefined) return common;
    const request = { method: this.#sent.method, url: this.#url.href };
    return chain(common, (list) =>
      chain(auth.headers(request), (credentials) => {
        this.#credentials = credentials;
        return mergeHeaders(list, listHeaders(credentials));
      }),
    );
  }

  #send(route: RequestOptions, common: readonly string[]): void {
    if (this.#over) return;
    const { agent, request: open, settings } = this.#address;
    const { method, headers: own, body } = this.#sent;
    const headers = common.concat(own);
    if (body !== undefined) headers.push('content-length', String(Buffer.byteLength(body)));
    let request: ClientRequest;
    try {
      request = open({ method, headers, agent, ...route });
    } catch (error) {
      process.nextTick(() => this.#fail(notSent(labelOf(this.#url), error)));
      return;
    }
    this.#request = request;
    const { onHttp, logger } = settings;
    if (onHttp !== undefined) watchRequest(request, this.#url, { onHttp, logger });
    request.on('response', (response) => this.#answered(response));
    request.on('error', (error) => {
      if (request === this.#request) this.#failed(error);
    });
    if (request.reusedSocket) this.#connected = true;
    else request.once('socket', (socket) => this.#watch(request, socket));
    if (!this.#held) request.end(body);
  }

  /** Waits for a new socket to connect, but not for ever. */
  #watch(request: ClientRequest, socket: Socket): void {
    const { secure, settings } = this.#address;
    if (!isOpening(socket)) {
      this.#connected = !socket.destroyed;
      return;
    }
    const { connectTimeoutMs } = settings;
    const timer = startTimer(() => {
      request.destroy(connectTimeout(labelOf(this.#url), connectTimeoutMs));
    }, connectTimeoutMs);
    socket.once(secure ? 'secureConnect' : 'connect', () => {
      this.#connected = true;
      clearTimeout(timer);
    });
    request.once('close', () => clearTimeout(timer));
  }

  #failed(error: Error): void {
    const place = labelOf(this.#url);
    if (this.#connected) closeIdle(this.#address.agent, this.#url);
    this.#fail(this.#connected ? brokenOff(place, error) : unreachable(place, error));
  }

  #fail(error: KitError): void {
    if (this.#over) return;
    this.#over = true;
    this.#handler.failed(error);
  }

  #answered(response: IncomingMessage): void {
    if (this.#over) return;
    const { statusCode: status = 0 } = response;
    const location = isRedirect(status) ? response.headers.location : undefined;
    if (location !== undefined) {
      this.#redirect(status, location);
      return;
    }
    const challenge = this.#challengeOf(response);
    if (challenge !== undefined) {
      this.#challenges += 1;
      readBody(response, refusalBytes, (_, bytes) => {
        void this.#authorize(challenge, refusal(response, bytes.toString()));
      });
      return;
    }
    this.#over = true;
    // Heard before the handler hears it, and may send again.
    response.once('close', () => {
      if (!response.complete) closeIdle(this.#address.agent, this.#url);
    });
    this.#handler.answered(response);
  }

  #challengeOf(response: IncomingMessage): HttpChallenge | undefined {
    const { auth } = this.#address.settings;
    if (auth === undefined || this.#challenges >= maxChallenges) return undefined;
    const request = { method: this.#sent.method, url: this.#url.href };
    return challengeOf(response, request, this.#credentials);
  }

  /** Answers a challenge; the request itself was not served yet. */
  async #authorize(challenge: HttpChallenge, refused: KitError): Promise<void> {
    if (this.#over) return;
    const { auth } = this.#address.settings;
    try {
      const next = await auth?.challenged(challenge);
      if (this.#over) return;
      if (next === 'retry') this.#begin(routeTo(this.#url));
      else this.#fail(refused);
    } catch (error) {
      this.#fail(notAuthorized(error));
    }
  }

  #redirect(status: number, location: string): void {
    const url = URL.canParse(location, this.#url.href) ? new URL(location, this.#url) : undefined;
    // Its body says nothing we need, and may never end.
    this.#request?.destroy();
    this.#request = undefined;
    this.#redirects += 1;
    if (url === undefined || url.origin !== this.#url.origin) {
      const target = url === undefined ? location : labelOf(url);
      const hint = `Nothing was sent there. If that is the server you mean, use its address: ${target}`;
      this.#fail(redirected(status, `a redirect to another origin, ${target}`, hint));
    } else if (this.#redirects > maxRedirects) {
      const hint = `The last one led to ${labelOf(url)}.`;
      this.#fail(redirected(status, `more than ${maxRedirects} redirects`, hint));
    } else {
      this.#url = url;
      const route = routeTo(url);
      this.#permanent &&= status === 301 || status === 308;
      if (this.#permanent) Object.assign(this.#address, { url, route });
      this.#connected = false;
      this.#begin(route);
    }
  }
}

/**
 * Closes the sockets that wait for a request. Those to one server break off together: where one did, the next request would
 * be lost on another that is as dead, although nobody has noticed yet.
 */
function closeIdle(agent: Agent, url: URL): void {
  const place = `${hostOf(url)}:${portOf(url)}:`;
  for (const [name, sockets = []] of Object.entries(agent.freeSockets)) {
    if (name.startsWith(place)) for (const socket of sockets) socket.destroy();
  }
}

/** Those that keep the method and the body, and those that everybody follows as if they did. */
function isRedirect(status: number): boolean {
  return status === 301 || status === 302 || status === 307 || status === 308;
}

function isOpening(socket: Socket): boolean {
  return socket.connecting || Reflect.get(socket, 'secureConnecting') === true;
}

/** How reading a body ended: with everything, because the connection broke, or because it was too much. */
export type BodyEnd = 'complete' | 'cut' | 'oversized';

/** Reads a body as one piece; `done` is called once, with what there is of it. */
export function readBody(
  response: IncomingMessage,
  maxBytes: number,
  done: (end: BodyEnd, bytes: Buffer) => void,
): void {
  const body = new Pieces();
  let over = false;
  const finish = (end: BodyEnd): void => {
    if (over) return;
    over = true;
    done(end, body.take());
  };
  response.on('data', (chunk: Buffer) => {
    if (over) return;
    body.add(chunk);
    if (body.size <= maxBytes) return;
    finish('oversized');
    response.destroy();
  });
  response.on('end', () => finish('complete'));
  response.on('close', () => finish('cut'));
}

/** The media type alone, in lower case. */
export function mediaType(response: IncomingMessage): string {
  const value = response.headers['content-type'] ?? '';
  if (value === 'application/json') return value;
  return (value.split(';', 1)[0] ?? '').trim().toLowerCase();
}
