import { createScene } from '#cocos/edit';
import { defineEdit } from './define-edit.ts';
import { closedObject, flag, menuScene, object, size, text } from './schemas.ts';

/** Edits of whole scenes. */
export const sceneEdits = [
  defineEdit({
    op: 'create_scene',
    tool: 'create_scene_asset',
    description: 'Creates a 2D scene with a Canvas and a camera, ready for UI. Does not open it.',
    category: 'scene',
    errors: { E_CONFLICT: 'There is an asset at the path.' },
    examples: [
      { input: { assetPath: 'assets/scenes/level-1.scene' } },
      {
        title: 'Upright, in a folder that comes with it',
        input: {
          assetPath: 'assets/scenes/shop/shop.scene',
          resolution: { width: 640, height: 960 },
        },
      },
      { input: { assetPath: menuScene }, fails: 'E_CONFLICT' },
    ],
    input: closedObject(['assetPath'], {
      assetPath: {
        type: 'string',
        minLength: 1,
        description: 'The file to create: assets/scenes/level-1.scene. Folders come with it.',
      },
      resolution: { ...size, description: 'Absent: the design resolution of the project.' },
      empty: { ...flag, description: 'Without Canvas and camera. Default false.' },
    }),
    output: object(['scenePath', 'assetUuid'], { scenePath: text, assetUuid: text }),
    byMessages: true,
    run({ assetPath, resolution, empty }, { workspace }) {
      const { path, uuid, changes } = createScene(workspace, {
        path: assetPath,
        resolution,
        empty,
      });
      return { result: { scenePath: path, assetUuid: uuid }, changes, made: uuid };
    },
  }),
] as const;
