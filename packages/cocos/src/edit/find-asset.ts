import { acceptsAsset, classOfImporter, findBuiltInAsset, subAssetFor } from '#cocos/components';
import { CocosError, subAssetId } from '#cocos/document';
import type { Asset } from '#cocos/project';
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
  const found = lookUp(workspace, reference);
  if (found === undefined) throw missing(workspace, reference);
  if (acceptsAsset(expected, found.type)) return found;
  const sub = subAssetFor(expected);
  const part =
    sub === undefined ? undefined : lookUp(workspace, `${found.uuid}@${subAssetId(sub)}`);
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

function missing({ draft }: Workspace, reference: string): CocosError {
  const isFile = /[./]/.test(reference) && draft.exists(reference);
  const details = { asset: reference };
  if (!isFile) {
    return new CocosError('E_NOT_FOUND', `There is no asset "${reference}".`, {
      suggestion: 'Name an asset by its path in the project, its db:// URL, or its uuid.',
      details,
    });
  }
  return new CocosError(
    'E_NOT_FOUND',
    `There is a file "${reference}", but no ${reference}.meta beside it: it is no asset yet.`,
    {
      suggestion:
        'Open the project in the editor, which makes the meta, or restore it. An image can be imported to another path.',
      details,
    },
  );
}

function lookUp(workspace: Workspace, reference: string): FoundAsset | undefined {
  const builtIn = findBuiltInAsset(reference);
  if (builtIn !== undefined) return builtIn;
  const [name = '', ...subs] = reference.split('@');
  const { draft } = workspace;
  const byUuid = draft.asset(name);
  if (byUuid !== undefined) return withSub(byUuid, subs.join('@'));
  if (name.startsWith('db://internal/')) return undefined;
  const path = draft.resolve(name);
  const byPath = draft.assetAt(path);
  if (byPath !== undefined) return withSub(byPath, subs.join('@'));
  const slash = path.lastIndexOf('/');
  const above = draft.assetAt(path.slice(0, slash));
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
