import { KitError, type KitErrorCode } from 'mcp-kit/internal';

/** What the exit status tells a script. */
export const exitCodes = {
  /** Done. */
  ok: 0,
  /** It could not be done. */
  failed: 1,
  /** The command line asks for something that cannot be. */
  usage: 2,
  /** Not done, because the server is not trusted or a policy forbids it. */
  refused: 3,
  /** No server, or no answer: it cannot be reached, does not start, ended, or takes too long. */
  unreachable: 4,
  /** The tool was called, and said that it failed. */
  toolFailed: 5,
} as const;

/** The exit codes in words, for the documentation. */
export const exitMeanings: Readonly<Record<string, string>> = {
  [exitCodes.ok]: 'Done; for `serve` also: ended in order by a signal.',
  [exitCodes.failed]:
    'It could not be done: the server refused or answered nonsense, a file is wrong, the address is taken.',
  [exitCodes.usage]:
    'The command line is wrong, or asks for something that is refused: unknown options, contradictions, arguments that do not fit the schema of the tool, an address that other machines can reach without `--insecure`.',
  [exitCodes.refused]:
    'Refused: the server is not trusted, the policy forbids its address, a tool is denied or has changed, or the server wants other credentials.',
  [exitCodes.unreachable]:
    'No server or no answer: it cannot be reached, does not start, ended, or took too long.',
  [exitCodes.toolFailed]: 'The tool was called, and its result says `isError`.',
  '129, 130, 143': 'Ended by SIGHUP, SIGINT (Ctrl-C) or SIGTERM.',
};

const byKitError: Readonly<Record<KitErrorCode, number>> = {
  aborted: exitCodes.failed,
  address_in_use: exitCodes.failed,
  answer_lost: exitCodes.unreachable,
  capability_missing: exitCodes.failed,
  closed: exitCodes.unreachable,
  http_status: exitCodes.failed,
  invalid_answer: exitCodes.failed,
  invalid_argument: exitCodes.usage,
  invalid_config: exitCodes.failed,
  overloaded: exitCodes.failed,
  process_failed: exitCodes.unreachable,
  refused_by_policy: exitCodes.refused,
  session_lost: exitCodes.unreachable,
  timeout: exitCodes.unreachable,
  tool_failed: exitCodes.toolFailed,
  unauthorized: exitCodes.refused,
  unreachable: exitCodes.unreachable,
  unsafe_bind: exitCodes.usage,
  unsupported_version: exitCodes.failed,
};

/** The exit status for whatever was thrown. */
export function exitCodeOf(error: unknown): number {
  return error instanceof KitError ? byKitError[error.code] : exitCodes.failed;
}
