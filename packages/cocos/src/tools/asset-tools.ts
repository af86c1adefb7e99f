import type { AssetReading, CocosBackend } from '#cocos/backend';
import { CocosError } from '#cocos/document';
import type { Tool } from 'mcp-kit/tools';
import { editTool, readTool } from './define-tools.ts';
import { pageOf } from './page.ts';
import { asset, count, flag, limit, offset, text, texts } from './schemas.ts';

const category = 'asset';
const anyAsset = {
  type: 'string',
  minLength: 1,
  description: 'The asset: path, db:// URL or uuid.',
} as const;

/** An asset as it is answered. */
function shown({ assetUuid, path, url, type, exists }: AssetReading) {
  const place = path === undefined ? {} : { path };
  return { assetUuid, ...place, url, type, ...(exists ? {} : { exists }) };
}

function listAssetFiles(backend: CocosBackend): Tool {
  return readTool({
    name: 'list_asset_files',
    description:
      'Lists, or finds, assets by folder, type and name: scenes, prefabs, scripts, images, sprite frames …; also those of the engine.',
    category,
    errors: { E_INVALID_ARGUMENT: 'The folder is not in the project.' },
    examples: [
      { title: 'All prefabs', input: { type: 'prefab' } },
      { title: 'By name', input: { name: 'logo', type: 'cc.SpriteFrame' } },
      { title: 'Of the engine', input: { internal: true, name: 'default_btn', limit: 10 } },
      { input: { folder: '../other' }, fails: 'E_INVALID_ARGUMENT' },
    ],
    input: {
      type: 'object',
      properties: {
        folder: { ...text, description: 'Only what is below it: assets/ui.' },
        type: {
          ...text,
          description:
            'scene, prefab, script, image, font, audio, material, animation, folder, or a class: cc.SpriteFrame.',
        },
        name: {
          ...text,
          description: 'A part of the path, in any case; with *, the whole file name: btn_*.png.',
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
      },
      additionalProperties: false,
    },
    output: {
      type: 'object',
      properties: { assets: { type: 'array', items: asset }, total: count, nextOffset: count },
      required: ['assets', 'total'],
    },
    async run({ folder, type, name, internal, includeParts = false, ...args }) {
      const found = await backend.assets({ folder, type, name, internal });
      const { items, ...page } = pageOf(found, args);
      const assets = items.map((each) =>
        includeParts ? { ...shown(each), subAssets: [...each.subAssets] } : shown(each),
      );
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
      { input: { assetPath: 'assets/images/logo.png' } },
      { input: { assetPath: 'assets/prefabs/item.prefab' } },
      { input: { assetPath: 'assets/none.png' }, fails: 'E_NOT_FOUND' },
    ],
    input: {
      type: 'object',
      properties: { assetPath: anyAsset, offset, limit },
      required: ['assetPath'],
      additionalProperties: false,
    },
    output: {
      type: 'object',
      properties: {
        ...asset.properties,
        nodes: count,
        usedBy: texts,
        uses: texts,
        total: { ...count, description: 'How many files use it.' },
        nextOffset: count,
      },
      required: ['assetUuid', 'url', 'type', 'subAssets', 'usedBy', 'uses', 'total'],
    },
    async run({ assetPath, ...args }) {
      const found = await backend.asset(assetPath);
      const { usedBy, uses } = await backend.references(found.assetUuid);
      const nodes = await nodesOf(backend, found);
      const { items, ...page } = pageOf(usedBy, args);
      return {
        ...shown(found),
        subAssets: [...found.subAssets],
        ...(nodes === undefined ? {} : { nodes }),
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

function createAssetImage(backend: CocosBackend): Tool {
  return editTool(backend, {
    name: 'create_asset_image',
    description: 'Makes a PNG or JPEG an asset of the project, as a sprite frame or texture.',
    category,
    idempotent: true,
    errors: {
      E_NOT_FOUND: 'There is no such file.',
      E_INVALID_ARGUMENT: 'The file is no PNG or JPEG, or the path has another ending.',
      E_CONFLICT: 'Another image is at the path, and onConflict is fail.',
      E_PRECONDITION_FAILED: 'The file is outside of the project and of the folders for images.',
    },
    examples: [
      { input: { sourcePath: 'art/coin.png', assetPath: 'assets/images/coin.png' } },
      {
        input: { sourcePath: '../coin.png', assetPath: 'assets/images/coin.png' },
        fails: 'E_PRECONDITION_FAILED',
      },
      {
        input: { sourcePath: 'art/none.png', assetPath: 'assets/images/none.png' },
        fails: 'E_NOT_FOUND',
      },
      {
        input: { sourcePath: 'package.json', assetPath: 'assets/images/a.png' },
        fails: 'E_INVALID_ARGUMENT',
      },
      {
        input: {
          sourcePath: 'art/coin.png',
          assetPath: 'assets/images/logo.png',
          onConflict: 'fail',
        },
        fails: 'E_CONFLICT',
      },
    ],
    input: {
      type: 'object',
      properties: {
        sourcePath: {
          ...text,
          minLength: 1,
          description:
            'The image: relative to the project, or in a folder that the server was given.',
        },
        assetPath: {
          ...text,
          minLength: 1,
          description: 'The file to create: assets/ui/coin.png. Folders come with it.',
        },
        type: {
          enum: ['sprite-frame', 'texture'],
          description: 'Default sprite-frame, to be shown by sprites.',
        },
        onConflict: {
          enum: ['update', 'fail'],
          description:
            'Where another image is there: update (default) keeps its uuid and all references.',
        },
      },
      required: ['sourcePath', 'assetPath'],
      additionalProperties: false,
    },
    output: {
      type: 'object',
      properties: { assetPath: text, assetUuid: text, spriteFrameUuid: text, reused: flag },
      required: ['assetPath', 'assetUuid', 'reused'],
    },
    edits: ({ sourcePath, assetPath, type = 'sprite-frame', onConflict }) =>
      [{ op: 'import_image', source: sourcePath, path: assetPath, type, onConflict }] as const,
    answer: ([{ op: _, path, ...done }]) => ({ assetPath: path, ...done }),
  });
}

function moveAssetFile(backend: CocosBackend): Tool {
  return editTool(backend, {
    name: 'move_asset_file',
    description:
      'Moves or renames an asset, or a folder, with its meta. All references stay whole.',
    category,
    errors: {
      E_NOT_FOUND: 'There is no such asset.',
      E_CONFLICT: 'There is an asset at the new path.',
    },
    examples: [
      { input: { assetPath: 'assets/images/logo.png', targetPath: 'assets/ui/logo.png' } },
      { input: { assetPath: 'assets/none.png', targetPath: 'assets/b.png' }, fails: 'E_NOT_FOUND' },
      {
        input: { assetPath: 'assets/images/logo.png', targetPath: 'assets/images/spare.png' },
        fails: 'E_CONFLICT',
      },
    ],
    input: {
      type: 'object',
      properties: {
        assetPath: anyAsset,
        targetPath: { ...text, minLength: 1, description: 'The new path, with the same ending.' },
      },
      required: ['assetPath', 'targetPath'],
      additionalProperties: false,
    },
    output: {
      type: 'object',
      properties: { assetPath: text, movedFrom: text },
      required: ['assetPath', 'movedFrom'],
    },
    edits: ({ assetPath, targetPath }) =>
      [{ op: 'move_asset', asset: assetPath, to: targetPath }] as const,
    answer: ([{ from, path }]) => ({ assetPath: path, movedFrom: from }),
  });
}

function deleteAssetFile(backend: CocosBackend): Tool {
  return editTool(backend, {
    name: 'delete_asset_file',
    description:
      'Deletes an asset, or a folder with all in it, with its meta. Refused while other files use it.',
    category,
    safety: 'destructive',
    errors: {
      E_NOT_FOUND: 'There is no such asset.',
      E_PRECONDITION_FAILED: 'Other files use it.',
    },
    examples: [
      { input: { assetPath: 'assets/images/spare.png' } },
      { input: { assetPath: 'assets/none.png' }, fails: 'E_NOT_FOUND' },
      { input: { assetPath: 'assets/images/logo.png' }, fails: 'E_PRECONDITION_FAILED' },
    ],
    input: {
      type: 'object',
      properties: {
        assetPath: anyAsset,
        force: {
          ...flag,
          description: 'Although other files use it; their references break. Default false.',
        },
      },
      required: ['assetPath'],
      additionalProperties: false,
    },
    output: {
      type: 'object',
      properties: { assetPath: text, brokenUsers: texts },
      required: ['assetPath', 'brokenUsers'],
    },
    edits: ({ assetPath, force }) => [{ op: 'delete_asset', asset: assetPath, force }] as const,
    answer: ([{ path, users }]) => ({ assetPath: path, brokenUsers: [...users] }),
  });
}

/** Tools about the files of a project. */
export function assetTools(backend: CocosBackend): readonly Tool[] {
  return [
    listAssetFiles(backend),
    getAssetInfo(backend),
    createAssetImage(backend),
    moveAssetFile(backend),
    deleteAssetFile(backend),
  ];
}
