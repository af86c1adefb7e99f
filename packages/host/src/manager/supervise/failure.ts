import { KitError, type KitErrorCode } from 'mcp-kit/internal';
import type { StormBreaker } from 'mcp-kit/client';

/** What becomes of a server that could not be opened: tried again, given up, or not to be used as it is. */
export type NextStep = 'retry' | 'stop' | 'refuse';

const nextSteps: Partial<Record<KitErrorCode, NextStep>> = {
  refused_by_policy: 'refuse',
  invalid_config: 'refuse',
  invalid_argument: 'refuse',
  unreachable: 'retry',
  closed: 'retry',
  timeout: 'retry',
  session_lost: 'retry',
  answer_lost: 'retry',
  overloaded: 'retry',
};

/** Statuses of a server that may recover by itself. */
const passing: ReadonlySet<unknown> = new Set([408, 425, 429, 500, 502, 503, 504]);

/** Whether it makes sense to try again after a failure without anybody changing anything. */
export function afterFailure(error: unknown): NextStep {
  if (!(error instanceof KitError)) return 'stop';
  const { code, details } = error;
  if (code === 'http_status') return passing.has(details?.['status']) ? 'retry' : 'stop';
  // One that ended has last words; one that is not there will not be there in a second either.
  if (code === 'process_failed') return details?.['stderr'] === undefined ? 'stop' : 'retry';
  return nextSteps[code] ?? 'stop';
}

const longestRestMs = 3_600_000;

/** How long a server has asked to be left alone. */
export function restOf(error: Error): number {
  const seconds = error instanceof KitError ? error.details?.['retryAfter'] : undefined;
  return typeof seconds === 'number' ? Math.min(Math.max(seconds, 0) * 1000, longestRestMs) : 0;
}

/** Why a server is left alone that was started too often; `cause` is what it failed with last. */
export function stormOf(
  server: string,
  { times, withinMs }: StormBreaker,
  cause: Error | undefined,
): KitError {
  const message = `mcp server ${server} was started ${times} times within ${withinMs / 1000} s, and is left alone now`;
  return new KitError('closed', message, {
    hint: 'Find out why it ends, then connect again; its last error is the cause.',
    cause,
    details: { ran: false, storm: true },
  });
}

export function isStorm(error: Error): boolean {
  return error instanceof KitError && error.details?.['storm'] === true;
}
