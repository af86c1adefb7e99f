import { handshake } from './handshake.ts';
import type { Layer, Serve, Service } from './serve.ts';

/** The layers that may stand before a service. */
export interface Layers {
  /** Counts, logs, traces. */
  readonly observe?: Layer | undefined;
  /** What the sender may ask for. */
  readonly scopes?: Layer | undefined;
  /** How much may be asked. */
  readonly limits?: Layer | undefined;
  /** Headers must agree with the message. */
  readonly headers?: Layer | undefined;
}

/**
 * A service with the layers before it, the outermost first. Those that observe see every message, also the ones that are
 * refused further in. Then comes what the transport refuses, then what the sender may ask for. The client is known only behind
 * the handshake.
 */
export function enclose(service: Service, layers: Layers = {}): Serve {
  const { observe, scopes, limits, headers } = layers;
  const order = [observe, service.observe, refusal, scopes, limits, headers, handshake(service)];
  return layered(service.serve, order);
}

/** Puts layers around what serves, the outermost first. */
export function layered(serve: Serve, layers: readonly (Layer | undefined)[]): Serve {
  return layers.reduceRight<Serve>((next, layer) => layer?.(next) ?? next, serve);
}

/** Throws why a message must not be served; the layers further out have seen it. */
const refusal: Layer = (next) => (exchange) => {
  if (exchange.refusal !== undefined) throw exchange.refusal;
  return next(exchange);
};
