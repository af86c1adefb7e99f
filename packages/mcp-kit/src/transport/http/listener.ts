import type { Buffer } from 'node:buffer';
import type { IncomingMessage, RequestListener } from 'node:http';
import { isPromise } from '#base';
import { rpcErrors } from '#jsonrpc';
import { Body } from './body.ts';
import type { Cors } from './cors.ts';
import type { Endpoint } from './endpoint.ts';
import type { Forwarding } from './forwarding.ts';
import { isRefusal, type Caller } from './admit.ts';
import type { Guard } from './guard.ts';
import { NodeResponder } from './node-responder.ts';
import { methodNotAllowed } from './refusals.ts';
import { expectMore } from './refused-connection.ts';
import { withAllCredentials } from './repeated.ts';
import {
  refuse,
  type HeaderList,
  type Headers,
  type Observer,
  type Refusal,
  type Responder,
} from './responder.ts';

/** What is answered to GET besides the endpoint. */
export interface Page {
  readonly status: number;
  readonly headers: HeaderList;
  readonly body: string;
}

/** Pages by path, made anew for every visitor. */
export type Pages = Readonly<Record<string, (headers: Headers) => Page>>;

export interface ListenerOptions {
  readonly endpoint: Endpoint;
  readonly guard: Guard;
  readonly path: string;
  readonly cors?: Cors | undefined;
  readonly forwarding?: Forwarding | undefined;
  readonly pages?: Pages | undefined;
  readonly observer?: Observer | undefined;
  /** Called at every request; while it says yes, connections end with their answer. */
  readonly draining?: (() => boolean) | undefined;
}

/** Serves requests of a `node:http` server that somebody else created. */
export function createListener(options: ListenerOptions): RequestListener {
  const { endpoint, guard, path, cors, forwarding, pages, observer } = options;
  const { draining = () => false } = options;
  const accounts = { observer, budget: endpoint.budget };

  /** Whether nobody is believed who says that it comes from elsewhere: a proxy carries others, too. */
  const isDirect = ({ headers, socket: { remoteAddress } }: IncomingMessage): boolean =>
    forwarding?.(remoteAddress, headers) === forwarding?.(remoteAddress, {});

  const route = (
    request: IncomingMessage,
    responder: NodeResponder,
    entered: Caller | Refusal,
  ): void => {
    const { method, headers } = request;
    if (isRefusal(entered)) {
      refuse(responder, entered);
      const { sameForMs } = entered;
      if (sameForMs === undefined) return;
      const more = { refusal: entered, sameForMs, isDirect: isDirect(request), draining };
      expectMore({ request, responder, ...more });
      return;
    }
    const incoming = { headers, caller: entered };
    if (method === 'POST') post(endpoint, { request, caller: entered }, responder);
    else if (method === 'GET') endpoint.get(incoming, responder);
    else if (method === 'DELETE') endpoint.delete(incoming, responder);
    else refuse(responder, methodNotAllowed(`${method} is not supported`));
  };

  const serve = (request: IncomingMessage, responder: NodeResponder): void => {
    const { remoteAddress } = request.socket;
    const headers = withAllCredentials(request.headers, request.rawHeaders);
    const address = forwarding === undefined ? remoteAddress : forwarding(remoteAddress, headers);
    const entered = endpoint.admit({ headers, address });
    if (isPromise(entered)) {
      entered
        .then((caller) => route(request, responder, caller))
        .catch(() => refuse(responder, broken));
    } else {
      route(request, responder, entered);
    }
  };

  return (request, response) => {
    const { headers, rawHeaders, url = '' } = request;
    if (draining()) response.shouldKeepAlive = false;
    const more = headers.origin === undefined ? undefined : cors?.headersFor(headers);
    const responder = new NodeResponder(response, more, accounts);
    const refusal = guard(headers, rawHeaders);
    // Of pages, too: clients say their revision when they ask for metadata, and browsers ask whether they may.
    const preflight = request.method === 'OPTIONS' ? cors?.preflight(headers) : undefined;
    if (refusal !== undefined) refuse(responder, refusal);
    else if (preflight !== undefined) responder.respond(204, preflight, '');
    else if (url === path || pathOf(url) === path) serve(request, responder);
    else if (!showPage(pages, request, responder)) {
      const error = { code: rpcErrors.invalidRequest, message: `Nothing here: try ${path}` };
      refuse(responder, { status: 404, error });
    }
  };
}

const broken: Refusal = {
  status: 500,
  error: { code: rpcErrors.internal, message: 'Internal error' },
};

function showPage(pages: Pages = {}, request: IncomingMessage, responder: Responder): boolean {
  const path = pathOf(request.url ?? '');
  const page = Object.hasOwn(pages, path) ? pages[path] : undefined;
  if (page === undefined) return false;
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    refuse(responder, { ...methodNotAllowed('Only GET'), headers: ['allow', 'GET, HEAD'] });
  } else {
    const { status, headers, body } = page(request.headers);
    responder.respond(status, headers, body);
  }
  return true;
}

/** The path of a request's target, without what it asks there. */
function pathOf(url: string): string {
  const query = url.indexOf('?');
  return query === -1 ? url : url.slice(0, query);
}

function post(
  endpoint: Endpoint,
  { request, caller }: { readonly request: IncomingMessage; readonly caller: Caller },
  responder: NodeResponder,
): void {
  const { headers } = request;
  const refusal = endpoint.refusePost(headers);
  if (refusal !== undefined) {
    refuse(responder, refusal);
    return;
  }
  const body = new Body(endpoint, headers, (why) => {
    // What still comes is read and thrown away: a client that is writing does not look for an answer.
    request.off('data', collect).off('end', serve);
    refuse(responder, why);
  });
  const collect = (chunk: Buffer): void => {
    const isCounted = body.add(chunk);
    if (isCounted) request.once('close', () => body.end());
  };
  const serve = (): void => endpoint.post({ headers, caller }, body.take(), responder);
  request.on('data', collect).on('end', serve);
}
