import { readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { CocosError } from '#cocos/document';

const maxBytes = 64 * 1024 * 1024;

/** Where images may be imported from. */
export interface ImageSources {
  /** What relative paths are relative to. */
  readonly root: string;
  /** Only files below these; any where absent. */
  readonly folders?: readonly string[] | undefined;
}

/** The bytes of a file of this machine that is to be imported. */
export function readImageFile(source: string, { root, folders }: ImageSources): Uint8Array {
  const file = path.resolve(root, source);
  const stat = statSync(file, { throwIfNoEntry: false });
  if (folders !== undefined && !folders.some((folder) => isBelow(file, path.resolve(folder))))
    throw new CocosError('E_INVALID_ARGUMENT', `"${source}" may not be imported from.`, {
      suggestion: `Images are imported from: ${folders.join(', ')}`,
    });
  if (stat?.isFile() !== true)
    throw new CocosError('E_NOT_FOUND', `There is no file "${source}".`, {
      suggestion: 'Name a PNG or JPEG on this machine, absolute or relative to the project.',
    });
  if (stat.size > maxBytes)
    throw new CocosError('E_INVALID_ARGUMENT', `"${source}" is larger than 64 MiB.`);
  return readFileSync(file);
}

/** Also where links lead. */
function isBelow(file: string, folder: string): boolean {
  const real = (place: string): string => {
    try {
      return realpathSync(place);
    } catch {
      return place;
    }
  };
  const relative = path.relative(real(folder), real(file));
  return relative !== '' && !relative.startsWith('..') && !path.isAbsolute(relative);
}
