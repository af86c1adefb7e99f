import { headerOf, RpcError } from '#jsonrpc';
import {
  badRequest,
  conversationOf,
  decodeHeaderValue,
  mcpErrors,
  mirrorMismatch,
  modernVersion,
  namedBy,
  readEnvelope,
  type Layer,
  type Service,
} from '#protocol';

/** Refuses modern requests whose headers do not repeat their envelope and their parameters, in this order. */
export function headerCheck({ mirroredHeaders }: Pick<Service, 'mirroredHeaders'>): Layer {
  return (next) => (exchange) => {
    const { id, method, params } = exchange.message;
    if (id === undefined || conversationOf(exchange) !== undefined) return next(exchange);
    const headers = exchange.headers ?? {};
    const view = readEnvelope(params);
    if (headers['mcp-protocol-version'] !== view.version) throw differs('MCP-Protocol-Version');
    // What other revisions have in headers is not known.
    if (view.version !== modernVersion) return next(exchange);
    exchange.client = view;
    if (headers['mcp-method'] !== method) throw differs('Mcp-Method');
    const member = namedBy.get(method);
    if (member === undefined) return next(exchange);
    const header = headerOf(headers, 'mcp-name');
    const name = header === undefined ? undefined : decodeHeaderValue(header);
    if (name === undefined || name !== params?.[member]) throw differs('Mcp-Name');
    if (method !== 'tools/call') return next(exchange);
    const bindings = mirroredHeaders(name);
    const wrong =
      bindings.length === 0 ? undefined : mirrorMismatch(bindings, params['arguments'], headers);
    if (wrong !== undefined) throw mismatch(wrong);
    return next(exchange);
  };
}

function differs(header: string): RpcError {
  return mismatch(`The ${header} header is missing or differs from the body`);
}

function mismatch(message: string): RpcError {
  return badRequest(new RpcError(mcpErrors.headerMismatch, message));
}
