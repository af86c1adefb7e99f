import { crypto, KitError } from '#base';
import { openSession, type Session, type SessionOptions } from '#client';
import { isRecord, RpcError, rpcErrors, type Params } from '#jsonrpc';
import {
  cacheable,
  invalidParams,
  isImplementation,
  isLoggingLevel,
  legacyVersions,
  markWithin,
  mcpErrors,
  metaKeys,
  methodNotFound,
  modernVersion,
  negotiate,
  legacyOutputSchema,
  withContent,
  type ClientCapabilities,
  type Implementation,
  type Meta,
  type Target,
} from '#protocol';
import { relayed, type ForLegacyClient, type Translation } from './relay.ts';
import { mayBeAsked } from './upstream.ts';

/** A session for a legacy client, and what it meets there. */
interface Opened {
  readonly session: Session;
  readonly translation: ForLegacyClient;
}

/** A way to open one. */
interface Way {
  readonly said: SessionOptions;
  readonly translation: ForLegacyClient;
}

interface HandshakeOptions {
  readonly options: SessionOptions;
  /** Asks the client what only it can give. */
  ask(method: string, params: object, signal: AbortSignal): Promise<unknown>;
  /** Tools whose results the client knows in another form than the server. */
  readonly wrapped: Set<string>;
}

/** Opens a session for a client that said `initialize`, in its words; in the modern era where the server does not know these. */
export async function openForHandshake(
  target: Target,
  params: Params,
  { options, ask, wrapped }: HandshakeOptions,
): Promise<Opened> {
  const { capabilities: declared, clientInfo: told, protocolVersion, ...more } = params;
  const capabilities: ClientCapabilities = isRecord(declared) ? declared : {};
  const clientInfo = isImplementation(told) ? told : undefined;
  const offered = typeof protocolVersion === 'string' ? protocolVersion : modernVersion;
  const legacy: Way = {
    said: {
      era: 'legacy',
      initializeParams: more,
      protocolVersion: offered === modernVersion ? legacyVersions[0] : offered,
      onRequest: ({ method, params: asked = {} }, { signal }) => ask(method, asked, signal),
    },
    translation: relayed,
  };
  const modern: Way = {
    said: {
      era: 'modern',
      onRequest: ({ method, params: asked = {} }, { signal }) => {
        if (!mayBeAsked(capabilities, method, asked)) throw methodNotFound(method);
        return ask(method, asked['mode'] === 'url' ? withVisitId(asked) : asked, signal);
      },
    },
    translation: translated(wrapped),
  };
  const ways = { auto: [legacy, modern], legacy: [legacy], modern: [modern] };
  let refusal: unknown;
  for (const { said, translation } of ways[options.era ?? 'auto']) {
    try {
      const given = { ...options, capabilities, clientInfo, ...said };
      return { session: await openSession(target, given), translation };
    } catch (error) {
      if (!isDeclined(error)) throw refusal ?? error;
      refusal ??= error;
    }
  }
  throw refusal;
}

/** The legacy era wants a name for each visit. */
function withVisitId(params: object): object {
  return { elicitationId: crypto().randomUUID(), ...params };
}

/** Whether the server is there, and only does not know the handshake. */
function isDeclined(error: unknown): boolean {
  if (error instanceof RpcError) return true;
  if (!(error instanceof KitError)) return false;
  const status = error.details?.['status'];
  const isRefused = error.code === 'http_status' && typeof status === 'number' && status < 500;
  return isRefused || error.code === 'unsupported_version' || error.code === 'invalid_answer';
}

/** For a legacy client at a modern server. */
function translated(wrapped: Set<string>): ForLegacyClient {
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
    greeting: initializeResult,
    // It says nothing unless it is told to.
    logLevel: ({ capabilities }) => (capabilities.logging === undefined ? undefined : 'info'),
    answer(method, params) {
      const level = params?.['level'];
      if (method === 'logging/setLevel' && !isLoggingLevel(level)) {
        throw invalidParams(`Unknown logging level: ${String(level)}`);
      }
      return method === 'ping' ? {} : undefined;
    },
    // It asks for roots whenever it needs them.
    hears: (method) => method !== 'notifications/roots/list_changed',
  };
}

/** For a modern client at a legacy server. */
export function forModernClient(session: Session): Translation {
  return {
    request: withoutEnvelope,
    result: (result, { method }) => toModern(method, result, session.server),
    error: (error, { method }) => toModernError(markedWithin(session, method, error)),
  };
}

/** What a modern server said of itself, as the answer to `initialize`. */
function initializeResult(session: Session, requested: unknown): object {
  const { capabilities, greeting, server } = session;
  const { supportedVersions: _versions, ...said } = greeting;
  return {
    ...Object(toLegacy('server/discover', said)),
    protocolVersion: negotiate(requested),
    capabilities,
    serverInfo: server ?? unnamed,
  };
}

/** What a legacy server said of itself, as the answer to `server/discover`. */
export function discoverResult({ greeting, server }: Session): object {
  const { protocolVersion, capabilities, serverInfo: _serverInfo, _meta, ...others } = greeting;
  // The tasks of the legacy era are not those of the modern one.
  const { tasks: _tasks, ...offered } = isRecord(capabilities) ? capabilities : {};
  const said = {
    ...others,
    supportedVersions: [modernVersion, protocolVersion],
    capabilities: offered,
    _meta,
  };
  return toModern('server/discover', said, server);
}

const unnamed: Implementation = { name: 'server', version: '0' };

/** A legacy result with what the modern era requires of it. */
export function toModern(method: string, result: unknown, server?: Implementation): object {
  const whole = method === 'tools/call' ? withContent(result) : result;
  const fields = isRecord(whole) ? whole : {};
  const { _meta: own, tools } = fields;
  // Nothing is known of how long it holds, nor for whom.
  const holds = cacheable.has(method) ? { ttlMs: 0, cacheScope: 'private' } : undefined;
  const isList = method === 'tools/list' && Array.isArray(tools);
  const info = server && { [metaKeys.serverInfo]: server };
  const meta = isRecord(own) ? own : undefined;
  return {
    resultType: 'complete',
    ...holds,
    ...fields,
    tools: isList ? tools.map(withTypedInput) : tools,
    _meta: { ...info, ...meta },
  };
}

/** Arguments are an object. Legacy servers may not say so; modern clients take no tool of a list in which one does not. */
function withTypedInput(tool: unknown): unknown {
  if (!isRecord(tool)) return tool;
  const { inputSchema = {} } = tool;
  if (!isRecord(inputSchema) || inputSchema['type'] !== undefined) return tool;
  return { ...tool, inputSchema: { ...inputSchema, type: 'object' } };
}

/** A modern result without what only that era knows. */
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

/** Tools as the legacy era lists them, whose structured results are objects; adds the names of those that had to change. */
function toLegacyTools(tools: readonly unknown[], wrapped: Set<string>): unknown[] {
  return tools.map((tool) => {
    const schema = isRecord(tool) ? tool['outputSchema'] : undefined;
    if (!isRecord(tool) || !isRecord(schema) || schema['type'] === 'object') return tool;
    wrapped.add(String(tool['name']));
    return { ...tool, outputSchema: legacyOutputSchema(schema) };
  });
}

/** A result of a tool as the legacy era has it; `isWrapped` says what its schema was changed to. */
function toLegacyCall(result: unknown, isWrapped: boolean): unknown {
  if (!isRecord(result) || result['structuredContent'] === undefined) return result;
  const { structuredContent } = result;
  if (!isWrapped && isRecord(structuredContent)) return result;
  return { ...result, structuredContent: { result: structuredContent } };
}

/** Parameters of the modern era without its envelope. */
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

/** An error of a modern server, as the legacy era says it. */
function toLegacyError(method: string, error: unknown): unknown {
  if (error instanceof KitError && error.cause instanceof RpcError) {
    const why = `${method}: the client did not answer what the server asked: ${error.cause.message}`;
    return new RpcError(rpcErrors.invalidRequest, why);
  }
  if (!(error instanceof RpcError)) return error;
  const { code, message, data } = error;
  if (method === 'resources/read' && code === rpcErrors.invalidParams) {
    return new RpcError(mcpErrors.resourceNotFound, message, data);
  }
  const isModern = code === mcpErrors.missingClientCapability || code === mcpErrors.headerMismatch;
  return isModern ? new RpcError(rpcErrors.invalidRequest, message, data) : error;
}

/** Methods that the modern era has no more, whatever a server offers. */
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
  const isMissing = error.code === rpcErrors.methodNotFound;
  const isWithin = error.code === rpcErrors.overloaded || (isMissing && isOffered);
  return isWithin ? markWithin(error) : error;
}

/** An error of a legacy server, as the modern era says it. */
function toModernError(error: unknown): unknown {
  return error instanceof RpcError && error.code === mcpErrors.resourceNotFound
    ? new RpcError(rpcErrors.invalidParams, error.message, error.data)
    : error;
}
