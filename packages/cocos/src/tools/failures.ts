import { CocosError } from '#cocos/document';
import { withoutFolders } from 'mcp-kit/internal';
import { fail } from 'mcp-kit/tools';

/** Does something to a project; what cannot be done there becomes a failure that a caller can act on. */
export async function telling<Result>(work: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw toFailure(error);
  }
}

const writable = 'See that the files can be written, and that there is room for them.';

/** What a caller can do about failures of the file system. */
const fileFailures = {
  EACCES: ['E_UNAVAILABLE', writable],
  EPERM: ['E_UNAVAILABLE', writable],
  EROFS: ['E_UNAVAILABLE', writable],
  ENOSPC: ['E_UNAVAILABLE', writable],
  EDQUOT: ['E_UNAVAILABLE', writable],
  ENAMETOOLONG: ['E_INVALID_ARGUMENT', 'Choose a shorter path.'],
} as const;

/** The failure that something thrown stands for. */
export function toFailure(error: unknown): unknown {
  if (!(error instanceof CocosError)) return ofFileSystem(error) ?? error;
  const { code, suggestion } = error;
  const message = quotesFileSystem(error) ? withoutFolders(error.message) : error.message;
  // Which edit it was is known to whoever made the list.
  const { edit: _edit, op: _op, ...details } = error.details ?? {};
  const isBare = Object.keys(details).length === 0;
  return fail(code, message, { suggestion, details: isBare ? undefined : details });
}

function ofFileSystem(error: unknown): unknown {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  if (code === undefined || !Object.hasOwn(fileFailures, code)) return undefined;
  const [failure, suggestion] = fileFailures[code as keyof typeof fileFailures];
  return fail(failure, withoutFolders((error as Error).message), { suggestion });
}

/** Whether a message repeats what the file system has said, which names files by their whole path. */
function quotesFileSystem({ cause }: CocosError): boolean {
  return cause instanceof Error && 'path' in cause;
}
