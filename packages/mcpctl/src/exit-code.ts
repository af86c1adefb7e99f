import { KitError, type KitErrorCode } from 'mcp-kit/base';

/** What the exit status tells a script; `docs/cli.md` has the same table. */
export const exitCodes = {
  /** Done, or stopped by a signal and ended in order. */
  ok: 0,
  /** It could not be done. */
  failed: 1,
  /** The command line asks for something that cannot be. */
  usage: 2,
} as const;

const byKitError: Readonly<Record<KitErrorCode, number>> = {
  aborted: exitCodes.failed,
  address_in_use: exitCodes.failed,
  answer_lost: exitCodes.failed,
  capability_missing: exitCodes.failed,
  closed: exitCodes.failed,
  http_status: exitCodes.failed,
  invalid_answer: exitCodes.failed,
  invalid_argument: exitCodes.usage,
  invalid_config: exitCodes.failed,
  overloaded: exitCodes.failed,
  process_failed: exitCodes.failed,
  refused_by_policy: exitCodes.failed,
  session_lost: exitCodes.failed,
  timeout: exitCodes.failed,
  unauthorized: exitCodes.failed,
  unreachable: exitCodes.failed,
  unsafe_bind: exitCodes.usage,
  unsupported_version: exitCodes.failed,
};

/** The exit status for whatever was thrown. */
export function exitCodeOf(error: unknown): number {
  return error instanceof KitError ? byKitError[error.code] : exitCodes.failed;
}
