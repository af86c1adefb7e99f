import { crypto, KitError } from '#base';
import { openSession, type InputHandlers, type Session, type SessionOptions } from '#client';
import { isRecord, RpcError, type Params } from '#jsonrpc';
import {
  isImplementation,
  legacyVersions,
  modernVersion,
  type ClientCapabilities,
  type Envelope,
  type Target,
} from '#protocol';
import type { BridgeOptions } from './options.ts';

/** Asks the client what only it can give. */
export type AskClient = (method: string, params: object, signal: AbortSignal) => Promise<unknown>;

const defaultTimeoutMs = 10 * 60_000;

/** How every session of a bridge is held: whoever asked says how long it may take. */
export function sessionOptions(options: BridgeOptions): SessionOptions {
  const { timeoutMs = defaultTimeoutMs, connectTimeoutMs } = options;
  return {
    timeoutMs,
    maxTotalMs: Infinity,
    validateOutput: false,
    ...(connectTimeoutMs !== undefined && { connectTimeoutMs }),
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
  const { capabilities: declared, clientInfo, protocolVersion } = params;
  const capabilities: ClientCapabilities = isRecord(declared) ? declared : {};
  const info = isImplementation(clientInfo) ? clientInfo : {};
  const { options, ask } = how;
  const offered = typeof protocolVersion === 'string' ? protocolVersion : modernVersion;
  let refusal: unknown;
  if (options.era !== 'modern') {
    try {
      return await openSession(target, {
        ...options,
        ...info,
        capabilities,
        era: 'legacy',
        protocolVersion: offered === modernVersion ? legacyVersions[0] : offered,
        onRequest: ({ method, params: asked = {} }, { signal }) => ask(method, asked, signal),
      });
    } catch (error) {
      if (options.era === 'legacy' || !isDeclined(error)) throw error;
      refusal = error;
    }
  }
  const inputs = inputsFor(capabilities, ask);
  const modern = { ...options, ...info, capabilities, inputs, era: 'modern' } as const;
  return openSession(target, modern).catch((error: unknown) => {
    throw refusal ?? error;
  });
}

/** Opens a session for a client of the stateless era: with a server of either. */
export function openForEnvelope(
  target: Target,
  { capabilities, clientInfo }: Envelope,
  options: SessionOptions,
): Promise<Session> {
  return openSession(target, {
    ...options,
    ...clientInfo,
    capabilities,
    // What clients want to be told they ask for.
    watchLists: false,
  });
}

/** Handlers for exactly what the client has declared. */
function inputsFor({ elicitation, sampling, roots }: ClientCapabilities, ask: AskClient): object {
  const { form, url } = elicitation ?? {};
  const fillsIn = elicitation !== undefined && (form !== undefined || url === undefined);
  const handlers: Record<string, (params: object, context: { signal: AbortSignal }) => unknown> = {
    ...(fillsIn && { elicit: (params, { signal }) => ask('elicitation/create', params, signal) }),
    ...(url !== undefined && {
      elicitUrl: (params, { signal }) => ask('elicitation/create', withVisitId(params), signal),
    }),
    ...(sampling && {
      sample: (params, { signal }) => ask('sampling/createMessage', params, signal),
    }),
  };
  const listRoots: InputHandlers['roots'] = async ({ signal }) => {
    const answer = await ask('roots/list', {}, signal);
    const list = isRecord(answer) ? answer['roots'] : undefined;
    return Array.isArray(list) ? list : [];
  };
  return { ...handlers, ...(roots && { roots: listRoots }) };
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
