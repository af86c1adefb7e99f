import { createPrefab, instantiatePrefab } from '#cocos/edit';
import { defineEdit, documentOf } from './define-edit.ts';
import {
  closedObject,
  flag,
  gameScene,
  menuScene,
  nodeUuid,
  object,
  parentUuid,
  position,
  rotation,
  scale,
  scenePath,
  siblingIndex,
  text,
} from './schemas.ts';

const category = 'prefab';

/** Edits that make and place prefabs. */
export const prefabEdits = [
  defineEdit({
    op: 'create_prefab',
    tool: 'create_prefab_asset',
    description:
      'Makes a prefab of a node with all below it; an instance of it takes the place of the node.',
    category,
    errors: {
      E_NOT_FOUND: 'There is no such node.',
      E_CONFLICT: 'There is an asset at the path.',
      E_PRECONDITION_FAILED: 'The node belongs to a prefab instance.',
    },
    examples: [
      {
        input: {
          scenePath: menuScene,
          nodeUuid: 'Canvas/Stars/Star',
          assetPath: 'assets/prefabs/star.prefab',
        },
      },
      {
        title: 'From a node that stays as it is',
        input: {
          scenePath: gameScene,
          nodeUuid: 'Canvas/TopBar',
          assetPath: 'assets/prefabs/hud/top-bar.prefab',
          keepNode: true,
        },
      },
      {
        input: {
          scenePath: menuScene,
          nodeUuid: 'Canvas/Shop',
          assetPath: 'assets/prefabs/shop.prefab',
        },
        fails: 'E_NOT_FOUND',
      },
      {
        input: {
          scenePath: menuScene,
          nodeUuid: 'Canvas/Title',
          assetPath: 'assets/prefabs/dialog.prefab',
        },
        fails: 'E_CONFLICT',
      },
      {
        input: {
          scenePath: menuScene,
          nodeUuid: 'Canvas/Menu/Play',
          assetPath: 'assets/prefabs/play.prefab',
        },
        fails: 'E_PRECONDITION_FAILED',
      },
    ],
    input: closedObject(['nodeUuid', 'assetPath'], {
      scenePath,
      nodeUuid,
      assetPath: {
        ...text,
        minLength: 1,
        description: 'The file to create: assets/prefabs/star.prefab. Folders come with it.',
      },
      keepNode: {
        ...flag,
        description: 'Leaves the node as it is, without an instance. Default false.',
      },
    }),
    output: object(['assetPath', 'assetUuid', 'nodeUuid'], {
      scenePath: text,
      assetPath: text,
      assetUuid: text,
      nodeUuid: text,
    }),
    run(args, run) {
      const creation = { path: args.assetPath, replace: args.keepNode !== true };
      const done = createPrefab(documentOf(args, run), args.nodeUuid, creation);
      const { path, uuid, node, changes } = done;
      return {
        result: { assetPath: path, assetUuid: uuid, nodeUuid: node },
        changes,
        made: node,
      };
    },
  }),
  defineEdit({
    op: 'instantiate_prefab',
    tool: 'create_prefab_instance',
    description: 'Puts an instance of a prefab, linked to it, into a scene or another prefab.',
    category,
    errors: {
      E_NOT_FOUND: 'There is no such prefab or parent.',
      E_INVALID_ARGUMENT: 'The asset is no prefab.',
      E_CONFLICT: 'A prefab cannot contain itself.',
    },
    examples: [
      {
        title: 'One more button, as the second',
        input: {
          scenePath: menuScene,
          assetPath: 'assets/prefabs/button.prefab',
          parentUuid: 'Canvas/Menu',
          name: 'Shop',
          siblingIndex: 1,
        },
      },
      {
        title: 'In another prefab',
        input: {
          scenePath: 'assets/prefabs/dialog.prefab',
          assetPath: 'assets/prefabs/list-item.prefab',
          parentUuid: 'Box',
          position: { y: -30 },
        },
      },
      {
        input: { scenePath: menuScene, assetPath: 'assets/prefabs/shop.prefab' },
        fails: 'E_NOT_FOUND',
      },
      {
        input: { scenePath: menuScene, assetPath: 'assets/textures/star.png' },
        fails: 'E_INVALID_ARGUMENT',
      },
      {
        input: {
          scenePath: 'assets/prefabs/dialog.prefab',
          assetPath: 'assets/prefabs/dialog.prefab',
        },
        fails: 'E_CONFLICT',
      },
    ],
    input: closedObject(['assetPath'], {
      scenePath,
      assetPath: { ...text, minLength: 1, description: 'The prefab: path, db:// URL or uuid.' },
      parentUuid: { ...parentUuid, description: 'The parent: uuid or path. Absent: the root.' },
      name: { ...text, minLength: 1, description: 'Absent: that of the prefab.' },
      position,
      rotation,
      scale,
      siblingIndex,
    }),
    output: object(['nodeUuid'], { scenePath: text, nodeUuid: text }),
    byMessages: true,
    run(args, run) {
      const { assetPath: prefab, parentUuid: parent, ...placement } = args;
      const placed = { prefab, parent, ...placement };
      const { node, changes } = instantiatePrefab(documentOf(args, run), placed);
      return { result: { nodeUuid: node }, changes, made: node };
    },
  }),
] as const;
