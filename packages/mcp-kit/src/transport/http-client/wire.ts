import { Buffer } from 'node:buffer';
import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import type { Socket } from 'node:net';
import { isPromise, KitError, startTimer, type MaybePromise } from '#base';
import { challengeOf, maxChallenges, type HttpChallenge } from './auth.ts';
import { readBody } from './body.ts';
import { brokenOff, connectTimeout, redirected, refusal, unreachable } from './failures.ts';
import {
  labelOf,
  listHeaders,
  mergeHeaders,
  placeHeaders,
  type HeaderRecord,
  type Settings,
} from './options.ts';

/** One HTTP request; headers are names and values in turn. */
export interface Ask {
  readonly method: 'POST' | 'GET' | 'DELETE';
  readonly headers: readonly string[];
  readonly body?: string;
  /** Has its connection opened, and then waits for `send`. */
  readonly held?: true;
}

/** Who asks: hears of the answer or of the failure, once and never at once, and of nothing after `abort`. */
export interface Asker {
  answered(response: IncomingMessage): void;
  failed(error: KitError): void;
}

/** A request under way; aborting it also cuts its answer off. */
export interface Asking {
  abort(): void;
  /** Sends what was held back. */
  send(): void;
}

const maxHops = 5;
/** How much of a refusal is read. */
const refusalBytes = 64 * 1024;
/** Connections that nobody uses are given up after this, or a second before the server says that it does so. */
const idleMs = 60_000;
/** When the system asks a silent peer whether it is still there. */
const probeAfterMs = 30_000;

/** The way to one address. */
interface Line {
  readonly settings: Settings;
  readonly secure: boolean;
  readonly request: (options: RequestOptions) => ClientRequest;
  /** What every request says: the place and the caller's own headers. */
  readonly headers: () => MaybePromise<readonly string[]>;
  readonly agent: Agent;
  /** Where requests go; moves with permanent redirects. */
  url: URL;
  route: RequestOptions;
}

/** Sends requests to one address, over connections that are kept alive until it is destroyed. */
export class Wire {
  readonly #line: Line;

  constructor(url: URL, settings: Settings) {
    const secure = url.protocol === 'https:';
    // Loaded here, because whoever speaks over pipes needs neither.
    const { Agent, request } = secure
      ? process.getBuiltinModule('node:https')
      : process.getBuiltinModule('node:http');
    const agent =
      settings.agent ??
      new Agent({ keepAlive: true, keepAliveInitialDelay: probeAfterMs, timeout: idleMs });
    const headers = headerSource(url, settings);
    this.#line = { settings, secure, request, headers, agent, url, route: routeTo(url) };
  }

  /** The address as it may be shown. */
  get label(): string {
    return labelOf(this.#line.url);
  }

  ask(ask: Ask, asker: Asker): Asking {
    return new Attempt(this.#line, ask, asker);
  }

  destroy(): void {
    const { agent, settings } = this.#line;
    if (settings.agent === undefined) agent.destroy();
  }
}

function headerSource(url: URL, settings: Settings): () => MaybePromise<readonly string[]> {
  const usual = placeHeaders(url);
  let given: readonly string[] | undefined;
  let merged: readonly string[] = usual;
  const merge = (list: readonly string[]): readonly string[] => {
    if (list.length === 0) return usual;
    if (list !== given) merged = mergeHeaders(usual, list);
    given = list;
    return merged;
  };
  return () => {
    const list = settings.headers();
    return isPromise(list) ? list.then(merge) : merge(list);
  };
}

function routeTo(url: URL): RequestOptions {
  const { protocol, hostname, port, pathname, search } = url;
  const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return { protocol, host, port, path: pathname + search };
}

/** One request, with the redirects it takes. */
class Attempt implements Asking {
  readonly #line: Line;
  readonly #ask: Ask;
  readonly #asker: Asker;
  #url: URL;
  #hops = 0;
  /** Every redirect so far was for good. */
  #permanent = true;
  #request: ClientRequest | undefined;
  /** What got it in, or did not. */
  #sent: HeaderRecord = {};
  #challenges = 0;
  /** There is a connection, so something may have been sent. */
  #connected = false;
  #over = false;
  /** It waits for `send`. */
  #held: boolean;

  constructor(line: Line, ask: Ask, asker: Asker) {
    this.#line = line;
    this.#ask = ask;
    this.#held = ask.held === true;
    this.#asker = asker;
    this.#url = line.url;
    this.#begin(line.route);
  }

  abort(): void {
    this.#over = true;
    this.#request?.destroy();
  }

  send(): void {
    this.#held = false;
    if (!this.#over) this.#request?.end(this.#ask.body);
  }

  #begin(route: RequestOptions): void {
    try {
      const headers = this.#headers();
      if (!isPromise(headers)) {
        this.#send(route, headers);
        return;
      }
      headers.then(
        (list) => {
          if (!this.#over) this.#send(route, list);
        },
        (error: unknown) => this.#fail(noHeaders(error)),
      );
    } catch (error) {
      // Whoever asks has nothing in hand yet to hear about it.
      process.nextTick(() => this.#fail(noHeaders(error)));
    }
  }

  /** What the request says beside what it is about; whoever authorizes it has the last word. */
  #headers(): MaybePromise<readonly string[]> {
    const { auth } = this.#line.settings;
    const common = this.#line.headers();
    if (auth === undefined) return common;
    const given = auth.headers({ method: this.#ask.method, url: this.#url.href });
    if (!isPromise(common) && !isPromise(given)) return this.#join(common, given);
    return Promise.all([common, given]).then(([list, sent]) => this.#join(list, sent));
  }

  #join(common: readonly string[], sent: HeaderRecord): readonly string[] {
    this.#sent = sent;
    return mergeHeaders(common, listHeaders(sent));
  }

  #send(route: RequestOptions, common: readonly string[]): void {
    const line = this.#line;
    const ask = this.#ask;
    const headers = common.concat(ask.headers);
    if (ask.body !== undefined) {
      headers.push('content-length', String(Buffer.byteLength(ask.body)));
    }
    let request: ClientRequest;
    try {
      request = line.request({ method: ask.method, headers, agent: line.agent, ...route });
    } catch (error) {
      process.nextTick(() => this.#fail(notSent(labelOf(this.#url), error)));
      return;
    }
    this.#request = request;
    request.on('response', (response) => this.#answered(response));
    request.on('error', (error) => {
      if (request === this.#request) this.#failed(error);
    });
    if (request.reusedSocket) this.#connected = true;
    else request.once('socket', (socket) => this.#watch(request, socket));
    if (!this.#held) request.end(ask.body);
  }

  /** Waits for a new connection, but not for ever. */
  #watch(request: ClientRequest, socket: Socket): void {
    const { secure, settings } = this.#line;
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
    if (this.#connected) closeIdle(this.#line.agent, this.#url);
    this.#fail(this.#connected ? brokenOff(place, error) : unreachable(place, error));
  }

  #fail(error: KitError): void {
    if (this.#over) return;
    this.#over = true;
    this.#asker.failed(error);
  }

  #answered(response: IncomingMessage): void {
    if (this.#over) return;
    const { statusCode: status = 0 } = response;
    const location = isRedirect(status) ? response.headers.location : undefined;
    if (location !== undefined) {
      this.#redirect(response, location);
      return;
    }
    const { settings } = this.#line;
    if (settings.auth !== undefined && this.#challenges < maxChallenges) {
      const request = { method: this.#ask.method, url: this.#url.href };
      const challenge = challengeOf(response, request, this.#sent);
      if (challenge !== undefined) {
        this.#challenges += 1;
        readBody(response, refusalBytes, (_, bytes) => {
          void this.#contest(challenge, refusal(response, bytes.toString()));
        });
        return;
      }
    }
    this.#over = true;
    // Heard before the asker hears it, and may ask again.
    response.once('close', () => {
      if (!response.complete) closeIdle(this.#line.agent, this.#url);
    });
    this.#asker.answered(response);
  }

  /** Tries to be let in; the request itself was not served yet. */
  async #contest(challenge: HttpChallenge, refused: KitError): Promise<void> {
    if (this.#over) return;
    const { auth } = this.#line.settings;
    try {
      const verdict = await auth?.challenged(challenge);
      if (this.#over) return;
      if (verdict === 'retry') this.#begin(routeTo(this.#url));
      else this.#fail(refused);
    } catch (error) {
      this.#fail(notLetIn(error));
    }
  }

  #redirect(response: IncomingMessage, location: string): void {
    const { statusCode: status = 0 } = response;
    const url = URL.canParse(location, this.#url.href) ? new URL(location, this.#url) : undefined;
    // Its body says nothing we need, and may never end.
    this.#request?.destroy();
    this.#request = undefined;
    if (url === undefined || url.origin !== this.#url.origin) {
      const target = url === undefined ? location : labelOf(url);
      const hint = `Nothing was sent there. If that is the server you mean, use its address: ${target}`;
      this.#fail(redirected(status, `a redirect to another origin, ${target}`, hint));
    } else if (++this.#hops > maxHops) {
      const hint = `The last one led to ${labelOf(url)}.`;
      this.#fail(redirected(status, `more than ${maxHops} redirects`, hint));
    } else {
      this.#url = url;
      const route = routeTo(url);
      this.#permanent &&= status === 301 || status === 308;
      if (this.#permanent) Object.assign(this.#line, { url, route });
      this.#connected = false;
      this.#begin(route);
    }
  }
}

/**
 * Closes the connections that wait for a request. Those to one server break off together: where one did, the next request would
 * be lost on another that is as dead, although nobody has noticed yet.
 */
function closeIdle(agent: Agent, url: URL): void {
  const { host, port } = routeTo(url);
  const place = `${host}:${port || (url.protocol === 'https:' ? 443 : 80)}:`;
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

/** The request could not even be made: its headers are wrong, or the caller's agent has an objection. */
function notSent(place: string, cause: unknown): KitError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const isOurs = cause instanceof Error && /^ERR_(?:HTTP|INVALID|UNESCAPED)/.test(code);
  if (!isOurs) return unreachable(place, cause);
  const message = `no request to ${place} can be made: ${cause.message}`;
  return new KitError('invalid_argument', message, { cause, details: { ran: false } });
}

/** Why nothing could be done about a refusal. */
function notLetIn(cause: unknown): KitError {
  if (cause instanceof KitError) return cause;
  const message = 'what should get the request let in failed';
  return new KitError('unauthorized', message, { cause, details: { ran: false } });
}

/** What the caller's own function did wrong, when it did not say so itself. */
function noHeaders(cause: unknown): KitError {
  if (cause instanceof KitError) return cause;
  return new KitError('invalid_argument', 'the function that gives the headers failed', {
    hint: 'Its cause says why; nothing was sent.',
    cause,
    details: { ran: false },
  });
}
