import {
  addComponent,
  type Properties,
  removeComponent,
  requireComponentItem,
  type SceneDocument,
  setComponentEnabled,
  setProperties,
} from '#cocos/edit';
import { defineEdit, documentOf } from './define-edit.ts';
import {
  closedObject,
  componentUuid,
  flag,
  gameScene,
  menuScene,
  nodeUuid,
  object,
  properties,
  scenePath,
  text,
  texts,
} from './schemas.ts';

const category = 'component';
const notThere = 'There is no such node, component or class.';

/** What adding a component takes. */
export const additionInput = closedObject(['nodeUuid', 'type'], {
  scenePath,
  nodeUuid,
  type: {
    ...text,
    minLength: 1,
    description: 'cc.Sprite, the class of a script, or the path of a script.',
  },
  properties,
});

/** What adding a component answers. */
export const additionOutput = object(['componentUuid', 'type', 'added', 'warnings'], {
  scenePath: text,
  componentUuid: text,
  type: text,
  added: {
    type: 'array',
    items: object(['componentUuid', 'type'], { componentUuid: text, type: text }),
  },
  warnings: texts,
});

/** Edits of components. */
export const componentEdits = [
  defineEdit({
    op: 'add_component',
    tool: 'create_node_component',
    description:
      'Adds a component to a node, with the components that its class requires, and sets properties. Also attaches scripts.',
    category,
    errors: {
      E_NOT_FOUND: notThere,
      E_CONFLICT: 'The node has a component that does not go with it.',
      E_INVALID_ARGUMENT: 'A property is not of the class, or its value is of another type.',
    },
    examples: [
      {
        title: 'What keeps the title at the top of every screen',
        input: {
          scenePath: menuScene,
          nodeUuid: 'Canvas/Title',
          type: 'cc.Widget',
          properties: { alignFlags: ['TOP'], top: 60 },
        },
      },
      {
        title: 'A script',
        input: {
          scenePath: gameScene,
          nodeUuid: 'Canvas/TopBar',
          type: 'MenuView',
          properties: { gameScene: 'menu' },
        },
      },
      {
        input: { scenePath: menuScene, nodeUuid: 'Canvas/Title', type: 'cc.Nothing' },
        fails: 'E_NOT_FOUND',
      },
      {
        input: { scenePath: menuScene, nodeUuid: 'Canvas/Title', type: 'cc.Sprite' },
        fails: 'E_CONFLICT',
      },
      {
        input: {
          scenePath: gameScene,
          nodeUuid: 'Canvas/TopBar',
          type: 'MenuView',
          properties: { scene: 'menu' },
        },
        fails: 'E_INVALID_ARGUMENT',
      },
    ],
    input: additionInput,
    output: additionOutput,
    byMessages: true,
    run: (args, run) => add(documentOf(args, run), args),
  }),
  defineEdit({
    op: 'set_properties',
    tool: 'set_component_properties',
    description:
      'Sets properties of a component, all or none: numbers, texts, colours, enums, assets, references, arrays, events. ' +
      'Each is checked against the class.',
    category,
    idempotent: true,
    errors: {
      E_NOT_FOUND: notThere,
      E_INVALID_ARGUMENT:
        'A property is not of the class, its value is of another type, or an event calls what is not there.',
    },
    examples: [
      {
        title: 'Text and colour',
        input: {
          scenePath: menuScene,
          componentUuid: 'Canvas/Title:cc.Label',
          properties: { string: 'Comet Catcher', color: '#ff8800' },
        },
      },
      {
        title: 'What a click calls: "Quit" asks first',
        input: {
          scenePath: menuScene,
          componentUuid: 'Canvas/Menu/Quit:cc.Button',
          properties: {
            clickEvents: [{ target: 'Canvas', component: 'MenuView', handler: 'onSettings' }],
          },
        },
      },
      {
        title: 'Of a script: a number, an asset, and one of a list of nodes',
        input: {
          scenePath: gameScene,
          componentUuid: 'Canvas:HudView',
          properties: {
            lives: 5,
            itemPrefab: 'assets/prefabs/button.prefab',
            'hearts.0': 'Canvas/TopBar/Health',
          },
        },
      },
      {
        input: {
          scenePath: menuScene,
          componentUuid: 'Canvas/Menu:cc.Label',
          properties: { string: 'Menu' },
        },
        fails: 'E_NOT_FOUND',
      },
      {
        input: {
          scenePath: menuScene,
          componentUuid: 'Canvas/Title:cc.Label',
          properties: { text: 'Comet Catcher' },
        },
        fails: 'E_INVALID_ARGUMENT',
      },
    ],
    input: closedObject(['componentUuid'], {
      scenePath,
      componentUuid,
      properties,
      enabled: { ...flag, description: 'Switches the component on or off.' },
    }),
    output: object(['componentUuid', 'applied'], {
      scenePath: text,
      componentUuid: text,
      applied: texts,
      warnings: texts,
    }),
    byMessages: true,
    run(args, run) {
      const document = documentOf(args, run);
      const { handle } = requireComponentItem(document, args.componentUuid);
      const { applied, ...set } = setProperties(document, handle, valuesOf(args));
      const { enabled } = args;
      const switched =
        enabled === undefined ? [] : setComponentEnabled(document, handle, enabled).changes;
      const warnings = set.warnings.length === 0 ? undefined : set.warnings;
      return {
        result: { componentUuid: handle, applied, warnings },
        changes: [...set.changes, ...switched],
      };
    },
  }),
  defineEdit({
    op: 'remove_component',
    tool: 'delete_node_component',
    description:
      'Removes a component from its node. References to it become null, and are told among the changes.',
    category,
    safety: 'destructive',
    errors: {
      E_NOT_FOUND: notThere,
      E_PRECONDITION_FAILED: 'Another component of the node requires it.',
    },
    examples: [
      { input: { scenePath: menuScene, componentUuid: 'Canvas/Version:cc.Widget' } },
      {
        input: { scenePath: menuScene, componentUuid: 'Canvas/Menu:cc.Label' },
        fails: 'E_NOT_FOUND',
      },
      {
        input: { scenePath: menuScene, componentUuid: 'Canvas/Title:cc.UITransform' },
        fails: 'E_PRECONDITION_FAILED',
      },
    ],
    input: closedObject(['componentUuid'], {
      scenePath,
      componentUuid,
      force: { ...flag, description: 'Although another component requires it. Default false.' },
    }),
    output: object(['componentUuid'], { scenePath: text, componentUuid: text }),
    byMessages: true,
    run(args, run) {
      const document = documentOf(args, run);
      const { handle } = requireComponentItem(document, args.componentUuid);
      const { changes } = removeComponent(document, handle, { force: args.force === true });
      return { result: { componentUuid: handle }, changes };
    },
  }),
] as const;

/** The values of properties; what comes as JSON is nothing else. */
export const valuesOf = ({
  properties: values = {},
}: {
  readonly properties?: object | undefined;
}) => values as Properties;

/** Adds a component with what its class requires. */
export function add(
  document: SceneDocument,
  args: {
    readonly nodeUuid: string;
    readonly type: string;
    readonly properties?: object | undefined;
  },
) {
  const { type: wanted } = args;
  const addition = { type: wanted, properties: valuesOf(args) };
  const done = addComponent(document, args.nodeUuid, addition);
  const { component, warnings, changes } = done;
  const added = done.added.map(({ handle, type }) => ({ componentUuid: handle, type }));
  const type = added.find(({ componentUuid: uuid }) => uuid === component)?.type ?? wanted;
  return { result: { componentUuid: component, type, added, warnings }, changes, made: component };
}
