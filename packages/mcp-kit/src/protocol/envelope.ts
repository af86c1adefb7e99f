import { isRecord, RpcError, type Params } from '#jsonrpc';
import { invalidParams, mcpErrors } from './errors.ts';
import { modernVersion } from './revisions.ts';
import {
  isLoggingLevel,
  type ClientCapabilities,
  type Implementation,
  type LoggingLevel,
} from './types.ts';

export const metaKeys = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  logLevel: 'io.modelcontextprotocol/logLevel',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
} as const;

/** What a modern request says about its sender. */
export interface Envelope {
  readonly version: string;
  readonly capabilities: ClientCapabilities;
  readonly clientInfo: Implementation | undefined;
  /** Absent: the client wants no log messages. */
  readonly logLevel: LoggingLevel | undefined;
}

/** A message is modern when it says so itself; nothing else about its connection matters. */
export function claimsModern(params: Params | undefined): boolean {
  const meta = params?.['_meta'];
  return (
    isRecord(meta) &&
    (meta[metaKeys.protocolVersion] !== undefined ||
      meta[metaKeys.clientCapabilities] !== undefined)
  );
}

/** Reads the envelope without judging the version; throws `-32602` when a required key is missing or malformed. */
export function readEnvelope(params: Params | undefined): Envelope {
  const meta = params?.['_meta'];
  if (!isRecord(meta)) throw invalidParams('params._meta is required');
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
    version,
    capabilities,
    clientInfo: isImplementation(info) ? info : undefined,
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
  throw new RpcError(mcpErrors.unsupportedVersion, `Unsupported protocol version: ${version}`, {
    supported: [modernVersion],
    requested: version,
  });
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
  return invalidParams(`params._meta["${metaKeys[key]}"] must be ${what}`);
}
