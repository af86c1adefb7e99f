import type { CocosBackend } from '#cocos/backend';
import type { Infer, Tool } from 'mcp-kit/tools';
import { defineWorkflow } from 'mcp-kit/tools/workflow';
import { exact } from '../exact.ts';
import {
  closedObject,
  flag,
  gameScene,
  menuScene,
  nodeUuid,
  object,
  properties,
  scenePath,
  storedNames,
  text,
  texts,
} from '../schemas.ts';
import { aboutWrite, resultOf, resultsOf, type Saved, StagedWrite } from './staged-edits.ts';
import { type WorkflowOptions, writes } from './workflow-options.ts';

const input = closedObject(['nodeUuid', 'scriptPath'], {
  scenePath,
  nodeUuid,
  scriptPath: {
    ...text,
    minLength: 1,
    description: 'The script: path, db:// URL, uuid or name of its class.',
  },
  properties: {
    ...properties,
    description:
      'Public properties of the script: {"lives":5,"score":"Canvas/TopBar/Score","itemPrefab":"assets/prefabs/button.prefab"}. Checked against its source.',
  },
  storedNames,
});

const output = object(['componentUuid', 'type', 'attached', 'appliedProperties', 'warnings'], {
  componentUuid: text,
  type: text,
  attached: { ...flag, description: 'False where the node had the script already.' },
  appliedProperties: texts,
  warnings: texts,
  scenePath: text,
  transactionId: text,
});

type Args = Infer<typeof input>;

const head = {
  name: 'workflow_bind_script_to_node',
  description:
    'Attaches a script to a node, unless it is there, and sets its public properties, also references to nodes and assets.',
  ...writes,
  idempotent: true,
  errors: {
    E_NOT_FOUND: 'There is no such node or script, or nothing that a property refers to.',
    E_INVALID_ARGUMENT: 'The script has no such property, or its value is of another type.',
  },
  examples: [
    {
      title: 'A script that is there: other values',
      input: {
        scenePath: gameScene,
        nodeUuid: 'Canvas',
        scriptPath: 'HudView',
        properties: { lives: 5, itemPrefab: 'assets/prefabs/list-item.prefab' },
      },
    },
    {
      title: 'A script that is not, with references to a component and a node',
      input: {
        scenePath: gameScene,
        nodeUuid: 'Canvas/TopBar',
        scriptPath: 'db://assets/scripts/menu-view.ts',
        properties: {
          title: 'Canvas/TopBar/Score',
          settings: 'Canvas/PauseDialog',
          gameScene: 'menu',
        },
      },
    },
    {
      input: {
        scenePath: menuScene,
        nodeUuid: 'Canvas/Menu',
        scriptPath: 'assets/scripts/shop-view.ts',
      },
      fails: 'E_NOT_FOUND',
    },
    {
      input: {
        scenePath: gameScene,
        nodeUuid: 'Canvas',
        scriptPath: 'HudView',
        properties: { lifes: 5 },
      },
      fails: 'E_INVALID_ARGUMENT',
    },
  ],
} as const;

/** Attaches a script and sets its properties. */
export function bindScript(backend: CocosBackend, options: WorkflowOptions): Tool {
  const write = new StagedWrite<Args>(backend, head.name, (args) => {
    const { scenePath: document, storedNames: isStored, nodeUuid: node, ...rest } = args;
    const { scriptPath, properties: values = {} } = rest;
    return {
      document,
      storedNames: isStored,
      stages: {
        attach_script: [{ op: 'ensure_component', nodeUuid: node, type: scriptPath, as: 'script' }],
        set_properties: Object.entries(values).map(([name, value]) => ({
          op: 'set_properties',
          componentUuid: '$script',
          properties: { [name]: value },
        })),
      },
    };
  });
  return defineWorkflow({ ...options, ...head, input })
    .stage('attach_script', write.stage('attach_script'))
    .stage('set_properties', write.stage('set_properties'))
    .stage('save', write.save(answer))
    .returns(output, ({ save }) => answer(save));
}

function answer(save: Saved): Infer<typeof output> {
  const script = resultOf(save, 'attach_script', 'ensure_component');
  const set = resultsOf(save, 'set_properties', 'set_properties');
  return exact<Infer<typeof output>>({
    componentUuid: script.componentUuid,
    type: script.type,
    attached: script.added.length > 0,
    appliedProperties: set.flatMap(({ applied }) => applied),
    warnings: [...script.warnings, ...set.flatMap(({ warnings = [] }) => warnings)],
    ...aboutWrite(save),
  });
}
