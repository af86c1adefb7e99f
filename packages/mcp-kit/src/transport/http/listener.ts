import type { Buffer } from 'node:buffer';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Forwarding } from './forwarding.ts';
import { NodeResponder } from './node-responder.ts';
import { withAllCredentials } from './repeated.ts';
import type { Headers, Observer } from './responder.ts';
import { createRouter, type BodySink, type HttpRequest, type RouterOptions } from './router.ts';

export interface ListenerOptions extends RouterOptions {
  readonly forwarding?: Forwarding | undefined;
  readonly observer?: Observer | undefined;
  /** Called at every request; while it says yes, connections end with their answer. */
  readonly draining?: (() => boolean) | undefined;
}

/** A connection that was refused so often ends with the answer: whoever does not wait has to connect again. */
const maxRefusals = 10;

/** Serves requests of a `node:http` server that somebody else created. */
export function createListener(options: ListenerOptions): RequestListener {
  const { endpoint, cors, forwarding, observer, draining = () => false } = options;
  const accounts = { observer, budget: endpoint.budget };
  const refusals = new WeakMap<Socket, number>();
  const route = createRouter(options);

  const refused = (response: ServerResponse, { socket }: IncomingMessage): void => {
    const count = (refusals.get(socket) ?? 0) + 1;
    refusals.set(socket, count);
    if (count >= maxRefusals) response.shouldKeepAlive = false;
  };

  return (request, response) => {
    const { headers, socket } = request;
    if (draining()) response.shouldKeepAlive = false;
    const more = headers.origin === undefined ? undefined : cors?.headersFor(headers);
    const address = forwarding?.(socket.remoteAddress, headers) ?? socket.remoteAddress;
    const incoming = new NodeRequest(request, address, () => refused(response, request));
    route(incoming, new NodeResponder(response, more, accounts));
  };
}

/** A request of `node:http`. */
class NodeRequest implements HttpRequest {
  readonly address: string | undefined;
  readonly headers: Headers;
  readonly refused: () => void;
  readonly #request: IncomingMessage;

  constructor(request: IncomingMessage, address: string | undefined, refused: () => void) {
    this.#request = request;
    this.address = address;
    this.headers = withAllCredentials(request.headers, request.rawHeaders);
    this.refused = refused;
  }

  get method(): string {
    return this.#request.method ?? '';
  }

  get path(): string {
    const { url = '' } = this.#request;
    const query = url.indexOf('?');
    return query === -1 ? url : url.slice(0, query);
  }

  get rawHeaders(): readonly string[] {
    return this.#request.rawHeaders;
  }

  read({ piece, end, lost }: BodySink): () => void {
    const request = this.#request;
    const collect = (chunk: Buffer): void => {
      const isCounted = piece(chunk);
      if (isCounted) request.once('close', lost);
    };
    request.on('data', collect).on('end', end);
    return () => void request.off('data', collect).off('end', end);
  }
}
