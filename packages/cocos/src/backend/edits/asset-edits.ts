import { createAsset, deleteAsset, imageSource, importImage, moveAsset } from '#cocos/edit';
import { defineEdit } from './define-edit.ts';
import { anyAsset, closedObject, flag, gameScene, object, text, texts } from './schemas.ts';

const category = 'asset';

/** Edits of the files of a project. */
export const assetEdits = [
  defineEdit({
    op: 'import_image',
    tool: 'create_asset_image',
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
      {
        title: 'A new image',
        input: { sourcePath: 'art/comet.png', assetPath: 'assets/textures/comet.png' },
      },
      {
        title: 'New pixels for one that is used',
        input: { sourcePath: 'art/star.png', assetPath: 'assets/textures/star.png' },
      },
      {
        input: { sourcePath: '../comet.png', assetPath: 'assets/textures/comet.png' },
        fails: 'E_PRECONDITION_FAILED',
      },
      {
        input: { sourcePath: 'art/moon.png', assetPath: 'assets/textures/moon.png' },
        fails: 'E_NOT_FOUND',
      },
      {
        input: { sourcePath: 'package.json', assetPath: 'assets/textures/comet.png' },
        fails: 'E_INVALID_ARGUMENT',
      },
      {
        input: {
          sourcePath: 'art/star.png',
          assetPath: 'assets/textures/star.png',
          onConflict: 'fail',
        },
        fails: 'E_CONFLICT',
      },
    ],
    input: closedObject([], {
      sourcePath: {
        ...text,
        minLength: 1,
        description:
          'The image: relative to the project, or in a folder that the server was given. Absent: what is at assetPath.',
      },
      assetPath: {
        ...text,
        minLength: 1,
        description:
          'The file to create: assets/textures/comet.png. Folders come with it. Absent: where it is, or else assets/images.',
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
    }),
    output: object(['assetPath', 'assetUuid', 'reused'], {
      assetPath: text,
      assetUuid: text,
      spriteFrameUuid: text,
      reused: flag,
    }),
    byMessages: true,
    async run(args, { workspace, readSource }) {
      const { type = 'sprite-frame', onConflict } = args;
      const image = { ...imageSource(workspace, args, readSource), type, onConflict };
      const { path, uuid, spriteFrameUuid, reused, changes } = await importImage(workspace, image);
      return {
        result: { assetPath: path, assetUuid: uuid, spriteFrameUuid, reused },
        changes,
        made: spriteFrameUuid ?? uuid,
      };
    },
  }),
  defineEdit({
    op: 'import_asset',
    tool: 'create_asset_meta',
    description:
      'Makes a file or folder that is in the project an asset: gives it the meta that the editor would. ' +
      'Other edits do so themselves with what they name.',
    category,
    idempotent: true,
    errors: {
      E_NOT_FOUND: 'There is no such file.',
      E_INVALID_ARGUMENT: 'It is not where assets are.',
    },
    examples: [
      { title: 'A file that was just written', input: { assetPath: 'assets/data/levels.json' } },
      { input: { assetPath: 'assets/data/enemies.json' }, fails: 'E_NOT_FOUND' },
      { input: { assetPath: 'package.json' }, fails: 'E_INVALID_ARGUMENT' },
    ],
    input: closedObject(['assetPath'], {
      assetPath: {
        ...text,
        minLength: 1,
        description: 'The file: assets/data/levels.json. Images: as the project imports them.',
      },
    }),
    output: object(['assetPath', 'assetUuid', 'reused'], {
      assetPath: text,
      assetUuid: text,
      reused: { ...flag, description: 'It was an asset already.' },
    }),
    byMessages: true,
    run({ assetPath }, { workspace }) {
      const { path, uuid, reused } = createAsset(workspace, assetPath);
      return { result: { assetPath: path, assetUuid: uuid, reused }, changes: [], made: uuid };
    },
  }),
  defineEdit({
    op: 'move_asset',
    tool: 'move_asset_file',
    description:
      'Moves or renames an asset, or a folder, with its meta. All references stay whole.',
    category,
    errors: {
      E_NOT_FOUND: 'There is no such asset.',
      E_CONFLICT: 'There is an asset at the new path.',
    },
    examples: [
      {
        title: 'A file, to a folder that comes with it',
        input: {
          assetPath: 'assets/textures/star.png',
          targetPath: 'assets/textures/icons/star.png',
        },
      },
      {
        title: 'A folder',
        input: { assetPath: 'assets/textures', targetPath: 'assets/art' },
      },
      {
        input: { assetPath: 'assets/textures/moon.png', targetPath: 'assets/art/moon.png' },
        fails: 'E_NOT_FOUND',
      },
      {
        input: { assetPath: 'assets/textures/star.png', targetPath: 'assets/textures/heart.png' },
        fails: 'E_CONFLICT',
      },
    ],
    input: closedObject(['assetPath', 'targetPath'], {
      assetPath: anyAsset,
      targetPath: { ...text, minLength: 1, description: 'The new path, with the same ending.' },
    }),
    output: object(['assetPath', 'movedFrom'], { assetPath: text, movedFrom: text }),
    run({ assetPath, targetPath }, { workspace }) {
      const { from, path, changes } = moveAsset(workspace, { from: assetPath, to: targetPath });
      return { result: { assetPath: path, movedFrom: from }, changes };
    },
  }),
  defineEdit({
    op: 'delete_asset',
    tool: 'delete_asset_file',
    description:
      'Deletes an asset, or a folder with all in it, with its meta. Refused while other files use it.',
    category,
    safety: 'destructive',
    errors: {
      E_NOT_FOUND: 'There is no such asset.',
      E_PRECONDITION_FAILED: 'Other files use it.',
    },
    examples: [
      { title: 'A scene, which no other file uses', input: { assetPath: gameScene } },
      { input: { assetPath: 'assets/textures/moon.png' }, fails: 'E_NOT_FOUND' },
      { input: { assetPath: 'assets/textures/star.png' }, fails: 'E_PRECONDITION_FAILED' },
    ],
    input: closedObject(['assetPath'], {
      assetPath: anyAsset,
      force: {
        ...flag,
        description: 'Although other files use it; their references break. Default false.',
      },
    }),
    output: object(['assetPath', 'brokenUsers'], { assetPath: text, brokenUsers: texts }),
    async run({ assetPath, force = false }, { workspace }) {
      const done = await deleteAsset(workspace, { path: assetPath, force });
      return { result: { assetPath: done.path, brokenUsers: done.users }, changes: done.changes };
    },
  }),
] as const;
