import {
  acceptsAsset,
  classOfImporter,
  findBuiltInAsset,
  nearest,
  subAssetFor,
} from '#cocos/components';
import { CocosError, subAssetId } from '#cocos/document';
import type { Asset } from '#cocos/project';
import { assetAt, unimportedAt } from './import/import-file.ts';
import type { Workspace } from './workspace.ts';

/** An asset of the project or of the engine. */
export interface FoundAsset {
  /** With the sub-asset: `…@f9941`. */
  readonly uuid: string;
  readonly type: string;
  readonly importer: string;
  readonly url: string;
  /** The file in the project; absent for assets of the engine. */
  readonly path?: string | undefined;
}

/** The asset named by uuid, URL or path; an image stands for its sprite frame or texture where one is expected. */
export function findAsset(
  workspace: Workspace,
  reference: string,
  expected = 'cc.Asset',
): FoundAsset {
  const found = lookUp(workspace, reference, expected);
  if (found === undefined) throw missing(workspace, reference);
  if (acceptsAsset(expected, found.type)) return found;
  const sub = subAssetFor(expected);
  const part =
    sub === undefined ? undefined : lookUp(workspace, `${found.uuid}@${subAssetId(sub)}`, expected);
  if (part !== undefined && acceptsAsset(expected, part.type)) return part;
  const isImage = found.type === 'cc.ImageAsset' && expected === 'cc.SpriteFrame';
  throw new CocosError(
    isImage ? 'E_PRECONDITION_FAILED' : 'E_INVALID_ARGUMENT',
    `"${reference}" is a ${found.type}, but a ${expected} is needed.`,
    {
      suggestion: isImage
        ? 'The image is imported as a texture; import it again as a sprite-frame.'
        : `Name a ${expected}.`,
      details: { asset: reference, type: found.type, expected },
    },
  );
}

function missing(workspace: Workspace, reference: string): CocosError {
  const { draft } = workspace;
  const details = { asset: reference };
  const path = /[./]/.test(reference) ? draft.resolve(reference) : reference;
  if (unimportedAt(workspace, path) !== undefined) {
    return new CocosError('E_NOT_FOUND', `"${reference}" is not imported yet.`, {
      suggestion: 'An edit that names it imports it; create_asset_meta does only that.',
      details,
    });
  }
  if (draft.exists(path) && draft.exists(`${path}.meta`)) {
    return new CocosError('E_NOT_FOUND', `The meta of "${reference}" is none: it has no uuid.`, {
      suggestion: `Restore ${path}.meta, or delete it: another is made when it is needed.`,
      details,
    });
  }
  const near = alike(workspace, path);
  return new CocosError('E_NOT_FOUND', `There is no asset "${reference}".`, {
    suggestion:
      near.length === 0
        ? 'Name an asset by its path in the project, its db:// URL, or its uuid.'
        : `Near it are ${near.join(', ')}.`,
    details,
  });
}

/** Assets of the same kind of file, those first that are called most like it. */
function alike({ draft }: Workspace, path: string): string[] {
  const ending = /\.\w+$/.exec(path)?.[0];
  const byName = new Map<string, string>();
  for (const { path: other } of draft.assets()) {
    if (ending !== undefined && other.endsWith(ending)) byName.set(nameOf(other), other);
  }
  return nearest(nameOf(path), [...byName.keys()]).map((name) => byName.get(name) ?? name);
}

const nameOf = (path: string): string => path.replace(/^.*\//, '');

function lookUp(workspace: Workspace, reference: string, expected: string): FoundAsset | undefined {
  const builtIn = findBuiltInAsset(reference);
  if (builtIn !== undefined) return builtIn;
  const [name = '', ...subs] = reference.split('@');
  const { draft } = workspace;
  const byUuid = draft.asset(name);
  if (byUuid !== undefined) return withSub(byUuid, subs.join('@'));
  if (name.startsWith('db://internal/')) return undefined;
  const path = draft.resolve(name);
  const isFrame = expected === 'cc.SpriteFrame' || /[/@](spriteFrame|f9941)$/.test(reference);
  const type = isFrame ? 'sprite-frame' : undefined;
  const byPath = assetAt(workspace, path, type);
  if (byPath !== undefined) return withSub(byPath, subs.join('@'));
  const slash = path.lastIndexOf('/');
  const folder = path.slice(0, slash);
  const above = draft.isFolder(folder) ? undefined : assetAt(workspace, folder, type);
  const isImage = above !== undefined && above.subAssets.length > 0;
  return isImage ? withSub(above, subAssetId(path.slice(slash + 1))) : undefined;
}

function withSub(asset: Asset, sub: string): FoundAsset | undefined {
  const { path, url } = asset;
  if (sub === '') {
    return {
      uuid: asset.uuid,
      type: classOfImporter(asset.importer) ?? 'cc.Asset',
      importer: asset.importer,
      path,
      url,
    };
  }
  const uuid = `${asset.uuid}@${sub}`;
  const part = asset.subAssets.find((other) => other.uuid === uuid);
  if (part === undefined) return undefined;
  return {
    uuid,
    type: classOfImporter(part.importer) ?? 'cc.Asset',
    importer: part.importer,
    path,
    url: `${url}/${part.name}`,
  };
}
