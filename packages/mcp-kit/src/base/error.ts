/** What can go wrong on our own side; never sent to a peer. `docs/errors.md` explains each. */
export const kitErrorCodes = {
  aborted: 'the caller gave up',
  address_in_use: 'another process listens there',
  answer_lost: 'the answer will not come, and the request may have run',
  capability_missing: 'the peer has not declared what this needs',
  closed: 'the connection is closed',
  http_status: 'the server refused with an HTTP status',
  invalid_answer: 'the peer answered something else than was asked',
  invalid_argument: 'a definition or option is wrong',
  invalid_config: 'a configuration file is wrong',
  overloaded: 'too much is under way or waiting to be written',
  process_failed: 'the process of a server could not be started, or has ended',
  refused_by_policy: 'not done on the word of somebody who is not trusted',
  session_lost: 'the server no longer knows the session',
  timeout: 'no answer in time',
  tool_failed: 'a tool says that it failed',
  unauthorized: 'the server wants to know who asks, or does not let them',
  unreachable: 'no connection to the server; nothing was sent',
  unsafe_bind: 'the address is reachable from other machines and nothing protects it',
  unsupported_version: 'the two sides share no protocol revision',
} as const;

/** Says which kind of local failure it is. */
export type KitErrorCode = keyof typeof kitErrorCodes;

/** A local failure: a code to branch on, a message that says what and where, a hint that says what to do next. */
export class KitError extends Error {
  override readonly name = 'KitError';
  readonly code: KitErrorCode;
  readonly hint: string | undefined;
  /** What a program may want to know: the HTTP status, the exit code, what the process last said. */
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(
    code: KitErrorCode,
    message: string,
    options: {
      readonly hint?: string | undefined;
      readonly cause?: unknown;
      readonly details?: Readonly<Record<string, unknown>> | undefined;
    } = {},
  ) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.code = code;
    this.hint = options.hint;
    this.details = options.details;
  }
}

/** All that is known of something thrown, for a log. */
export function describeError(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** The same failure, of something that was not asked yet. */
export function asUnasked({ code, message, hint, cause, details }: KitError): KitError {
  return new KitError(code, message, { hint, cause, details: { ...details, ran: false } });
}

/** Whether the log has been told of what is behind this failure, so that whoever meets it need not say it again. */
export function isTold(error: unknown): boolean {
  return error instanceof KitError && error.details?.['isTold'] === true;
}
