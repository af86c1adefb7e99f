import { KitError } from '#base';
import type { Session } from '#client';
import { isRecord, RpcError, rpcErrors, type Message, type Params } from '#jsonrpc';
import {
  cacheable,
  markWithin,
  mcpErrors,
  metaKeys,
  modernVersion,
  negotiate,
  structured,
  withContent,
  type Implementation,
  type Meta,
} from '#protocol';

/** What a request and its answer become on their way between a client and a server. */
export interface Translation {
  request(params: Params | undefined, caller: string | undefined): Params | undefined;
  result(result: unknown, message: Message, caller: string | undefined): unknown;
  error(error: unknown, message: Message): unknown;
}

/** Where both speak the same era, everything passes as it is. */
export const untouched: Translation = {
  request: (params) => params,
  result: (result) => result,
  error: (error) => error,
};

/** For a client of the older era at a server of the newer one; `wrapped` are the tools whose results it knows in another form. */
export function forLegacyClient(wrapped: Set<string>): Translation {
  return {
    request: (params) => params,
    result(result, { method, params }) {
      const said = toLegacy(method, result);
      if (method === 'tools/call') return toLegacyCall(said, wrapped.has(String(params?.['name'])));
      const tools = method === 'tools/list' && isRecord(said) ? said['tools'] : undefined;
      return Array.isArray(tools)
        ? { ...Object(said), tools: toLegacyTools(tools, wrapped) }
        : said;
    },
    error: (error, { method }) => toLegacyError(method, error),
  };
}

/** For a client of the newer era at a server of the older one. */
export function forModernClient(session: Session): Translation {
  return {
    request: withoutEnvelope,
    result: (result, { method }) => toModern(method, result, session.server),
    error: (error, { method }) => toModernError(markedWithin(session, method, error)),
  };
}

/** What a server of the stateless era said of itself, as the answer to `initialize`. */
export function initializeResult(session: Session, requested: unknown): object {
  const { capabilities, greeting, server } = session;
  const { supportedVersions: _versions, ...said } = greeting;
  return {
    ...Object(toLegacy('server/discover', said)),
    protocolVersion: negotiate(requested),
    capabilities,
    serverInfo: server ?? unnamed,
  };
}

/** What a server of the handshake era said of itself, as the answer to `server/discover`. */
export function discoverResult({ greeting, server }: Session): object {
  const { protocolVersion, capabilities, serverInfo: _serverInfo, _meta, ...others } = greeting;
  // The tasks of the older era are not those of the newer one.
  const { tasks: _tasks, ...offered } = isRecord(capabilities) ? capabilities : {};
  const said = {
    ...others,
    supportedVersions: [modernVersion, protocolVersion],
    capabilities: offered,
    ...(isRecord(_meta) && { _meta }),
  };
  return toModern('server/discover', said, server);
}

const unnamed: Implementation = { name: 'server', version: '0' };

/** A result of the handshake era with what the stateless one requires of it. */
export function toModern(method: string, result: unknown, server?: Implementation): object {
  const whole = method === 'tools/call' ? withContent(result) : result;
  const fields = isRecord(whole) ? whole : {};
  const { _meta: own, tools } = fields;
  const info = server && { [metaKeys.serverInfo]: server };
  return {
    resultType: 'complete',
    // Nothing is known of how long it holds, nor for whom.
    ...(cacheable.has(method) && { ttlMs: 0, cacheScope: 'private' }),
    ...fields,
    ...(method === 'tools/list' && Array.isArray(tools) && { tools: tools.map(withTypedInput) }),
    _meta: { ...info, ...(isRecord(own) && own) },
  };
}

/** Arguments are an object. Older servers may not say so; newer clients take no tool of a list in which one does not. */
function withTypedInput(tool: unknown): unknown {
  if (!isRecord(tool)) return tool;
  const { inputSchema = {} } = tool;
  if (!isRecord(inputSchema) || inputSchema['type'] !== undefined) return tool;
  return { ...tool, inputSchema: { ...inputSchema, type: 'object' } };
}

/** A result of the stateless era without what only that one knows. */
function toLegacy(method: string, result: unknown): unknown {
  if (!isRecord(result)) return result;
  const { resultType: _type, _meta, ...rest } = result;
  if (cacheable.has(method)) {
    delete rest['ttlMs'];
    delete rest['cacheScope'];
  }
  const meta = withoutKeys(_meta, [metaKeys.serverInfo]);
  return meta === undefined ? rest : { ...rest, _meta: meta };
}

/** Tools as the older era lists them, whose structured results are objects; adds the names of those that had to change. */
function toLegacyTools(tools: readonly unknown[], wrapped: Set<string>): unknown[] {
  return tools.map((tool) => {
    const schema = isRecord(tool) ? tool['outputSchema'] : undefined;
    if (!isRecord(tool) || !isRecord(schema) || schema['type'] === 'object') return tool;
    wrapped.add(String(tool['name']));
    return { ...tool, outputSchema: structured.legacy.schema(schema) };
  });
}

/** A result of a tool as the older era has it; `isWrapped` says what its schema was changed to. */
function toLegacyCall(result: unknown, isWrapped: boolean): unknown {
  if (!isRecord(result) || result['structuredContent'] === undefined) return result;
  const { structuredContent } = result;
  if (!isWrapped && isRecord(structuredContent)) return result;
  return { ...result, structuredContent: { result: structuredContent } };
}

/** Parameters of the stateless era without its envelope. */
export function withoutEnvelope(params: Params | undefined): Params | undefined {
  if (params === undefined) return undefined;
  const { _meta, inputResponses: _responses, requestState: _state, ...rest } = params;
  const meta = withoutKeys(_meta, envelopeKeys);
  return meta === undefined ? rest : { ...rest, _meta: meta };
}

const envelopeKeys: readonly string[] = [
  metaKeys.protocolVersion,
  metaKeys.clientCapabilities,
  metaKeys.clientInfo,
  metaKeys.logLevel,
];

/** Parameters of a notification without the name of the subscription they came by. */
export function withoutSubscription(params: Params | undefined): Params | undefined {
  const { _meta, ...rest } = params ?? {};
  if (!isRecord(_meta) || _meta[metaKeys.subscriptionId] === undefined) return params;
  const meta = withoutKeys(_meta, [metaKeys.subscriptionId]);
  if (meta !== undefined) return { ...rest, _meta: meta };
  return Object.keys(rest).length === 0 ? undefined : rest;
}

/** Nothing when nothing is left. */
function withoutKeys(meta: unknown, keys: readonly string[]): Meta | undefined {
  if (!isRecord(meta)) return undefined;
  const left = Object.entries(meta).filter(([key]) => !keys.includes(key));
  return left.length === 0 ? undefined : Object.fromEntries(left);
}

/** An error of a server of the stateless era, as the older one says it. */
function toLegacyError(method: string, error: unknown): unknown {
  if (error instanceof KitError && error.cause instanceof RpcError) {
    const why = `${method}: the client did not answer what the server asked: ${error.cause.message}`;
    return new RpcError(rpcErrors.invalidRequest, why);
  }
  if (!(error instanceof RpcError)) return error;
  const { code, message, data } = error;
  const { invalidParams, invalidRequest } = rpcErrors;
  if (method === 'resources/read' && code === invalidParams) {
    return new RpcError(mcpErrors.resourceNotFound, message, data);
  }
  const isModern = code === mcpErrors.missingClientCapability || code === mcpErrors.headerMismatch;
  return isModern ? new RpcError(invalidRequest, message, data) : error;
}

/** Methods that the stateless era has no more, whatever a server offers. */
export const removed: ReadonlySet<string> = new Set([
  'initialize',
  'logging/setLevel',
  'ping',
  'resources/subscribe',
  'resources/unsubscribe',
]);

/** What a server said in answer to a method: about the request it says only that there is no such method. */
export function markedWithin(
  { capabilities }: Pick<Session, 'capabilities'>,
  method: string,
  error: unknown,
): unknown {
  if (!(error instanceof RpcError)) return error;
  const [kind = ''] = method.split('/', 1);
  const feature = kind === 'completion' ? 'completions' : kind;
  const isOffered = Object.hasOwn(capabilities, feature) && !removed.has(method);
  const { methodNotFound, overloaded } = rpcErrors;
  const isWithin = error.code === overloaded || (error.code === methodNotFound && isOffered);
  return isWithin ? markWithin(error) : error;
}

/** An error of a server of the handshake era, as the stateless one says it. */
function toModernError(error: unknown): unknown {
  return error instanceof RpcError && error.code === mcpErrors.resourceNotFound
    ? new RpcError(rpcErrors.invalidParams, error.message, error.data)
    : error;
}
