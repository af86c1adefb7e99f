import type { AssetReading, CocosBackend } from '#cocos/backend';
import { CocosError } from '#cocos/document';
import type { Tool } from 'mcp-kit/tools';
import { readTool } from './define-tools.ts';
import { pageOf } from './page.ts';
import {
  anyAsset,
  asset,
  closedObject,
  count,
  flag,
  limit,
  object,
  offset,
  text,
  texts,
} from './schemas.ts';
import { assetLines, goesOn, howMany, lines } from './show.ts';

const category = 'asset';

/** An asset as it is answered. */
function shown({ assetUuid, path: assetPath, url, type, exists }: AssetReading) {
  const imported = assetUuid === undefined ? false : undefined;
  return { assetUuid, assetPath, url, type, exists: exists ? undefined : false, imported };
}

function listAssetFiles(backend: CocosBackend): Tool {
  return readTool({
    name: 'list_asset_files',
    description:
      'Lists, or finds, assets by folder, type and name: scenes, prefabs, scripts, images, sprite frames …; also those of the engine.',
    category,
    errors: {
      E_INVALID_ARGUMENT: 'The folder is not in the project, or no asset is of such a type.',
    },
    examples: [
      { title: 'All prefabs', input: { type: 'prefab' } },
      { title: 'By name', input: { name: 'star', type: 'cc.SpriteFrame' } },
      {
        title: 'In a folder, with the parts of images',
        input: { folder: 'assets/textures', includeParts: true },
      },
      { title: 'Of the engine', input: { internal: true, name: 'default_btn', limit: 10 } },
      { input: { folder: '../other' }, fails: 'E_INVALID_ARGUMENT' },
      { input: { type: 'picture' }, fails: 'E_INVALID_ARGUMENT' },
    ],
    input: closedObject([], {
      folder: { ...text, description: 'Only what is below it: assets/textures.' },
      type: {
        ...text,
        description:
          'scene, prefab, script, image, font, audio, material, animation, folder, or a class: cc.SpriteFrame.',
      },
      name: {
        ...text,
        description: 'A part of the path, in any case; with *, the whole file name: star*.png.',
      },
      internal: {
        ...flag,
        description: 'Those of the engine instead of the project. Default false.',
      },
      includeParts: {
        ...flag,
        description: 'With sub-assets such as sprite frames. Default false.',
      },
      offset,
      limit,
    }),
    output: object(['assets', 'total'], {
      assets: { type: 'array', items: asset },
      total: count,
      nextOffset: count,
    }),
    show: ({ assets, ...page }) =>
      lines(howMany(page.total, 'asset'), assets.flatMap(assetLines), goesOn(page)),
    async run({ folder, type, name, internal, includeParts = false, ...args }) {
      const found = await backend.assets({ folder, type, name, internal });
      const { items, ...page } = pageOf(found, args);
      const assets = items.map((each) => ({
        ...shown(each),
        subAssets: includeParts ? each.subAssets : undefined,
      }));
      return { assets, ...page };
    },
  });
}

function getAssetInfo(backend: CocosBackend): Tool {
  return readTool({
    name: 'get_asset_info',
    description:
      'Tells all about an asset: its parts, the files that use it, and what it uses; of prefabs and scenes also how many nodes.',
    category,
    errors: { E_NOT_FOUND: 'There is no such asset.' },
    examples: [
      { input: { assetPath: 'assets/textures/star.png' } },
      { input: { assetPath: 'assets/prefabs/dialog.prefab' } },
      { input: { assetPath: 'assets/textures/moon.png' }, fails: 'E_NOT_FOUND' },
    ],
    input: closedObject(['assetPath'], { assetPath: anyAsset, offset, limit }),
    output: object(['url', 'type', 'subAssets', 'usedBy', 'uses', 'total'], {
      ...asset.properties,
      nodes: count,
      usedBy: texts,
      uses: texts,
      total: { ...count, description: 'How many files use it.' },
      nextOffset: count,
    }),
    show: ({ usedBy, uses, nodes, ...rest }) =>
      lines(
        assetLines(rest),
        nodes === undefined ? undefined : howMany(nodes, 'node'),
        `used by ${usedBy.length === 0 ? 'nothing' : usedBy.join(', ')}`,
        uses.length === 0 ? undefined : `uses ${uses.join(', ')}`,
        goesOn(rest),
      ),
    async run({ assetPath, ...args }) {
      const found = await backend.asset(assetPath);
      const { usedBy, uses } = await backend.references(found.assetUuid ?? assetPath);
      const nodes = await nodesOf(backend, found);
      const { items, ...page } = pageOf(usedBy, args);
      return {
        ...shown(found),
        subAssets: found.subAssets,
        nodes,
        usedBy: items,
        uses: uses.map(({ assetUuid, path }) => path ?? assetUuid),
        ...page,
      };
    },
  });
}

/** How many nodes a scene or prefab has, if it can be opened. */
async function nodesOf(
  backend: CocosBackend,
  { type, path }: AssetReading,
): Promise<number | undefined> {
  if (path === undefined || (type !== 'cc.Prefab' && type !== 'cc.SceneAsset')) return undefined;
  try {
    return (await backend.document(path)).nodes;
  } catch (error) {
    if (error instanceof CocosError) return undefined;
    throw error;
  }
}

/** Tools about the files of a project. */
export function assetTools(backend: CocosBackend): readonly Tool[] {
  return [listAssetFiles(backend), getAssetInfo(backend)];
}
