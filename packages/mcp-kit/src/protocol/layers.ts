import { handshake } from './handshake.ts';
import type { Layer, Serve, Service } from './serve.ts';

/** What may stand before a service; who has nothing to do there is absent. */
export interface Layers {
  /** Counts, logs, traces. */
  readonly observe?: Layer | undefined;
  /** What the sender has been allowed. */
  readonly scopes?: Layer | undefined;
  /** How much may be asked. */
  readonly limits?: Layer | undefined;
  /** What is said beside a message must be what it says itself. */
  readonly headers?: Layer | undefined;
}

/**
 * A service with the layers that stand before it, the outermost first. Whoever observes sees every message, also those that are
 * refused further in; a message that its transport refuses goes no further than that; nothing is looked at before its sender
 * may ask for it; and only behind the handshake is the client known.
 */
export function enclose(service: Service, layers: Layers = {}): Serve {
  const { observe, scopes, limits, headers } = layers;
  const order = [observe, service.observe, refusal, scopes, limits, headers, handshake];
  return layered(service.serve, order);
}

/** Puts layers around what serves, the outermost first. */
export function layered(serve: Serve, layers: readonly (Layer | undefined)[]): Serve {
  return layers.reduceRight<Serve>((next, layer) => layer?.(next) ?? next, serve);
}

/** Throws why a message must not be served: whoever stands further out has seen it go by. */
const refusal: Layer = (next) => (exchange) => {
  if (exchange.refusal !== undefined) throw exchange.refusal;
  return next(exchange);
};
