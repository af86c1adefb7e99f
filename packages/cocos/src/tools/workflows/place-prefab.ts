import type { CocosBackend, Edit } from '#cocos/backend';
import type { Infer, Tool } from 'mcp-kit/tools';
import { defineWorkflow } from 'mcp-kit/tools/workflow';
import {
  closedObject,
  flag,
  gameScene,
  menuScene,
  object,
  parentUuid,
  position,
  rotation,
  scale,
  scenePath,
  siblingIndex,
  storedNames,
  text,
  texts,
} from '../schemas.ts';
import { exact } from '../exact.ts';
import { aboutWrite, resultOf, type Saved, StagedWrite } from './staged-edits.ts';
import { type WorkflowOptions, writes } from './workflow-options.ts';

const input = closedObject(['prefabPath'], {
  scenePath,
  prefabPath: { ...text, minLength: 1, description: 'The prefab: path, db:// URL or uuid.' },
  parentUuid: {
    ...parentUuid,
    description: 'Where a new instance goes: uuid or path. Absent: the root.',
  },
  nodeUuid: {
    ...text,
    minLength: 1,
    description:
      'An instance of that prefab to update: uuid or path. Absent: a new one is created.',
  },
  name: { ...text, minLength: 1, description: 'The name of the instance.' },
  position,
  rotation,
  scale,
  siblingIndex,
  overrides: {
    type: 'array',
    maxItems: 100,
    items: closedObject(['property', 'value'], {
      targetUuid: {
        type: 'string',
        description:
          'A part of the instance: path below it, path:class for components. Absent: its root.',
      },
      property: { type: 'string', minLength: 1, description: 'active, position, string, …' },
      value: { description: 'As set_component_properties takes it.' },
    }),
    description: 'What the instance shall have other than its prefab.',
  },
  revert: { ...flag, description: 'First lets it be as its prefab. Default false.' },
  storedNames,
});

const output = object(['nodeUuid', 'action', 'diffSummary'], {
  nodeUuid: text,
  action: { enum: ['created', 'updated'] },
  diffSummary: {
    type: 'object',
    properties: { added: texts, changed: texts, removed: texts },
    required: ['added', 'changed', 'removed'],
    description: 'The overrides that came, changed and went.',
  },
  scenePath: text,
  transactionId: text,
});

type Args = Infer<typeof input>;

const head = {
  name: 'workflow_create_or_update_prefab_instance',
  description:
    'Puts an instance of a prefab into the scene, or updates one, with values of its own.',
  ...writes,
  errors: {
    E_NOT_FOUND: 'There is no such prefab, parent or node.',
    E_CONFLICT: 'The node is an instance of another prefab, or a prefab would contain itself.',
    E_PRECONDITION_FAILED: 'The node is not an instance of a prefab.',
    E_INVALID_ARGUMENT: 'There is no such property, or its value is of another type.',
  },
  examples: [
    {
      title: 'A new line of the ranking, with texts of its own',
      input: {
        scenePath: gameScene,
        prefabPath: 'assets/prefabs/list-item.prefab',
        parentUuid: 'Canvas/Ranking/view/content',
        name: 'Line6',
        position: { y: -302 },
        overrides: [
          { targetUuid: 'Name:cc.Label', property: 'string', value: 'Barbara' },
          { targetUuid: 'Score:cc.Label', property: 'string', value: '4 100' },
        ],
      },
    },
    {
      title: 'A button that is there, with another text',
      input: {
        scenePath: menuScene,
        prefabPath: 'assets/prefabs/button.prefab',
        nodeUuid: 'Canvas/Menu/Play',
        overrides: [{ targetUuid: 'Label:cc.Label', property: 'string', value: 'Start' }],
      },
    },
    {
      title: 'One that shall be as its prefab again',
      input: {
        scenePath: gameScene,
        prefabPath: 'db://assets/prefabs/list-item.prefab',
        nodeUuid: 'Canvas/Ranking/view/content/Line2',
        revert: true,
      },
    },
    {
      input: { scenePath: menuScene, prefabPath: 'assets/prefabs/shop.prefab' },
      fails: 'E_NOT_FOUND',
    },
    {
      input: {
        scenePath: menuScene,
        prefabPath: 'assets/prefabs/dialog.prefab',
        nodeUuid: 'Canvas/Menu/Play',
      },
      fails: 'E_CONFLICT',
    },
    {
      input: {
        scenePath: menuScene,
        prefabPath: 'assets/prefabs/button.prefab',
        nodeUuid: 'Canvas/Title',
      },
      fails: 'E_PRECONDITION_FAILED',
    },
    {
      input: {
        scenePath: menuScene,
        prefabPath: 'assets/prefabs/button.prefab',
        overrides: [{ property: 'colour', value: '#ff8800' }],
      },
      fails: 'E_INVALID_ARGUMENT',
    },
  ],
} as const;

/** Creates or updates an instance of a prefab. */
export function placePrefab(backend: CocosBackend, options: WorkflowOptions): Tool {
  const write = new StagedWrite<Args>(backend, head.name, (args) => ({
    document: args.scenePath,
    storedNames: args.storedNames,
    stages: { place_instance: placing(args), set_overrides: [overriding(args)] },
  }));
  return defineWorkflow({ ...options, ...head, input })
    .stage('place_instance', write.stage('place_instance'))
    .stage('set_overrides', write.stage('set_overrides'))
    .stage('save', write.save(answer))
    .returns(output, ({ save }) => answer(save));
}

/** A new instance where none is named; else the place of the one that is. */
function placing(args: Args): readonly Edit[] {
  const { prefabPath, nodeUuid: node, parentUuid: parent, name, siblingIndex: place } = args;
  if (node === undefined) {
    const { position: at, rotation: turn, scale: factor } = args;
    const where = { parentUuid: parent, name, siblingIndex: place };
    const placed = { position: at, rotation: turn, scale: factor };
    const assetPath = prefabPath;
    return [{ op: 'instantiate_prefab', assetPath, ...where, ...placed, as: 'instance' }];
  }
  if (parent === undefined && place === undefined) return [];
  return [{ op: 'move_node', nodeUuid: node, parentUuid: parent, siblingIndex: place }];
}

function overriding(args: Args): Edit<'update_instance'> {
  const { prefabPath, nodeUuid: node, revert, overrides = [] } = args;
  const own = (['name', 'position', 'rotation', 'scale'] as const).flatMap((property) => {
    const value = args[property];
    return node === undefined || value === undefined ? [] : [{ property, value }];
  });
  return {
    op: 'update_instance',
    nodeUuid: node ?? '$instance',
    prefabPath,
    revert,
    overrides: [...own, ...overrides],
  };
}

function answer(save: Saved): Infer<typeof output> {
  const { nodeUuid, diff } = resultOf(save, 'set_overrides', 'update_instance');
  const isNew = save.results['place_instance']?.[0]?.op === 'instantiate_prefab';
  return exact<Infer<typeof output>>({
    nodeUuid,
    action: isNew ? 'created' : 'updated',
    diffSummary: diff,
    ...aboutWrite(save),
  });
}
