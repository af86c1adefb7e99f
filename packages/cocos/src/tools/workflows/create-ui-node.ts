import type { CocosBackend, Edit } from '#cocos/backend';
import { nodeElements } from '#cocos/edit';
import type { Infer, Tool } from 'mcp-kit/tools';
import { defineWorkflow } from 'mcp-kit/tools/workflow';
import { exact } from '../exact.ts';
import {
  closedObject,
  flag,
  gameScene,
  menuScene,
  object,
  parentUuid,
  position,
  scenePath,
  siblingIndex,
  size,
  storedNames,
  text,
  texts,
} from '../schemas.ts';
import { aboutWrite, resultOf, resultsOf, type Saved, StagedWrite } from './staged-edits.ts';
import { type WorkflowOptions, writes } from './workflow-options.ts';

const component = {
  anyOf: [
    { type: 'string', minLength: 1 },
    closedObject(['type'], {
      type: { type: 'string', minLength: 1 },
      properties: { type: 'object' },
    }),
  ],
} as const;

const input = closedObject(['parentUuid', 'name', 'components'], {
  scenePath,
  parentUuid,
  name: { ...text, minLength: 1, description: 'The name of the node.' },
  components: {
    type: 'array',
    items: component,
    maxItems: 20,
    description:
      'Classes, or {type, properties}: ["cc.Sprite", {"type":"cc.Widget","properties":{"top":20}}]. Also scripts.',
  },
  element: {
    enum: nodeElements,
    description: 'What to begin with. Default Node: a bare UI node.',
  },
  position,
  size,
  siblingIndex,
  createCanvas: { ...flag, description: 'Makes a Canvas where there is none. Default false.' },
  storedNames,
});

const output = object(['nodeUuid', 'appliedComponents', 'warnings'], {
  nodeUuid: text,
  canvasUuid: text,
  appliedComponents: {
    type: 'array',
    items: object(['type', 'componentUuid'], { type: text, componentUuid: text }),
  },
  warnings: texts,
  scenePath: text,
  transactionId: text,
});

type Args = Infer<typeof input>;

const head = {
  name: 'workflow_create_ui_node_with_components',
  description: 'Creates a UI node with components and their properties, all or none.',
  ...writes,
  errors: {
    E_NOT_FOUND: 'There is no such parent, class or script.',
    E_CONFLICT: 'Two of the components do not go together.',
    E_INVALID_ARGUMENT: 'A property is not of its class, or its value is of another type.',
    E_PRECONDITION_FAILED: 'There is no Canvas above the parent.',
  },
  examples: [
    {
      title: 'A banner that keeps to the top',
      input: {
        scenePath: menuScene,
        parentUuid: 'Canvas',
        name: 'Banner',
        size: { width: 420, height: 64 },
        components: [
          {
            type: 'cc.Sprite',
            properties: {
              spriteFrame: 'assets/textures/panel.png',
              type: 'SLICED',
              sizeMode: 'CUSTOM',
            },
          },
          { type: 'cc.Widget', properties: { alignFlags: ['TOP'], top: 20 } },
        ],
      },
    },
    {
      title: 'A text that is a button, with a script',
      input: {
        scenePath: gameScene,
        parentUuid: 'Canvas/TopBar',
        name: 'Back',
        components: [
          { type: 'cc.Label', properties: { string: 'Menu' } },
          'cc.Button',
          { type: 'MenuView', properties: { gameScene: 'menu' } },
        ],
        position: { x: 330 },
      },
    },
    {
      input: { scenePath: menuScene, parentUuid: 'Canvas/Shop', name: 'Coins', components: [] },
      fails: 'E_NOT_FOUND',
    },
    {
      title: 'Two that draw',
      input: {
        scenePath: menuScene,
        parentUuid: 'Canvas',
        name: 'Coins',
        components: ['cc.Sprite', 'cc.Label'],
      },
      fails: 'E_CONFLICT',
    },
    {
      input: {
        scenePath: menuScene,
        parentUuid: 'Canvas',
        name: 'Coins',
        components: [{ type: 'cc.Label', properties: { text: '12' } }],
      },
      fails: 'E_INVALID_ARGUMENT',
    },
    {
      title: 'Outside of the Canvas',
      input: { scenePath: menuScene, parentUuid: '/', name: 'Coins', components: ['cc.Sprite'] },
      fails: 'E_PRECONDITION_FAILED',
    },
  ],
} as const;

/** Creates a UI node with components. */
export function createUiNode(backend: CocosBackend, options: WorkflowOptions): Tool {
  const write = new StagedWrite<Args>(backend, head.name, (args) => {
    const { scenePath: document, storedNames: isStored, components, ...node } = args;
    return {
      document,
      storedNames: isStored,
      stages: {
        create_node: [{ op: 'create_node', element: 'Node', ...node, as: 'node' }],
        add_components: components.map(addition),
      },
    };
  });
  return defineWorkflow({ ...options, ...head, input })
    .stage('create_node', write.stage('create_node'))
    .stage('add_components', write.stage('add_components'))
    .stage('save', write.save(answer))
    .returns(output, ({ save }) => answer(save));
}

function addition(each: Args['components'][number]): Edit {
  const { type, properties = {} } = typeof each === 'string' ? { type: each } : each;
  return {
    op: 'ensure_component',
    nodeUuid: '$node',
    type,
    properties,
  };
}

function answer(save: Saved): Infer<typeof output> {
  const { nodeUuid, canvasUuid } = resultOf(save, 'create_node', 'create_node');
  const parts = resultsOf(save, 'add_components', 'ensure_component');
  const applied = new Map<string, string>();
  for (const { componentUuid, type, added } of parts) {
    for (const each of added) applied.set(each.componentUuid, each.type);
    applied.set(componentUuid, type);
  }
  return exact<Infer<typeof output>>({
    nodeUuid,
    canvasUuid,
    appliedComponents: [...applied].map(([componentUuid, type]) => ({ type, componentUuid })),
    warnings: parts.flatMap(({ warnings }) => warnings),
    ...aboutWrite(save),
  });
}
