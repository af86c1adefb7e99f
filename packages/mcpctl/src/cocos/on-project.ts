import { statSync } from 'node:fs';
import path from 'node:path';
import { CocosError, type CocosErrorCode } from '@mcp-kit/cocos/document';
import { openWorkspace, type Workspace } from '@mcp-kit/cocos/edit';
import { openProject } from '@mcp-kit/cocos/project';
import { KitError, type KitErrorCode } from 'mcp-kit/internal';

const codes: Readonly<Record<CocosErrorCode, KitErrorCode | undefined>> = {
  E_NOT_FOUND: 'invalid_argument',
  E_INVALID_ARGUMENT: 'invalid_argument',
  E_CONFLICT: 'invalid_config',
  E_PRECONDITION_FAILED: 'invalid_config',
  E_TIMEOUT: 'timeout',
  E_UNAVAILABLE: 'unreachable',
  E_INTERNAL: undefined,
};

/** Does work that may fail as work on projects does; that is then a failure as any other of this program. */
export async function asCommand<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    const code = cause instanceof CocosError ? codes[cause.code] : undefined;
    if (code === undefined || !(cause instanceof CocosError)) throw cause;
    const { message, suggestion: hint = 'Name the folder of a Cocos Creator 3.8 project.' } = cause;
    throw new KitError(code, message, { hint, cause });
  }
}

/** A folder or file that was typed: the folder to look for a project from, and the file. */
export function placeOf(typed: string): {
  readonly folder: string;
  readonly file?: string | undefined;
} {
  const place = path.resolve(typed);
  const isFile = statSync(place, { throwIfNoEntry: false })?.isFile() ?? false;
  return isFile ? { folder: path.dirname(place), file: place } : { folder: place };
}

/** Opens the project that a folder is, or is in, and looks at it. */
export function lookAtProject<T>(
  folder: string,
  look: (workspace: Workspace) => T | Promise<T>,
): Promise<T> {
  return asCommand(async () => {
    using project = await openProject(folder);
    return await look(await openWorkspace(project));
  });
}
