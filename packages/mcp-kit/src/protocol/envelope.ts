import { isRecord, RpcError, type Exchange, type Params } from '#jsonrpc';
import { badRequest, invalidParams, mcpErrors } from './model/errors.ts';
import { modernVersion, type Era } from './model/revisions.ts';
import {
  isLoggingLevel,
  type ClientCapabilities,
  type Implementation,
  type LoggingLevel,
} from './model/types.ts';

/** The keys of `_meta` that the protocol itself defines. */
export const metaKeys = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  logLevel: 'io.modelcontextprotocol/logLevel',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
} as const;

/** The `_meta` of parameters or a result, where it is an object. */
export function metaOf(holder: Params | undefined): Params | undefined {
  const meta = holder?.['_meta'];
  return isRecord(meta) ? meta : undefined;
}

/** A message is modern when it says so itself; nothing else about its connection matters. */
export function claimsModern(params: Params | undefined): boolean {
  const meta = metaOf(params);
  return (
    meta?.[metaKeys.protocolVersion] !== undefined ||
    meta?.[metaKeys.clientCapabilities] !== undefined
  );
}

/** The client as one message sees it: by its envelope, or by the handshake of its conversation. */
export interface ClientView {
  readonly era: Era;
  readonly version: string;
  readonly info: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
  /** Log messages below this are not sent; absent means none are. */
  readonly logLevel: LoggingLevel | undefined;
}

/** Who sends a message; known behind the handshake. */
export function clientOf({ client, message }: Exchange): ClientView {
  if (client === undefined) throw new TypeError(`${message.method}: it is not known who asks`);
  // Nobody but the edges puts anything there.
  return client as ClientView;
}

/** Reads the envelope of a modern request without judging the version; throws `-32602` when a required key is missing or malformed. */
export function readEnvelope(params: Params | undefined): ClientView {
  const meta = metaOf(params);
  if (meta === undefined) throw badRequest(invalidParams('params._meta is required'));
  const version = meta[metaKeys.protocolVersion];
  if (typeof version !== 'string') throw malformed('protocolVersion', 'a string');
  const capabilities = meta[metaKeys.clientCapabilities];
  if (!isRecord(capabilities)) throw malformed('clientCapabilities', 'an object');
  const logLevel = meta[metaKeys.logLevel];
  if (logLevel !== undefined && !isLoggingLevel(logLevel)) {
    throw malformed('logLevel', 'a logging level');
  }
  const info = meta[metaKeys.clientInfo];
  return {
    era: 'modern',
    version,
    info: isImplementation(info) ? info : undefined,
    capabilities,
    logLevel,
  };
}

const maxClientCharacters = 16 * 1024;

/** What a client says of itself, as text. It is kept as long as the client stays, so that nobody can store much in it. */
export function clientText(said: unknown): string {
  const text = JSON.stringify(said);
  if (text.length <= maxClientCharacters) return text;
  throw invalidParams('clientInfo and capabilities are too large');
}

/** Throws `-32022` unless the version is one that is served statelessly. */
export function requireModernVersion(version: string): void {
  if (version === modernVersion) return;
  const data = { supported: [modernVersion], requested: version };
  const message = `Unsupported protocol version: ${version}`;
  throw badRequest(new RpcError(mcpErrors.unsupportedVersion, message, data));
}

const maxShared = 256;
const shared = new Map<string, ClientView>();

/**
 * Gives equal views the same object. A busy server has thousands of sessions from a handful of client programs,
 * and what a client says of itself is a good part of what an idle session weighs.
 */
export function sharedView(view: ClientView): ClientView {
  const key = clientText(view);
  const known = shared.get(key);
  if (known !== undefined) return known;
  if (shared.size >= maxShared) shared.clear();
  shared.set(key, view);
  return view;
}

export function isImplementation(value: unknown): value is Implementation {
  return (
    isRecord(value) && typeof value['name'] === 'string' && typeof value['version'] === 'string'
  );
}

function malformed(
  key: 'protocolVersion' | 'clientCapabilities' | 'logLevel',
  what: string,
): RpcError {
  return badRequest(invalidParams(`params._meta["${metaKeys[key]}"] must be ${what}`));
}
