import { CocosError } from '#cocos/document';
import { fail } from 'mcp-kit/tools';

/** Does something to a project; what cannot be done there becomes a failure that a caller can act on. */
export async function telling<Result>(work: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw toFailure(error);
  }
}

/** The failure that something thrown stands for. */
export function toFailure(error: unknown): unknown {
  if (!(error instanceof CocosError)) return error;
  const { code, message, suggestion } = error;
  // Which edit it was is known to whoever made the list.
  const { edit: _edit, op: _op, ...details } = error.details ?? {};
  return fail(code, message, {
    ...(suggestion === undefined ? {} : { suggestion }),
    ...(Object.keys(details).length === 0 ? {} : { details }),
  });
}
