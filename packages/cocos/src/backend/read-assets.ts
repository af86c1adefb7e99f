import { acceptsAsset, builtInAssets, classOfImporter, nearest } from '#cocos/components';
import { CocosError } from '#cocos/document';
import { findAsset, importerOf, unimportedAt, type Workspace } from '#cocos/edit';
import { type Asset, baseUuid } from '#cocos/project';
import type { AssetQuery } from './backend.ts';
import { matcher } from './matcher.ts';
import type { AssetReading } from './readings.ts';

/** Words that people use for classes of assets. */
const words: Readonly<Record<string, string>> = {
  scene: 'cc.SceneAsset',
  prefab: 'cc.Prefab',
  script: 'cc.Script',
  image: 'cc.ImageAsset',
  font: 'cc.Font',
  audio: 'cc.AudioClip',
  material: 'cc.Material',
  animation: 'cc.AnimationClip',
};

/** Describes an asset of the project. */
function readAsset(asset: Asset): AssetReading {
  const { uuid, path, url, name, importer, exists } = asset;
  return {
    assetUuid: uuid,
    path,
    url,
    name,
    type: typeOfImporter(importer),
    exists,
    subAssets: asset.subAssets.map((part) => ({
      assetUuid: part.uuid,
      name: part.name,
      type: typeOfImporter(part.importer),
      url: part.url,
    })),
  };
}

/** Describes a file or folder that no editor has seen. */
function readUnimported({ project, draft }: Workspace, path: string): AssetReading {
  const importer = draft.isFolder(path) ? 'directory' : (importerOf(path)?.name ?? '');
  const file = path.replace(/^.*\//, '');
  const name = importer === 'directory' ? file : file.replace(/\.[^.]*$/, '');
  const type = importer === '' ? 'cc.Asset' : typeOfImporter(importer);
  return { path, url: project.url(path) ?? path, name, type, exists: true, subAssets: [] };
}

function typeOfImporter(importer: string): string {
  return importer === 'directory' ? 'folder' : (classOfImporter(importer) ?? importer);
}

/** The assets that are as wanted, by path. */
export function findAssets(workspace: Workspace, query: AssetQuery): AssetReading[] {
  const { folder, type, name, internal = false } = query;
  const isNamed = matcher(name);
  const wanted = type === undefined ? undefined : (words[type] ?? type);
  const isOfType = (asset: AssetReading): boolean =>
    wanted === undefined ||
    [asset, ...asset.subAssets].some(
      (part) => part.type === wanted || (wanted !== 'cc.Asset' && acceptsAsset(wanted, part.type)),
    );
  const below = folder === undefined ? '' : `${inFolder(workspace, folder, internal)}/`;
  const place = ({ path, url }: AssetReading): string => path ?? url;
  const assets = Array.from(internal ? engineAssets() : projectAssets(workspace));
  if (wanted !== undefined && !/^\w+\./.test(wanted)) refuseUnknown(wanted, assets);
  return assets
    .filter((asset) => place(asset).startsWith(below))
    .filter((asset) => isOfType(asset))
    .filter((asset) => isNamed(name?.includes('*') === true ? fileName(asset) : place(asset)))
    .sort((left, right) => (place(left) < place(right) ? -1 : 1));
}

/** What is no class must be the name of an importer that is in use. */
function refuseUnknown(type: string, assets: readonly AssetReading[]): void {
  const used = assets.flatMap((asset) => [asset, ...asset.subAssets]).map((part) => part.type);
  const known = new Set([...Object.keys(words), 'folder', ...used]);
  if (known.has(type)) return;
  throw new CocosError('E_INVALID_ARGUMENT', `No asset is of a type "${type}".`, {
    suggestion: `Near types: ${nearest(type, [...known]).join(', ')}.`,
  });
}

const fileName = ({ path, url }: AssetReading): string => (path ?? url).replace(/^.*\//, '');

function inFolder({ draft }: Workspace, folder: string, internal: boolean): string {
  if (internal) return folder.replace(/\/$/, '');
  return draft.resolve(folder.replace(/(?<!\/)\/$/, ''));
}

function* projectAssets(workspace: Workspace): Generator<AssetReading> {
  for (const asset of workspace.draft.assets()) yield readAsset(asset);
  for (const path of workspace.project.unimported()) yield readUnimported(workspace, path);
}

function* engineAssets(): Generator<AssetReading> {
  for (const { uuid, url, type } of builtInAssets().values()) {
    yield {
      assetUuid: uuid,
      url,
      name: url.replace(/^.*\//, ''),
      type,
      exists: true,
      subAssets: [],
    };
  }
}

/** The asset of a path, URL or uuid; that of the image, where a part of one is named. */
export function readNamedAsset(workspace: Workspace, reference: string): AssetReading {
  const unimported = unimportedAt(workspace, reference);
  if (unimported !== undefined) return readUnimported(workspace, unimported);
  const { uuid, url, type, path } = findAsset(workspace, reference);
  const asset = path === undefined ? undefined : workspace.draft.asset(baseUuid(uuid));
  if (asset !== undefined) return readAsset(asset);
  const name = url.replace(/^.*\//, '');
  return { assetUuid: uuid, url, name, type, exists: true, subAssets: [] };
}
