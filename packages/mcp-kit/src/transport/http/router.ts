import { Buffer } from 'node:buffer';
import { idleMs, isPromise, type Budget, type Hold, type Holder, type MaybePromise } from '#base';
import { headerOf, rpcErrors, type Headers, type Limits } from '#jsonrpc';
import { Pieces } from '../buffers.ts';
import { isRefusal, type Caller, type Cors, type Guard } from './admit.ts';
import type { Endpoint } from './endpoint.ts';
import {
  badRequest,
  methodNotAllowed,
  noRoomNow,
  refuse,
  tooLarge,
  type HeaderList,
  type Refusal,
  type Responder,
} from './responder.ts';

/** What is answered to GET besides the endpoint. */
export interface Page {
  readonly status: number;
  readonly headers: HeaderList;
  readonly body: string;
}

/** Pages by path, made anew for every visitor; `query` is what the address says after `?`. */
export type Pages = Readonly<
  Record<string, (headers: Headers, query: string) => MaybePromise<Page>>
>;

/** Who takes a body as it comes in. */
export interface BodySink {
  /** Takes a piece; true when `lost` must be called should the rest never come. */
  piece(piece: Buffer): boolean;
  end(): void;
  /** Whoever sends it has left. */
  lost(): void;
  /** The rest cannot be read. */
  broken(): void;
}

/** One HTTP request, whatever runtime it came in through. */
export interface HttpRequest {
  readonly method: string;
  /** Without what is asked there; nothing where the runtime has found the endpoint. */
  readonly path?: string | undefined;
  /** What is asked there. */
  readonly query?: string | undefined;
  readonly headers: Headers;
  /** Names and values as they were sent; none where the runtime does not tell. */
  readonly rawHeaders: readonly string[];
  readonly address: string | undefined;
  /** Reads the body; what is given back stops that, and what still comes is thrown away. */
  read(sink: BodySink): () => void;
  /** Called when the request is refused before its body is read. */
  refused?(): void;
}

export interface RouterOptions {
  readonly endpoint: Endpoint;
  readonly guard: Guard;
  readonly path?: string | undefined;
  readonly cors?: Cors | undefined;
  readonly pages?: Pages | undefined;
  /** The endpoint at any other path. */
  readonly further?: ((path: string) => Endpoint | undefined) | undefined;
}

/** Serves requests of any runtime: asks who may come in, and takes them apart by path and method. */
export function createRouter(
  options: RouterOptions,
): (request: HttpRequest, responder: Responder) => void {
  const { guard, cors, pages = {}, further } = options;
  const notFound = nothingHere(options.path);

  const enter = (
    endpoint: Endpoint | undefined,
    { request, responder }: Visit,
    entered: Caller | Refusal,
  ): void => {
    const { method, headers } = request;
    if (isRefusal(entered)) {
      request.refused?.();
      refuse(responder, entered);
      return;
    }
    if (endpoint?.isFor(entered) !== true) {
      refuse(responder, notFound);
      return;
    }
    const incoming = { headers, caller: entered };
    if (method === 'POST') post(endpoint, { request, caller: entered }, responder);
    else if (method === 'GET') endpoint.get(incoming, responder);
    else if (method === 'DELETE') endpoint.delete(incoming, responder);
    else refuse(responder, methodNotAllowed(`${method} is not supported`));
  };

  const serve = (endpoint: Endpoint | undefined, visit: Visit): void => {
    const entered = options.endpoint.admit(visit.request);
    if (isPromise(entered)) {
      entered
        .then((caller) => enter(endpoint, visit, caller))
        .catch(() => refuse(visit.responder, broken));
    } else {
      enter(endpoint, visit, entered);
    }
  };

  /** There may be something at times, or for some: who is not let in does not learn of what. */
  const isOpen = (path: string | undefined): boolean =>
    further !== undefined && path?.startsWith(`${options.path}/`) === true;

  const endpointAt = (path: string | undefined): Endpoint | undefined =>
    path === undefined || path === options.path ? options.endpoint : further?.(path);

  return (request, responder) => {
    const { method, path, headers, rawHeaders } = request;
    const refusal = guard(headers, rawHeaders);
    // Of pages, too: clients say their revision when they ask for metadata, and browsers ask whether they may.
    const preflight = method === 'OPTIONS' ? cors?.preflight(headers) : undefined;
    const page = path !== undefined && Object.hasOwn(pages, path) ? pages[path] : undefined;
    if (refusal !== undefined) {
      refuse(responder, refusal);
      return;
    }
    if (preflight !== undefined) {
      responder.respond(204, preflight, '');
      return;
    }
    const endpoint = page === undefined ? endpointAt(path) : undefined;
    if (page !== undefined) show(page, request, responder);
    else if (endpoint !== undefined || isOpen(path)) serve(endpoint, { request, responder });
    else refuse(responder, notFound);
  };
}

/** A request, and how it is answered. */
interface Visit {
  readonly request: HttpRequest;
  readonly responder: Responder;
}

const broken: Refusal = {
  status: 500,
  error: { code: rpcErrors.internal, message: 'Internal error' },
};

function nothingHere(path: string | undefined): Refusal {
  const error = { code: rpcErrors.invalidRequest, message: `Nothing here: try ${path}` };
  return { status: 404, error };
}

function show(page: Pages[string], request: HttpRequest, responder: Responder): void {
  const { method, headers, query = '' } = request;
  if (method !== 'GET' && method !== 'HEAD') {
    refuse(responder, { ...methodNotAllowed('Only GET'), headers: ['allow', 'GET, HEAD'] });
    return;
  }
  const respond = (shown: Page): void => responder.respond(shown.status, shown.headers, shown.body);
  const shown = page(headers, query);
  if (isPromise(shown)) shown.then(respond).catch(() => refuse(responder, broken));
  else respond(shown);
}

function post(
  endpoint: Endpoint,
  { request, caller }: { readonly request: HttpRequest; readonly caller: Caller },
  responder: Responder,
): void {
  const { headers } = request;
  const refusal = endpoint.refusePost(headers);
  if (refusal !== undefined) {
    refuse(responder, refusal);
    return;
  }
  const body = new Body(endpoint, headers, (why) => {
    // What still comes is read and thrown away: a client that is writing does not look for an answer.
    stop();
    refuse(responder, why);
  });
  const stop = request.read({
    piece: (piece) => body.add(piece),
    end: () => endpoint.post({ headers, caller }, body.take(), responder),
    lost: () => body.end(),
    broken() {
      body.end();
      refuse(responder, badRequest('The body could not be read'));
    },
  });
}

/** The body of a request as it comes in: no larger than it may be, and counted unless it comes whole at once. */
class Body implements Holder {
  readonly #bounds: { readonly limits: Limits; readonly budget: Budget };
  readonly #announced: number;
  readonly #giveUp: (refusal: Refusal) => void;
  /** The first piece: most of the time all of it. */
  #first: Buffer | undefined;
  /** Where there are several. */
  #pieces: Pieces | undefined;
  #held: Hold | undefined;
  #cameMs = 0;

  /** `giveUp` is called once when no more of it is to be read. */
  constructor(
    bounds: { readonly limits: Limits; readonly budget: Budget },
    headers: Headers,
    giveUp: (refusal: Refusal) => void,
  ) {
    this.#bounds = bounds;
    this.#announced = Number(headerOf(headers, 'content-length') ?? Infinity);
    this.#giveUp = giveUp;
  }

  /** Takes a piece; true when it is counted from now on, until `take` or `end`. */
  add(piece: Buffer): boolean {
    const { limits, budget } = this.#bounds;
    const size = this.#gather(piece);
    if (size > limits.maxBytes) {
      this.#refuse(tooLarge(limits));
      return false;
    }
    const isUncounted = this.#held === undefined;
    if (isUncounted && size === this.#announced) return false;
    if (!budget.admits('bodies', piece.length, this.#held)) {
      this.#refuse(noRoomNow);
      return false;
    }
    this.#cameMs = performance.now();
    this.#held ??= budget.hold('bodies', 0, this);
    this.#held.resize(size);
    return isUncounted;
  }

  /** Gives how much there is now. */
  #gather(piece: Buffer): number {
    if (this.#first === undefined) {
      this.#first = piece;
      return piece.length;
    }
    this.#pieces ??= new Pieces(this.#first);
    this.#pieces.add(piece);
    return this.#pieces.size;
  }

  /** All of it. */
  take(): Buffer {
    this.#held?.resize(0);
    return this.#pieces?.take() ?? this.#first ?? Buffer.alloc(0);
  }

  /** Forgets it. */
  end(): void {
    this.#held?.resize(0);
    this.#first = undefined;
    this.#pieces = undefined;
  }

  letGo(): boolean {
    if (performance.now() - this.#cameMs < idleMs) return false;
    this.#refuse(noRoomNow);
    return true;
  }

  #refuse(refusal: Refusal): void {
    this.end();
    this.#giveUp(refusal);
  }
}
