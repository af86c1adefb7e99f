import { existsSync, readdirSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { CocosError, textOf } from '#cocos/document';
import { objectIn, readJsonFile } from './json-file.ts';
import { statOf } from './stamp.ts';

/** What a project says of itself. */
export interface ProjectInfo {
  readonly name: string;
  readonly uuid: string;
  /** The version of Creator that last opened it; empty where the project does not say. */
  readonly version: string;
  readonly designResolution: { readonly width: number; readonly height: number };
  /** What images become when they are imported. */
  readonly imageType: 'sprite-frame' | 'texture';
}

/** A folder of assets and the name it has in `db://` addresses. */
export interface Mount {
  readonly name: string;
  /** In the project, with `/`. */
  readonly path: string;
  readonly readonly: boolean;
}

/** Where a project is, with symbolic links resolved. */
export interface FoundProject {
  readonly root: string;
  readonly info: ProjectInfo;
  readonly mounts: readonly Mount[];
}

/** Finds the project that a folder, or a file in it, belongs to. */
export function findProject(start: string): FoundProject {
  const from = path.resolve(start);
  if (!existsSync(from)) throw new CocosError('E_NOT_FOUND', `${from} does not exist`);
  const inside = realpathSync(from);
  for (let folder = inside; ; folder = path.dirname(folder)) {
    if (isProject(folder)) return describe(folder);
    refuseOld(folder);
    if (folder === path.dirname(folder)) break;
  }
  throw new CocosError('E_NOT_FOUND', `${from} is not in a Cocos Creator project`, {
    suggestion: 'Name the folder that has package.json with "creator", and assets.',
  });
}

function isProject(folder: string): boolean {
  if (!isFolder(path.join(folder, 'assets'))) return false;
  const { version } = objectIn(readJsonFile(path.join(folder, 'package.json')), 'creator');
  return typeof version === 'string' || isFolder(path.join(folder, 'settings'));
}

function refuseOld(folder: string, version = '2'): void {
  const old = readJsonFile(path.join(folder, 'project.json'));
  const isOld = typeof old?.['engine'] === 'string' && isFolder(path.join(folder, 'assets'));
  if (isOld) throw unsupported(folder, textOf(old['version']) || version);
}

function unsupported(folder: string, version: string): CocosError {
  return new CocosError(
    'E_PRECONDITION_FAILED',
    `the project ${folder} is of Cocos Creator ${version}; only 3.x can be edited`,
    { suggestion: 'Open it in Cocos Creator 3.8 to upgrade it.', details: { version } },
  );
}

function describe(root: string): FoundProject {
  const manifest = readJsonFile(path.join(root, 'package.json'));
  const version = textOf(objectIn(manifest, 'creator')['version']);
  if (version === '') refuseOld(root);
  else if (!version.startsWith('3.')) throw unsupported(root, version);
  const general = objectIn(readSettings(root, 'project'), 'general', 'designResolution');
  const size = (key: string, otherwise: number) =>
    typeof general[key] === 'number' ? general[key] : otherwise;
  const defaults = objectIn(
    readJsonFile(path.join(root, '.creator', 'default-meta.json')),
    'image',
  );
  return {
    root,
    info: {
      name: textOf(manifest?.['name']) || path.basename(root),
      uuid: textOf(manifest?.['uuid']),
      version,
      designResolution: { width: size('width', 1280), height: size('height', 720) },
      imageType: defaults['type'] === 'sprite-frame' ? 'sprite-frame' : 'texture',
    },
    mounts: [{ name: 'assets', path: 'assets', readonly: false }, ...extensionMounts(root)],
  };
}

const readSettings = (root: string, name: string) =>
  readJsonFile(path.join(root, 'settings', 'v2', 'packages', `${name}.json`));

/** Extensions may bring assets. One without a manifest is what a repository kept of it: its assets are known, and left alone. */
function extensionMounts(root: string): Mount[] {
  const folder = path.join(root, 'extensions');
  if (!isFolder(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .sort((left, right) => (left.name < right.name ? -1 : 1))
    .flatMap(({ name }): Mount[] => {
      const manifest = readJsonFile(path.join(folder, name, 'package.json'));
      const mount = objectIn(manifest, 'contributions', 'asset-db', 'mount');
      const own = manifest === undefined ? 'assets' : textOf(mount['path']);
      const place = path.posix.join('extensions', name, own);
      const isInside = place.startsWith(`extensions/${name}/`);
      if (own === '' || !isInside || !isFolder(path.join(root, place))) return [];
      return [
        {
          name: textOf(manifest?.['name']) || name,
          path: place.replace(/\/$/, ''),
          readonly: manifest === undefined || mount['readonly'] === true,
        },
      ];
    });
}

function isFolder(file: string): boolean {
  return statOf(file)?.isDirectory() === true;
}
