import {
  isRecord,
  KitError,
  RpcError,
  rpcErrors,
  withoutFolders,
  type Layer,
} from 'mcp-kit/internal';
import { withheldError } from '@mcp-kit/host';
import { finished } from './edge.ts';
import type { Listing } from './upstream/listing.ts';

/** Lets so many requests be under way at a server: one that is slow does not take the room of the others. */
export function limited(server: string, most: number): Layer {
  let underWay = 0;
  return (next) => async (exchange) => {
    // A subscription waits and works nothing.
    if (exchange.message.method === 'subscriptions/listen') return next(exchange);
    if (underWay >= most) {
      const data = { server, retryable: true, mayHaveRun: false };
      throw new RpcError(rpcErrors.overloaded, `${server}: ${most} requests are under way`, data);
    }
    underWay += 1;
    try {
      return await next(exchange);
    } finally {
      underWay -= 1;
    }
  };
}

/** Says which server it is that cannot be used, and why: to a model as the result of its call, to programs as an error. */
export function explained(server: string): Layer {
  return (next) => async (exchange) => {
    try {
      return await next(exchange);
    } catch (error) {
      const trouble = troubleOf(error);
      if (trouble === undefined) throw error;
      const { code, message, data } = trouble;
      const isTold = data['code'] === 'refused_by_policy';
      const said = isTold ? message : `${server} cannot be used now: ${message}`;
      const told = { server, ...data };
      if (exchange.message.method !== 'tools/call') throw new RpcError(code, said, told);
      const hint = typeof data['hint'] === 'string' ? ` ${data['hint']}` : '';
      const others = 'Tools of other servers are not concerned.';
      const text = `${said}.${hint} ${others}`;
      const result = { content: [{ type: 'text', text }], isError: true };
      return finished(exchange, result, { [troubleKey]: told });
    }
  };
}

/** Keeps from a server what it has changed since it was approved, also in conversations that have not heard of it. */
export function approved(server: string, listing: () => Listing | undefined): Layer {
  return (next) => (exchange) => {
    const { method, params } = exchange.message;
    if (method !== 'tools/call') return next(exchange);
    const withheld = listing()?.withheld.find(({ name }) => name === params?.['name']);
    return withheld === undefined
      ? next(exchange)
      : Promise.reject(withheldError(withheld, server));
  };
}

/** Where in `_meta` programs find what was wrong with a server. */
const troubleKey = 'mcp-kit/unavailable';

export interface Trouble {
  readonly code: number;
  readonly message: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Whether a server may not be used, by what has become of trying. */
export function isRefusal(error: Error | undefined): boolean {
  return error instanceof KitError && error.code === 'refused_by_policy';
}

/** What is wrong with the way to a server; nothing where the server itself has answered. */
export function troubleOf(error: unknown): Trouble | undefined {
  if (error instanceof KitError) {
    const { code, hint } = error;
    const data = { code, hint: hint && withoutFolders(hint), retryable: false, mayHaveRun: false };
    return { code: rpcErrors.internal, message: withoutFolders(error.message), data };
  }
  if (!(error instanceof RpcError) || !isRecord(error.data)) return undefined;
  const { data } = error;
  const isOwn = typeof data['code'] === 'string' && typeof data['mayHaveRun'] === 'boolean';
  if (!isOwn) return undefined;
  return {
    code: error.code,
    message: error.message.replace(/^Bridge transport error: /, ''),
    data,
  };
}
