/** What kind of thing went wrong with a project. */
export type CocosErrorCode =
  | 'E_NOT_FOUND'
  | 'E_CONFLICT'
  | 'E_PRECONDITION_FAILED'
  | 'E_INVALID_ARGUMENT'
  | 'E_UNAVAILABLE'
  | 'E_TIMEOUT'
  | 'E_INTERNAL';

/** Why something could not be done to a project: a code to branch on, what and where, and what to do next. */
export class CocosError extends Error {
  override readonly name = 'CocosError';
  readonly code: CocosErrorCode;
  readonly suggestion: string | undefined;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(
    code: CocosErrorCode,
    message: string,
    options: {
      readonly suggestion?: string | undefined;
      readonly details?: Readonly<Record<string, unknown>> | undefined;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.code = code;
    this.suggestion = options.suggestion;
    this.details = options.details;
  }
}
