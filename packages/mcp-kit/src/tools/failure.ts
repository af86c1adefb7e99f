import { withoutUndefined } from '#base';
import { isRecord } from '#jsonrpc';
import type { JsonSchema } from '#protocol';

/** Why a tool could not do what it was asked: for programs to branch on, and for models to act on. */
export const failureCodes = {
  E_INVALID_ARGUMENT: { retryable: false },
  E_NOT_FOUND: { retryable: false },
  E_CONFLICT: { retryable: false },
  E_PRECONDITION_FAILED: { retryable: false },
  E_TIMEOUT: { retryable: true },
  E_INTERNAL: { retryable: false },
  E_UNAVAILABLE: { retryable: true },
} as const;

/** The code of a failure. */
export type FailureCode = keyof typeof failureCodes;

/** A failure as data. */
export interface Failure {
  readonly code: FailureCode;
  readonly message: string;
  readonly retryable: boolean;
  /** What to try next. */
  readonly suggestion?: string | undefined;
  readonly details?: unknown;
  /** Which step of several it happened in. */
  readonly stage?: string | undefined;
}

/** Describes a failure, as far as everybody may rely on it. */
export const failureSchema: JsonSchema = {
  type: 'object',
  properties: {
    code: { type: 'string' },
    message: { type: 'string' },
    retryable: { type: 'boolean' },
  },
  required: ['code', 'message', 'retryable'],
};

/** What a failure may say besides its code and message. */
export interface FailureDetails extends Pick<Failure, 'suggestion' | 'details' | 'stage'> {
  readonly retryable?: boolean | undefined;
}

/** Carries a failure out of a tool's `run`. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure';
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** What a tool throws when it cannot do what it was asked: `throw fail('E_NOT_FOUND', 'no such file')`. */
export function fail(code: FailureCode, message: string, more: FailureDetails = {}): ToolFailure {
  const { retryable = failureCodes[code].retryable, ...rest } = more;
  return new ToolFailure({ code, message, retryable, ...withoutUndefined(rest) });
}

/** A failure that tells of the stages of a workflow besides its own details. */
export function withStages(failure: Failure, stages: readonly object[]): Failure {
  const { details: found } = failure;
  const own = isRecord(found) || found === undefined ? found : { found };
  return { ...failure, details: { ...own, stages } };
}
