import type { CocosBackend } from '#cocos/backend';
import type { Tool } from 'mcp-kit/tools';
import { editTool, readTool } from './define-tools.ts';
import { pageOf } from './page.ts';
import {
  count,
  flag,
  limit,
  nodeUuid,
  offset,
  parentUuid,
  position,
  rotation,
  scale,
  scenePath,
  siblingIndex,
  text,
} from './schemas.ts';

const category = 'prefab';
const noInstance = 'The node is not part of a prefab instance.';
const instanceUuid = {
  ...nodeUuid,
  description: 'The prefab instance: uuid or path of its root, or of a node in it.',
} as const;

function createPrefabAsset(backend: CocosBackend): Tool {
  return editTool(backend, {
    name: 'create_prefab_asset',
    description:
      'Makes a prefab of a node with all below it; an instance of it takes the place of the node.',
    category,
    errors: {
      E_NOT_FOUND: 'There is no such node.',
      E_CONFLICT: 'There is an asset at the path.',
      E_PRECONDITION_FAILED: 'The node belongs to a prefab instance.',
    },
    examples: [
      { input: { nodeUuid: 'Canvas/Menu/Start', assetPath: 'assets/prefabs/start-button.prefab' } },
      { input: { nodeUuid: 'Canvas/Nowhere', assetPath: 'assets/a.prefab' }, fails: 'E_NOT_FOUND' },
      {
        input: { nodeUuid: 'Canvas/Menu/Start', assetPath: 'assets/prefabs/item.prefab' },
        fails: 'E_CONFLICT',
      },
      {
        input: { nodeUuid: 'Canvas/Item', assetPath: 'assets/prefabs/item-2.prefab' },
        fails: 'E_PRECONDITION_FAILED',
      },
    ],
    input: {
      type: 'object',
      properties: {
        scenePath,
        nodeUuid,
        assetPath: {
          ...text,
          minLength: 1,
          description: 'The file to create: assets/ui/button.prefab. Folders come with it.',
        },
        keepNode: {
          ...flag,
          description: 'Leaves the node as it is, without an instance. Default false.',
        },
      },
      required: ['nodeUuid', 'assetPath'],
      additionalProperties: false,
    },
    output: {
      type: 'object',
      properties: { assetPath: text, assetUuid: text, nodeUuid: text },
      required: ['assetPath', 'assetUuid', 'nodeUuid'],
    },
    edits: ({ nodeUuid: node, assetPath, keepNode = false }) =>
      [{ op: 'create_prefab', node, path: assetPath, replace: !keepNode }] as const,
    answer: ([{ path, assetUuid, nodeUuid: instance }]) => ({
      assetPath: path,
      assetUuid,
      nodeUuid: instance,
    }),
  });
}

function createPrefabInstance(backend: CocosBackend): Tool {
  return editTool(backend, {
    name: 'create_prefab_instance',
    description: 'Puts an instance of a prefab, linked to it, into a scene or another prefab.',
    category,
    errors: {
      E_NOT_FOUND: 'There is no such prefab or parent.',
      E_INVALID_ARGUMENT: 'The asset is no prefab.',
      E_CONFLICT: 'A prefab cannot contain itself.',
    },
    examples: [
      {
        input: {
          assetPath: 'assets/prefabs/item.prefab',
          parentUuid: 'Canvas/Menu',
          name: 'Sword',
          position: { x: 100, y: 0 },
        },
      },
      { input: { assetPath: 'assets/prefabs/none.prefab' }, fails: 'E_NOT_FOUND' },
      { input: { assetPath: 'assets/images/logo.png' }, fails: 'E_INVALID_ARGUMENT' },
      {
        input: {
          scenePath: 'assets/prefabs/item.prefab',
          assetPath: 'assets/prefabs/item.prefab',
        },
        fails: 'E_CONFLICT',
      },
    ],
    input: {
      type: 'object',
      properties: {
        scenePath,
        assetPath: { ...text, minLength: 1, description: 'The prefab: path, db:// URL or uuid.' },
        parentUuid: { ...parentUuid, description: 'The parent: uuid or path. Absent: the root.' },
        name: { ...text, minLength: 1, description: 'Absent: that of the prefab.' },
        position,
        rotation,
        scale,
        siblingIndex,
      },
      required: ['assetPath'],
      additionalProperties: false,
    },
    output: { type: 'object', properties: { nodeUuid: text }, required: ['nodeUuid'] },
    edits: ({ assetPath, parentUuid: parent, scenePath: _, ...place }) =>
      [{ op: 'instantiate_prefab', prefab: assetPath, parent, ...place }] as const,
    answer: ([result]) => ({ nodeUuid: result.nodeUuid }),
  });
}

function listPrefabOverrides(backend: CocosBackend): Tool {
  return readTool({
    name: 'list_prefab_overrides',
    description:
      'Lists what a prefab instance has other than its prefab: properties, references, added and removed parts.',
    category,
    errors: { E_NOT_FOUND: 'There is no such node.', E_PRECONDITION_FAILED: noInstance },
    examples: [
      { input: { nodeUuid: 'Canvas/Item' } },
      { input: { nodeUuid: 'Canvas/Nowhere' }, fails: 'E_NOT_FOUND' },
      { input: { nodeUuid: 'Canvas/Menu' }, fails: 'E_PRECONDITION_FAILED' },
    ],
    input: {
      type: 'object',
      properties: {
        scenePath,
        nodeUuid: instanceUuid,
        includeReserved: {
          ...flag,
          description: 'With name and place of the root, which every instance has. Default false.',
        },
        offset,
        limit,
      },
      required: ['nodeUuid'],
      additionalProperties: false,
    },
    output: {
      type: 'object',
      properties: {
        scenePath: text,
        overrides: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              kind: text,
              targetUuid: text,
              targetPath: text,
              property: text,
              value: {},
              reserved: flag,
            },
            required: ['kind', 'property', 'reserved'],
          },
        },
        total: count,
        nextOffset: count,
      },
      required: ['scenePath', 'overrides', 'total'],
    },
    async run({ includeReserved = false, ...args }) {
      const { path: scene } = await backend.document(args.scenePath);
      const all = await backend.overrides(scene, args.nodeUuid);
      const shown = all.filter(({ reserved }) => includeReserved || !reserved);
      const { items, ...page } = pageOf(shown, args);
      return { scenePath: scene, overrides: items, ...page };
    },
  });
}

function executePrefabRevert(backend: CocosBackend): Tool {
  return editTool(backend, {
    name: 'execute_prefab_revert',
    description:
      'Lets a prefab instance be as its prefab again, in all or in some; its name and place stay its own.',
    category,
    idempotent: true,
    riskLevel: 'medium',
    errors: { E_NOT_FOUND: 'There is no such node.', E_PRECONDITION_FAILED: noInstance },
    examples: [
      { input: { nodeUuid: 'Canvas/Item' } },
      { input: { nodeUuid: 'Canvas/Nowhere' }, fails: 'E_NOT_FOUND' },
      { input: { nodeUuid: 'Canvas/Menu' }, fails: 'E_PRECONDITION_FAILED' },
    ],
    input: {
      type: 'object',
      properties: {
        scenePath,
        nodeUuid: instanceUuid,
        targetUuid: {
          ...text,
          description: 'Only what this node or component of the instance has.',
        },
        property: { ...text, description: 'Only this one, as list_prefab_overrides calls it.' },
      },
      required: ['nodeUuid'],
      additionalProperties: false,
    },
    output: {
      type: 'object',
      properties: { nodeUuid: text, reverted: count },
      required: ['nodeUuid', 'reverted'],
    },
    edits: ({ nodeUuid: node, targetUuid, property }) =>
      [{ op: 'revert_overrides', node, target: targetUuid, property }] as const,
    answer: ([result]) => ({ nodeUuid: result.nodeUuid, reverted: result.reverted }),
  });
}

function executePrefabApply(backend: CocosBackend): Tool {
  return editTool(backend, {
    name: 'execute_prefab_apply',
    description:
      'Makes what a prefab instance has of its own part of the prefab, so that all instances have it. Changes the prefab file.',
    category,
    idempotent: true,
    riskLevel: 'medium',
    errors: { E_NOT_FOUND: 'There is no such node.', E_PRECONDITION_FAILED: noInstance },
    examples: [
      { input: { nodeUuid: 'Canvas/Item' } },
      { input: { nodeUuid: 'Canvas/Nowhere' }, fails: 'E_NOT_FOUND' },
      { input: { nodeUuid: 'Canvas/Menu' }, fails: 'E_PRECONDITION_FAILED' },
    ],
    input: {
      type: 'object',
      properties: { scenePath, nodeUuid: instanceUuid },
      required: ['nodeUuid'],
      additionalProperties: false,
    },
    output: {
      type: 'object',
      properties: { nodeUuid: text, prefabPath: text, applied: count, kept: count },
      required: ['nodeUuid', 'prefabPath', 'applied', 'kept'],
    },
    edits: ({ nodeUuid: node }) => [{ op: 'apply_overrides', node }] as const,
    answer: ([{ op: _, ...done }]) => done,
  });
}

/** Tools about prefabs and their instances. */
export function prefabTools(backend: CocosBackend): readonly Tool[] {
  return [
    createPrefabAsset(backend),
    createPrefabInstance(backend),
    listPrefabOverrides(backend),
    executePrefabRevert(backend),
    executePrefabApply(backend),
  ];
}

/** Makes the nodes of an instance the scene's own. */
export function executePrefabUnpack(backend: CocosBackend): Tool {
  return editTool(backend, {
    name: 'execute_prefab_unpack',
    description: 'Turns a prefab instance into plain nodes, without a link to the prefab.',
    layer: 'advanced',
    category,
    riskLevel: 'medium',
    prerequisites: ['The node is a prefab instance.'],
    errors: { E_NOT_FOUND: 'There is no such node.', E_PRECONDITION_FAILED: noInstance },
    examples: [
      { input: { nodeUuid: 'Canvas/Item' } },
      { input: { nodeUuid: 'Canvas/Nowhere' }, fails: 'E_NOT_FOUND' },
      { input: { nodeUuid: 'Canvas/Menu' }, fails: 'E_PRECONDITION_FAILED' },
    ],
    input: {
      type: 'object',
      properties: {
        scenePath,
        nodeUuid: instanceUuid,
        recursive: { ...flag, description: 'Also the instances in it. Default false.' },
      },
      required: ['nodeUuid'],
      additionalProperties: false,
    },
    output: { type: 'object', properties: { nodeUuid: text }, required: ['nodeUuid'] },
    edits: ({ nodeUuid: node, recursive }) => [{ op: 'unpack_prefab', node, recursive }] as const,
    answer: ([result]) => ({ nodeUuid: result.nodeUuid }),
  });
}
