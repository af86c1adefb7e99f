import { getValue, type Json, setValue } from '#cocos/document';
import { createFolder, replaceReferences, requireInstance, unpackPrefab } from '#cocos/edit';
import { refuseOtherKind, refuseStructure } from '../raw-value.ts';
import { defineEdit, documentOf } from './define-edit.ts';
import {
  closedObject,
  count,
  flag,
  instanceUuid,
  menuScene,
  object,
  ofInstance,
  scenePath,
  text,
  texts,
} from './schemas.ts';

const layer = 'advanced';

/** Edits for those who know what they do. */
export const advancedEdits = [
  defineEdit({
    op: 'replace_references',
    tool: 'update_asset_references',
    description:
      'Searches scenes, prefabs and other files for references to one asset, and lets them refer to another.',
    layer,
    category: 'asset',
    riskLevel: 'high',
    prerequisites: ['Both assets are of one class; the old one may be missing if named by uuid.'],
    errors: {
      E_NOT_FOUND: 'There is no such asset.',
      E_INVALID_ARGUMENT: 'The assets are of different classes, or a prefab would contain itself.',
    },
    examples: [
      {
        title: 'Hearts for stars',
        input: { assetPath: 'assets/textures/star.png', targetPath: 'assets/textures/heart.png' },
      },
      {
        title: 'In one prefab only',
        input: {
          assetPath: 'assets/textures/star.png',
          targetPath: 'assets/textures/portrait.png',
          files: ['assets/prefabs/list-item.prefab'],
        },
      },
      {
        input: { assetPath: 'assets/textures/star.png', targetPath: 'assets/textures/moon.png' },
        fails: 'E_NOT_FOUND',
      },
      {
        input: {
          assetPath: 'assets/scripts/menu-view.ts',
          targetPath: 'assets/textures/heart.png',
        },
        fails: 'E_INVALID_ARGUMENT',
      },
    ],
    input: closedObject(['assetPath', 'targetPath'], {
      assetPath: {
        ...text,
        minLength: 1,
        description: 'The old asset: path, db:// URL or uuid.',
      },
      targetPath: {
        ...text,
        minLength: 1,
        description: 'The new asset: path, db:// URL or uuid.',
      },
      files: { ...texts, description: 'Only in these files. Absent: in all.' },
    }),
    output: object(['count', 'files'], {
      count,
      files: {
        type: 'array',
        items: object(['file', 'count'], { file: text, count }),
      },
    }),
    async run({ assetPath: from, targetPath: to, files: paths }, { workspace }) {
      const replaced = await replaceReferences(workspace, { from, to, paths });
      const { changes, ...result } = replaced;
      const files = replaced.files.map(({ path: file, count: times }) => ({ file, count: times }));
      return { result: { ...result, files }, changes };
    },
  }),
  defineEdit({
    op: 'set_raw_value',
    tool: 'set_scene_value',
    storedNames: true,
    description:
      'Sets a value of a node or component by its stored name; only its kind is checked: for what no other tool can set.',
    layer,
    category: 'scene',
    idempotent: true,
    riskLevel: 'high',
    prerequisites: ['You know how the engine stores the value.'],
    errors: {
      E_NOT_FOUND: 'There is no such node or component.',
      E_INVALID_ARGUMENT:
        'The path does not exist, is part of the structure, or has another kind of value.',
    },
    examples: [
      {
        input: {
          scenePath: menuScene,
          targetUuid: 'Canvas/Title',
          property: '_lpos.y',
          value: 240,
        },
      },
      {
        input: {
          scenePath: menuScene,
          targetUuid: 'Canvas/Shop',
          property: '_name',
          value: 'Store',
        },
        fails: 'E_NOT_FOUND',
      },
      {
        input: {
          scenePath: menuScene,
          targetUuid: 'Canvas/Title',
          property: '_parent',
          value: null,
        },
        fails: 'E_INVALID_ARGUMENT',
      },
    ],
    input: closedObject(['targetUuid', 'property', 'value'], {
      scenePath,
      targetUuid: {
        ...text,
        minLength: 1,
        description: 'A node or component: uuid; of nodes also the path.',
      },
      property: { ...text, minLength: 1, description: 'As it is stored: _contentSize.width.' },
      value: { description: 'Any JSON, with __type__ where the engine stores it.' },
    }),
    output: object(['targetUuid'], { scenePath: text, targetUuid: text }),
    run(args, run) {
      const { view } = documentOf(args, run);
      const { index, handle } = view.get(args.targetUuid);
      const path = args.property.split('.');
      // What comes as JSON is nothing else.
      const value = args.value as Json;
      refuseStructure(path, value);
      refuseOtherKind(path, value, getValue(view, index, path));
      return { result: { targetUuid: handle }, changes: setValue(view, index, { path, value }) };
    },
  }),
  defineEdit({
    op: 'unpack_prefab',
    tool: 'execute_prefab_unpack',
    description: 'Turns a prefab instance into plain nodes, without a link to the prefab.',
    category: 'prefab',
    riskLevel: 'medium',
    ...ofInstance,
    input: closedObject(['nodeUuid'], {
      scenePath,
      nodeUuid: instanceUuid,
      recursive: { ...flag, description: 'Also the instances in it. Default false.' },
    }),
    output: object(['nodeUuid'], { scenePath: text, nodeUuid: text }),
    run(args, run) {
      const document = documentOf(args, run);
      const { index, handle } = requireInstance(document, args.nodeUuid);
      const { changes } = unpackPrefab(document, handle, { recursive: args.recursive === true });
      return { result: { nodeUuid: document.view.item(index)?.handle ?? '' }, changes };
    },
  }),
  defineEdit({
    op: 'create_folder',
    tool: 'create_asset_folder',
    description:
      'Creates a folder for assets, with its meta. Other tools create the folders they need themselves.',
    layer,
    category: 'asset',
    riskLevel: 'low',
    prerequisites: ['Nothing is at the path.'],
    errors: { E_CONFLICT: 'Something is at the path.' },
    examples: [
      { input: { assetPath: 'assets/levels' } },
      { input: { assetPath: 'assets/scenes' }, fails: 'E_CONFLICT' },
    ],
    input: closedObject(['assetPath'], {
      assetPath: { ...text, minLength: 1, description: 'The folder: assets/levels.' },
    }),
    output: object(['assetPath'], { assetPath: text }),
    byMessages: true,
    run({ assetPath }, { workspace }) {
      const { path, changes } = createFolder(workspace, assetPath);
      return { result: { assetPath: path }, changes };
    },
  }),
] as const;
