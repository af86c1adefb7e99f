import { existsSync, lstatSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { CocosError } from '#cocos/document';
import type { FoundProject, Mount } from './find-project.ts';

/** No project has a path like that, and each folder of one is looked at for each folder above it. */
const maxLength = 1024;
const maxFolders = 64;

type Place = Pick<FoundProject, 'root' | 'mounts'>;

/** The path in the project, with `/`, of a `db://` address, a relative or an absolute path; refuses what leads out. */
export function resolvePath(place: Place, input: string): string {
  const plain = input.replaceAll('\\', '/');
  const relative = plain.startsWith('db://') ? fromUrl(place, plain) : fromPath(place, plain);
  const normal = path.posix.normalize(relative).replace(/\/$/, '');
  if (normal.length > maxLength || normal.split('/').length > maxFolders) throw tooLong(input);
  const leadsOut = normal === '..' || normal.startsWith('../') || path.posix.isAbsolute(normal);
  if (normal.includes('\0')) throw withNul(input);
  if (leadsOut || /^[a-z]:/i.test(normal)) throw outside(input);
  return normal;
}

function fromUrl({ mounts }: Place, url: string): string {
  const [name = '', ...rest] = url.slice('db://'.length).split('/');
  const mount = mounts.find((candidate) => candidate.name === name);
  if (mount !== undefined) {
    const inner = path.posix.normalize(rest.join('/'));
    if (inner === '..' || inner.startsWith('../')) throw outside(url);
    return path.posix.join(mount.path, inner);
  }
  const suggestion =
    name === 'internal'
      ? 'These assets belong to the engine: refer to them by uuid.'
      : `Known are ${mounts.map((known) => `db://${known.name}`).join(', ')}.`;
  throw new CocosError('E_NOT_FOUND', `the project has no asset database db://${name}`, {
    suggestion,
  });
}

function fromPath({ root }: Place, input: string): string {
  if (!path.isAbsolute(input)) return input;
  return path.relative(root, input).replaceAll('\\', '/');
}

/** The absolute path of a path of the project, with symbolic links resolved; refuses links that lead out. */
export function fileOf({ root }: Pick<Place, 'root'>, relative: string): string {
  const file = path.join(root, relative);
  const { real, rest } = realBegin(file);
  const isInside = real === root || real.startsWith(root + path.sep);
  if (!isInside) throw existsSync(root) ? outside(relative) : folderGone(root);
  return path.join(real, rest);
}

/** What is answered where the project is not there any more. */
export function folderGone(root: string): CocosError {
  return new CocosError('E_UNAVAILABLE', 'The folder of the project is gone.', {
    suggestion: 'Put it back where it was, or start the server for the folder where it is now.',
    details: { project: path.basename(root) },
  });
}

/** The part of a path that exists, resolved, and the part that does not. */
function realBegin(file: string): { readonly real: string; readonly rest: string } {
  const missing: string[] = [];
  for (let at = file; ; at = path.dirname(at)) {
    try {
      // Asked first, because most of what is missing is whole folders, and an exception for each takes long.
      if (lstatSync(at, { throwIfNoEntry: false }) !== undefined || at === path.dirname(at)) {
        return { real: realpathSync.native(at), rest: path.join(...missing) };
      }
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if ((code !== 'ENOENT' && code !== 'ENOTDIR') || at === path.dirname(at)) throw error;
    }
    missing.unshift(path.basename(at));
  }
}

/** The `db://` address of a path; undefined for what is no asset. */
export function urlOf({ mounts }: Pick<Place, 'mounts'>, relative: string): string | undefined {
  const mount = mountOf(mounts, relative);
  return mount && `db://${mount.name}${relative.slice(mount.path.length)}`;
}

function mountOf(mounts: readonly Mount[], relative: string): Mount | undefined {
  return mounts.find(({ path: base }) => relative === base || relative.startsWith(`${base}/`));
}

/** Refuses a path where nothing may be written: outside the assets and settings, or in an extension that says so. */
export function refuseUnwritable({ mounts }: Pick<Place, 'mounts'>, relative: string): void {
  const mount = mountOf(mounts, relative);
  if (mount !== undefined && !mount.readonly && relative !== mount.path) return;
  if (relative.startsWith('settings/v2/')) return;
  const reason = mount?.readonly === true ? 'is read-only' : 'is no place for assets';
  throw new CocosError('E_INVALID_ARGUMENT', `${relative} ${reason}: nothing is written there`, {
    suggestion: 'Use a path below assets.',
  });
}

function withNul(input: string): CocosError {
  const shown = input.replaceAll('\0', '\\0');
  return new CocosError('E_INVALID_ARGUMENT', `${shown} is no path: it has a NUL byte in it.`, {
    suggestion: 'Leave it out.',
  });
}

function outside(input: string): CocosError {
  return new CocosError('E_INVALID_ARGUMENT', `${input} leads out of the project`, {
    suggestion: 'Use db://assets/… or a path inside the project.',
  });
}

function tooLong(input: string): CocosError {
  return new CocosError('E_INVALID_ARGUMENT', `${input.slice(0, 100)}… is no path of a project`, {
    suggestion: `Use a path of at most ${maxFolders} folders and ${maxLength} characters.`,
  });
}
