import { crypto, KitError } from '#base';
import { openSession, type RequestListener, type Session, type SessionOptions } from '#client';
import { isRecord, RpcError, type Params } from '#jsonrpc';
import {
  isImplementation,
  legacyVersions,
  methodNotFound,
  modernVersion,
  type ClientCapabilities,
  type ClientView,
  type Target,
} from '#protocol';
import { mayBeAsked } from './asking.ts';
import type { BridgeOptions } from './options.ts';

/** Asks the client what only it can give. */
export type AskClient = (method: string, params: object, signal: AbortSignal) => Promise<unknown>;

const defaultTimeoutMs = 10 * 60_000;

/** How every session of a bridge is held: whoever asked says how long it may take. */
export function sessionOptions(options: BridgeOptions): SessionOptions {
  const { timeoutMs = defaultTimeoutMs, connectTimeoutMs, verdicts } = options;
  return {
    timeoutMs,
    maxTotalMs: Infinity,
    validateOutput: false,
    ...(connectTimeoutMs !== undefined && { connectTimeoutMs }),
    ...(verdicts && { verdicts }),
  };
}

/**
 * Opens a session for a client that said `initialize`, in its words. A server that does not know the handshake is spoken to
 * in the newer era.
 */
export async function openForHandshake(
  target: Target,
  params: Params,
  how: { readonly options: SessionOptions; readonly ask: AskClient },
): Promise<Session> {
  const { capabilities: declared, clientInfo, protocolVersion, ...more } = params;
  const capabilities: ClientCapabilities = isRecord(declared) ? declared : {};
  const { ask } = how;
  const options: SessionOptions = {
    ...how.options,
    capabilities,
    ...(isImplementation(clientInfo) && { clientInfo }),
  };
  const offered = typeof protocolVersion === 'string' ? protocolVersion : modernVersion;
  let refusal: unknown;
  if (options.era !== 'modern') {
    try {
      return await openSession(target, {
        ...options,
        era: 'legacy',
        initializeParams: more,
        protocolVersion: offered === modernVersion ? legacyVersions[0] : offered,
        onRequest: ({ method, params: asked = {} }, { signal }) => ask(method, asked, signal),
      });
    } catch (error) {
      if (options.era === 'legacy' || !isDeclined(error)) throw error;
      refusal = error;
    }
  }
  const onRequest: RequestListener = ({ method, params: asked = {} }, { signal }) => {
    if (!mayBeAsked(capabilities, method, asked)) throw methodNotFound(method);
    return ask(method, asked['mode'] === 'url' ? withVisitId(asked) : asked, signal);
  };
  return openSession(target, { ...options, era: 'modern', onRequest }).catch((error: unknown) => {
    throw refusal ?? error;
  });
}

/** Opens a session for a client of the stateless era: with a server of either. */
export function openForEnvelope(
  target: Target,
  { capabilities, info: clientInfo }: ClientView,
  options: SessionOptions,
): Promise<Session> {
  return openSession(target, {
    ...options,
    ...(clientInfo && { clientInfo }),
    capabilities,
    // What clients want to be told they ask for.
    watchLists: false,
  });
}

/** The older era wants a name for each visit. */
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
