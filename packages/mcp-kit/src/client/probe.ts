import { KitError } from '#base';
import { isRecord, RpcError, rpcErrors, type Connection } from '#jsonrpc';
import { isLegacyVersion, mcpErrors, modernVersion } from '#protocol';
import type { OpeningLimits } from './handshake.ts';
import {
  envelopeOf,
  isDiscoverResult,
  modernFacts,
  type Identity,
  type ServerFacts,
} from './facts.ts';

/** What the answer to a probe says about the server. */
export type Finding =
  | { readonly kind: 'modern'; readonly facts: ServerFacts }
  /** It may know the older era; `error` is what it said instead. */
  | { readonly kind: 'older'; readonly error: unknown }
  /** It is not well, or does not say so otherwise: it may know the older era, and another time it may be otherwise. */
  | { readonly kind: 'unclear'; readonly error: unknown }
  /** It says nothing about the era; there is no use in going on. */
  | { readonly kind: 'failed'; readonly error: unknown };

/** Asks `server/discover`, and once more when the server offers a revision that we offered already. */
export async function probe(
  connection: Connection,
  identity: Identity,
  limits: OpeningLimits,
): Promise<Finding> {
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
    return { kind: 'older', error };
  }
  return judgeVersions(result.supportedVersions) === 'older'
    ? { kind: 'older', error: noCommonVersion(result.supportedVersions) }
    : judgeVersions(result.supportedVersions) === 'modern'
      ? { kind: 'modern', facts: modernFacts(result) }
      : { kind: 'failed', error: noCommonVersion(result.supportedVersions) };
}

function judgeVersions(versions: readonly unknown[]): 'modern' | 'older' | 'foreign' {
  if (versions.includes(modernVersion)) return 'modern';
  return versions.some(isLegacyVersion) ? 'older' : 'foreign';
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

/**
 * No single code tells an older server: they answer the unknown method with whatever they have. Only what a server of
 * the newer era alone says, and what is no answer at all, is something else.
 */
function judgeError(error: unknown): Finding {
  const supported = supportedBy(error);
  if (supported !== undefined && judgeVersions(supported) === 'foreign') {
    return { kind: 'failed', error: noCommonVersion(supported) };
  }
  if (error instanceof RpcError) {
    const { headerMismatch, missingClientCapability } = mcpErrors;
    const modernOnly = error.code === headerMismatch || error.code === missingClientCapability;
    return { kind: modernOnly ? 'failed' : 'older', error };
  }
  if (isRefusal(error)) return { kind: 'older', error };
  return { kind: isUnwell(error) ? 'unclear' : 'failed', error };
}

/** Many older servers know no better answer to what they do not understand than a failure, or to hang up. */
function isUnwell(error: unknown): boolean {
  return (
    error instanceof KitError && (error.code === 'http_status' || error.code === 'answer_lost')
  );
}

/** A 4xx or a useless body is how most older HTTP servers say that they do not understand. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof KitError)) return false;
  return error.code === 'invalid_answer' || isDeclinedByStatus(error);
}

/** What servers of the older era say to a message that belongs to no session of theirs. */
const outsideSession = /session|initiali[sz]e|protocol version/i;

/** Whether a server of the newer era has probably not refused like this. */
export function mayBeOlder(error: unknown): error is Error {
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
