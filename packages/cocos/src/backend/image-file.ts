import { readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { CocosError } from '#cocos/document';

const maxBytes = 64 * 1024 * 1024;

/** Where images may be imported from. */
export interface ImageSources {
  /** The project: what relative paths are relative to, and what may always be read. */
  readonly root: string;
  /** Other folders. */
  readonly folders?: readonly string[] | undefined;
}

/** The bytes of a file of this machine that is to be imported. */
export function readImageFile(source: string, { root, folders = [] }: ImageSources): Uint8Array {
  const file = path.resolve(root, source);
  if (![root, ...folders].some((folder) => isBelow(file, path.resolve(folder)))) {
    throw new CocosError(
      'E_PRECONDITION_FAILED',
      `"${source}" is outside of the project, and no image may be imported from there.`,
      {
        suggestion: `Copy it into the project, or have the server started with that folder: mcpctl cocos serve --image-folder DIR.${
          folders.length === 0 ? '' : ` Now it may be in: ${folders.join(', ')}.`
        }`,
      },
    );
  }
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat?.isFile() !== true) {
    throw new CocosError('E_NOT_FOUND', `There is no file "${source}".`, {
      suggestion: 'Name a PNG or JPEG, absolute or relative to the project.',
    });
  }
  if (stat.size > maxBytes) {
    throw new CocosError('E_INVALID_ARGUMENT', `"${source}" is larger than 64 MiB.`);
  }
  return readFileSync(file);
}

/** Also where links lead, as far as there is something. */
function isBelow(file: string, folder: string): boolean {
  const relative = path.relative(real(folder), real(file));
  return relative !== '' && !/^\.\.(?:[/\\]|$)/.test(relative) && !path.isAbsolute(relative);
}

function real(place: string): string {
  try {
    return realpathSync(place);
  } catch {
    const above = path.dirname(place);
    return above === place ? place : path.join(real(above), path.basename(place));
  }
}
