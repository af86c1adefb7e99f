/** What can go wrong on our own side; never sent to a peer. `docs/errors.md` explains each. */
export const kitErrorCodes = {
  aborted: 'the caller gave up',
  address_in_use: 'another process listens there',
  capability_missing: 'the peer has not declared what this needs',
  closed: 'the connection is closed',
  invalid_answer: 'the peer answered something else than was asked',
  invalid_argument: 'a definition or option is wrong',
  overloaded: 'too much is under way or waiting to be written',
  timeout: 'no answer in time',
  unsafe_bind: 'the address is reachable from other machines and nothing protects it',
} as const;

export type KitErrorCode = keyof typeof kitErrorCodes;

/** A local failure: a code to branch on, a message that says what and where, a hint that says what to do next. */
export class KitError extends Error {
  override readonly name = 'KitError';
  readonly code: KitErrorCode;
  readonly hint: string | undefined;

  constructor(
    code: KitErrorCode,
    message: string,
    options: { readonly hint?: string; readonly cause?: unknown } = {},
  ) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.code = code;
    this.hint = options.hint;
  }
}

/** All that is known of something thrown, for a log. */
export function describeError(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
