import { KitError, type MaybePromise } from '#base';
import { isRecord, RpcError, rpcErrors, type Connection } from '#jsonrpc';
import { isLegacyVersion, mcpErrors, modernVersion, type Era } from '#protocol';
import {
  envelopeOf,
  isDiscoverResult,
  modernFacts,
  type Identity,
  type ServerFacts,
} from './facts.ts';

/** What the answer to a probe says about the server. */
export type Finding =
  | { readonly kind: 'answered'; readonly facts: ServerFacts }
  /** It may know the legacy era; `error` is what it said instead. */
  | { readonly kind: 'declined'; readonly error: unknown }
  /** It is not well, or does not say so otherwise: it may know the legacy era, and another time it may be otherwise. */
  | { readonly kind: 'unclear'; readonly error: unknown }
  /** It says nothing about the era; there is no use in going on. */
  | { readonly kind: 'failed'; readonly error: unknown };

/** What ends a probe before its answer; without a time that is whoever opens the conversation. */
interface ProbeLimits {
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Asks `server/discover`, and once more when the server offers a revision that we offered already. */
export async function probe(
  connection: Connection,
  identity: Identity,
  { timeoutMs = Infinity, signal }: ProbeLimits = {},
): Promise<Finding> {
  // Nothing that the server says meanwhile prolongs it.
  const limits = { timeoutMs, maxTotalMs: timeoutMs, signal };
  const discover = async (): Promise<Finding> => {
    const params = { _meta: envelopeOf(identity) };
    return judge(await connection.request('server/discover', params, limits));
  };
  try {
    return await discover();
  } catch (error) {
    if (!offersModern(error)) return judgeError(error);
  }
  try {
    return await discover();
  } catch (error) {
    return offersModern(error) ? { kind: 'failed', error } : judgeError(error);
  }
}

function judge(result: unknown): Finding {
  if (!isDiscoverResult(result)) {
    const error = new KitError('invalid_answer', 'server/discover: not what the revision says');
    return { kind: 'declined', error };
  }
  return (
    judgeVersions(result.supportedVersions) ?? { kind: 'answered', facts: modernFacts(result) }
  );
}

/** What it means that a server speaks these revisions; nothing where ours is among them. */
function judgeVersions(versions: readonly unknown[]): Finding | undefined {
  if (versions.includes(modernVersion)) return undefined;
  const kind = versions.some(isLegacyVersion) ? 'declined' : 'failed';
  return { kind, error: noCommonVersion(versions) };
}

function noCommonVersion(versions: readonly unknown[]): KitError {
  return new KitError(
    'unsupported_version',
    `the server speaks ${versions.map(String).join(', ')}; none of these is known here`,
  );
}

function offersModern(error: unknown): boolean {
  return supportedBy(error)?.includes(modernVersion) === true;
}

function supportedBy(error: unknown): readonly unknown[] | undefined {
  if (!(error instanceof RpcError) || error.code !== mcpErrors.unsupportedVersion) return undefined;
  const supported = isRecord(error.data) ? error.data['supported'] : undefined;
  return Array.isArray(supported) ? supported : undefined;
}

/** No single code tells a legacy server: they answer the unknown method with whatever they have. Only what modern servers alone say, and what is no answer at all, is something else. */
function judgeError(error: unknown): Finding {
  const foreign = judgeVersions(supportedBy(error) ?? [modernVersion]);
  if (foreign?.kind === 'failed') return foreign;
  if (error instanceof RpcError) {
    const { headerMismatch, missingClientCapability } = mcpErrors;
    const modernOnly = error.code === headerMismatch || error.code === missingClientCapability;
    return { kind: modernOnly ? 'failed' : 'declined', error };
  }
  if (isRefusal(error)) return { kind: 'declined', error };
  return { kind: isUnwell(error) ? 'unclear' : 'failed', error };
}

/** Many legacy servers know no better answer to what they do not understand than a failure, or to hang up. */
function isUnwell(error: unknown): boolean {
  return (
    error instanceof KitError && (error.code === 'http_status' || error.code === 'answer_lost')
  );
}

/** A 4xx or a useless body is how most legacy HTTP servers say that they do not understand. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof KitError)) return false;
  return error.code === 'invalid_answer' || isDeclinedByStatus(error);
}

/** What servers of the legacy era say to a message that belongs to no session of theirs. */
const outsideSession = /session|initiali[sz]e|protocol version/i;

/** Whether a server of the modern era has probably not refused like this. */
export function mayBeLegacy(error: unknown): error is Error {
  if (error instanceof KitError) return isDeclinedByStatus(error);
  if (!(error instanceof RpcError)) return false;
  const { invalidRequest, overloaded } = rpcErrors;
  const { code, message } = error;
  const isGeneral = code === invalidRequest || code === overloaded;
  return (isGeneral || code === mcpErrors.sessionNotFound) && outsideSession.test(message);
}

/** The statuses below 500 of a server that is slow or busy: another time it may answer otherwise. */
const passing: ReadonlySet<unknown> = new Set([408, 425, 429]);

/** Whether an HTTP status says that the server does not know what it was asked. */
export function isDeclinedByStatus({ code, details }: KitError): boolean {
  const status = details?.['status'];
  return (
    code === 'http_status' && typeof status === 'number' && status < 500 && !passing.has(status)
  );
}

/** What is remembered of servers: which era they speak, so that they need not be probed each time. */
export interface EraCache {
  get(key: string): MaybePromise<Era | undefined>;
  set(key: string, era: Era): MaybePromise<void>;
}

/** How much is remembered of servers, and for how long. */
interface EraCacheOptions {
  /** How long it counts; not for ever, as a server that has learnt the modern era would never be asked again. */
  readonly ttlMs?: number | undefined;
  readonly maxEntries?: number | undefined;
}

/** Remembers the eras of servers in memory. */
export function createEraCache(options: EraCacheOptions = {}): EraCache {
  const { ttlMs = 60 * 60_000, maxEntries = 1000 } = options;
  const known = new Map<string, { readonly era: Era; readonly until: number }>();
  return {
    get(key) {
      const verdict = known.get(key);
      return verdict !== undefined && performance.now() < verdict.until ? verdict.era : undefined;
    },
    set(key, era) {
      const [oldest] = known.keys();
      if (known.size >= maxEntries && oldest !== undefined) known.delete(oldest);
      known.delete(key);
      known.set(key, { era, until: performance.now() + ttlMs });
    },
  };
}

/** What this process has learnt; used unless a session is given its own. */
export const processEraCache: EraCache = createEraCache();
