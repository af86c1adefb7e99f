import type { Crossing } from 'mcp-kit/bridge';
import {
  Encoded,
  isPromise,
  isRecord,
  layered,
  RpcError,
  rpcErrors,
  traceOf,
  type Exchange,
  type Layer,
  type Params,
  type Serve,
  type Service,
} from 'mcp-kit/internal';
import type { Call, Entry, Outcome } from './entry.ts';
import type { Feed } from './feed.ts';
import { createPeers } from './peers.ts';
import { createUnderWay, type Fields, type Place } from './under-way.ts';

/** Hears what crosses on both sides of a gateway or a bridge, and says what belongs together. */
export interface Watch {
  /** The same service, of which requests of clients are heard, and their answers; always the same one for the same. */
  hear<S extends Service>(service: S): S;
  /** Hears the wire to a server, and what a server says to clients beside its answers. */
  crossed(server: string, crossing: Crossing): void;
  /** Hears a line of a server that is no message. */
  said(server: string, from: 'stderr' | 'output' | 'state', text: string): void;
}

/** How a request of a client ended. */
interface Ended {
  readonly said: object;
  readonly outcome: Outcome;
}

/** Puts what is heard into a feed. */
export function createWatch(feed: Feed): Watch {
  const peers = createPeers();
  const underWay = createUnderWay();
  const received = (exchange: Exchange): Entry => {
    const { message } = exchange;
    const peer = peers.of(exchange);
    const { id, method } = message;
    const call = id === undefined ? undefined : beginCall(exchange, { seq: feed.last + 1, peer });
    if (call !== undefined) underWay.began(call);
    return feed.add({ wire: 'client', direction: 'received', message, peer, call, method });
  };
  const ended = (exchange: Exchange, begun: Entry, { said, outcome }: Ended): void => {
    const { id } = exchange.message;
    peers.learn(exchange);
    if (begun.call !== undefined) underWay.ended(begun.call);
    feed.add({
      wire: 'client',
      direction: 'sent',
      message: exchange.cancelled ? undefined : { jsonrpc: '2.0', id, ...said },
      peer: begun.peer,
      call: begun.call,
      answers: begun,
      outcome: exchange.cancelled ? 'cancelled' : outcome,
    });
  };
  const layer: Layer = (next) => (exchange) => {
    const begun = received(exchange);
    if (exchange.message.id === undefined) return next(exchange);
    const succeeded = (result: unknown): unknown => {
      const value = result instanceof Encoded ? result.value : result;
      ended(exchange, begun, { said: { result }, outcome: outcomeOf(value) });
      return result;
    };
    const failed = (error: unknown): never => {
      ended(exchange, begun, { said: { error: errorOf(error) }, outcome: 'refused' });
      throw error;
    };
    let result: unknown;
    try {
      result = next(exchange);
    } catch (error) {
      return failed(error);
    }
    return isPromise(result) ? result.then(succeeded, failed) : succeeded(result);
  };
  // Whoever serves a service knows it again by its identity.
  const known = new WeakMap<Service, Service>();
  return {
    hear<S extends Service>(service: S): S {
      const { observe } = service;
      const observed = (next: Serve): Serve => layered(next, [layer, observe]);
      const heard = known.get(service) ?? { ...service, observe: observed };
      known.set(service, heard);
      return heard as S;
    },
    crossed(server, { side, direction, message, conversation }) {
      for (const one of Array.isArray(message) ? message : [message]) {
        if (direction === 'unreadable' || !isRecord(one)) {
          feed.add({ wire: side, direction: 'unreadable', message: one, server });
        } else if (side === 'server' || isByItself(one, direction)) {
          const place: Place = { server, side, conversation, direction };
          const told = underWay.place(one, place);
          const outcome = told.answers && outcomeIn(one);
          const entry = feed.add({ wire: side, direction, message: one, server, outcome, ...told });
          if (typeof one['method'] === 'string') underWay.heard(entry, one, place);
        }
      }
    },
    said(server, direction, text) {
      feed.add({ wire: 'beside', direction, message: text, server });
    },
  };
}

/** On the wire to clients: what servers ask and tell, and the answers to it. The layer sees all else. */
function isByItself({ method }: Fields, direction: 'received' | 'sent'): boolean {
  return (direction === 'sent') === (typeof method === 'string');
}

function beginCall(exchange: Exchange, { seq, peer }: Pick<Call, 'seq' | 'peer'>): Call {
  const { method, params } = exchange.message;
  const traceId = traced.has(method) ? traceOf(exchange).traceId : undefined;
  const meta = isRecord(params?.['_meta']) ? params['_meta'] : {};
  const item = itemIn(params);
  return { seq, peer, method, item, traceId, token: meta['progressToken'], server: undefined };
}

/** What a request is about: the name of a tool or a prompt, the URI of a resource. */
export function itemIn(params: Params | undefined): string | undefined {
  const item = params?.['name'] ?? params?.['uri'];
  return typeof item === 'string' ? item : undefined;
}

/** Requests that gateways send on with the trace of their clients. */
const traced: ReadonlySet<string> = new Set([
  'tools/call',
  'prompts/get',
  'resources/read',
  'completion/complete',
]);

function outcomeOf(result: unknown): Outcome {
  return isRecord(result) && result['isError'] === true ? 'failed' : 'ok';
}

function outcomeIn(message: Fields): Outcome {
  return 'error' in message ? 'refused' : outcomeOf(message['result']);
}

function errorOf(error: unknown): object {
  if (!(error instanceof RpcError)) return { code: rpcErrors.internal, message: 'Internal error' };
  const { code, message, data } = error;
  return { code, message, data };
}
