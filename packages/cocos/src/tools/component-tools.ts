import type { ClassReading, CocosBackend } from '#cocos/backend';
import type { Tool } from 'mcp-kit/tools';
import { editTool, readTool } from './define-tools.ts';
import { pageOf } from './page.ts';
import {
  component,
  componentUuid,
  count,
  flag,
  limit,
  nodeUuid,
  offset,
  properties,
  scenePath,
  text,
  texts,
} from './schemas.ts';

const category = 'component';
const notThere = 'There is no such node, component or class.';

function listNodeComponents(backend: CocosBackend): Tool {
  return readTool({
    name: 'list_node_components',
    description:
      'Lists the components of a node with their properties, by the names that set_component_properties takes.',
    category,
    errors: { E_NOT_FOUND: 'There is no such node.' },
    examples: [
      { input: { nodeUuid: 'Canvas/Menu/Title' } },
      { input: { nodeUuid: 'Canvas/Menu/Start', type: 'cc.Button' } },
      { input: { nodeUuid: 'Canvas/Nowhere' }, fails: 'E_NOT_FOUND' },
    ],
    input: {
      type: 'object',
      properties: {
        scenePath,
        nodeUuid,
        type: { ...text, description: 'Only those of this class.' },
        namesOnly: { ...flag, description: 'Without properties. Default false.' },
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
        components: { type: 'array', items: component },
        total: count,
        nextOffset: count,
      },
      required: ['scenePath', 'components', 'total'],
    },
    async run({ type, namesOnly = false, ...args }) {
      const { path: scene } = await backend.document(args.scenePath);
      const all = await backend.components(scene, args.nodeUuid);
      const wanted = all.filter((each) => type === undefined || plain(each.type) === plain(type));
      const { items, ...page } = pageOf(wanted, args);
      const shown = items.map(({ properties: values, ...head }) =>
        namesOnly ? head : { ...head, properties: values },
      );
      return { scenePath: scene, components: shown, ...page };
    },
  });
}

const plain = (type: string): string => type.replace(/^cc\./, '');

function createNodeComponent(backend: CocosBackend): Tool {
  return editTool(backend, {
    name: 'create_node_component',
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
        input: { nodeUuid: 'Canvas/Menu', type: 'cc.Widget', properties: { alignFlags: ['TOP'] } },
      },
      {
        title: 'A script',
        input: { nodeUuid: 'Canvas/Menu', type: 'Player', properties: { speed: 7 } },
      },
      { input: { nodeUuid: 'Canvas/Menu', type: 'cc.Nothing' }, fails: 'E_NOT_FOUND' },
      { input: { nodeUuid: 'Canvas/Menu/Title', type: 'cc.Sprite' }, fails: 'E_CONFLICT' },
      {
        input: { nodeUuid: 'Canvas/Menu', type: 'Player', properties: { sped: 7 } },
        fails: 'E_INVALID_ARGUMENT',
      },
    ],
    input: {
      type: 'object',
      properties: {
        scenePath,
        nodeUuid,
        type: {
          ...text,
          minLength: 1,
          description: 'cc.Sprite, the class of a script, or the path of a script.',
        },
        properties,
      },
      required: ['nodeUuid', 'type'],
      additionalProperties: false,
    },
    output: {
      type: 'object',
      properties: {
        componentUuid: text,
        type: text,
        added: {
          type: 'array',
          items: {
            type: 'object',
            properties: { componentUuid: text, type: text },
            required: ['componentUuid', 'type'],
          },
        },
        warnings: texts,
      },
      required: ['componentUuid', 'type', 'added', 'warnings'],
    },
    edits: ({ nodeUuid: node, type, properties: values }) =>
      [{ op: 'add_component', node, type, properties: values as never }] as const,
    answer: ([{ op: _, added, warnings, ...made }]) => ({
      ...made,
      added: [...added],
      warnings: [...warnings],
    }),
  });
}

function setComponentProperties(backend: CocosBackend): Tool {
  return editTool(backend, {
    name: 'set_component_properties',
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
          componentUuid: 'Canvas/Menu/Title:cc.Label',
          properties: { string: 'Hello', color: '#ff8800' },
        },
      },
      {
        title: 'A click event, and a reference',
        input: {
          componentUuid: 'Canvas/Menu/Start:cc.Button',
          properties: {
            clickEvents: [{ target: 'Canvas/Menu', component: 'Menu', handler: 'onStart' }],
            target: 'Canvas/Menu/Start',
          },
        },
      },
      {
        input: { componentUuid: 'Canvas/Menu:cc.Label', properties: { string: 'a' } },
        fails: 'E_NOT_FOUND',
      },
      {
        input: { componentUuid: 'Canvas/Menu/Title:cc.Label', properties: { txt: 'a' } },
        fails: 'E_INVALID_ARGUMENT',
      },
    ],
    input: {
      type: 'object',
      properties: {
        scenePath,
        componentUuid,
        properties,
        enabled: { ...flag, description: 'Switches the component on or off.' },
      },
      required: ['componentUuid'],
      additionalProperties: false,
    },
    output: {
      type: 'object',
      properties: { componentUuid: text, applied: texts, warnings: texts },
      required: ['componentUuid', 'applied'],
    },
    edits: ({ componentUuid: reference, properties: values, enabled }) =>
      [
        { op: 'set_properties', component: reference, properties: values as never, enabled },
      ] as const,
    answer: ([{ componentUuid: found, applied, warnings }]) => ({
      componentUuid: found,
      applied: [...applied],
      ...(warnings.length === 0 ? {} : { warnings: [...warnings] }),
    }),
  });
}

function deleteNodeComponent(backend: CocosBackend): Tool {
  return editTool(backend, {
    name: 'delete_node_component',
    description:
      'Removes a component from its node. References to it become null, and are told among the changes.',
    category,
    safety: 'destructive',
    errors: {
      E_NOT_FOUND: notThere,
      E_PRECONDITION_FAILED: 'Another component of the node requires it.',
    },
    examples: [
      { input: { componentUuid: 'Canvas/Menu/Start:cc.Button' } },
      { input: { componentUuid: 'Canvas/Menu:cc.Label' }, fails: 'E_NOT_FOUND' },
      {
        input: { componentUuid: 'Canvas/Menu/Title:cc.UITransform' },
        fails: 'E_PRECONDITION_FAILED',
      },
    ],
    input: {
      type: 'object',
      properties: {
        scenePath,
        componentUuid,
        force: { ...flag, description: 'Although another component requires it. Default false.' },
      },
      required: ['componentUuid'],
      additionalProperties: false,
    },
    output: { type: 'object', properties: { componentUuid: text }, required: ['componentUuid'] },
    edits: ({ componentUuid: reference, force }) =>
      [{ op: 'remove_component', component: reference, force }] as const,
    answer: ([result]) => ({ componentUuid: result.componentUuid }),
  });
}

const classSchema = {
  type: 'object',
  properties: {
    name: text,
    scriptPath: text,
    assetUuid: text,
    bases: texts,
    isComponent: flag,
    problem: text,
    requires: texts,
    propertyNames: texts,
    properties: {
      type: 'array',
      items: {
        type: 'object',
        properties: { name: text, type: text, values: texts, default: {}, tooltip: text },
        required: ['name', 'type'],
      },
    },
  },
  required: ['name'],
} as const;

function listComponentClasses(backend: CocosBackend): Tool {
  return readTool({
    name: 'list_component_classes',
    description:
      'Lists the classes that can be put on nodes: the scripts of the project, or the components of the engine. ' +
      'With type, describes one: its properties with types and defaults.',
    category,
    errors: { E_NOT_FOUND: 'There is no such class or script.' },
    examples: [
      { title: 'The scripts of the project', input: {} },
      { title: 'One in full', input: { type: 'cc.Label' } },
      { input: { of: 'engine', limit: 20 } },
      { input: { type: 'cc.Nothing' }, fails: 'E_NOT_FOUND' },
    ],
    input: {
      type: 'object',
      properties: {
        of: { enum: ['scripts', 'engine'], description: 'Default scripts.' },
        type: {
          ...text,
          minLength: 1,
          description: 'A class, or the path of a script: told in full.',
        },
        offset,
        limit,
      },
      additionalProperties: false,
    },
    output: {
      type: 'object',
      properties: {
        classes: { type: 'array', items: classSchema },
        total: count,
        nextOffset: count,
      },
      required: ['classes', 'total'],
    },
    async run({ of = 'scripts', type, ...args }) {
      if (type !== undefined)
        return { classes: [describeClass(await backend.classOf(type))], total: 1 };
      const { items, ...page } = pageOf(await backend.classes(of), args);
      return { classes: items.map(summarizeClass), ...page };
    },
  });
}

function headOf({ name, script }: ClassReading): {
  name: string;
  scriptPath?: string;
  assetUuid?: string;
  problem?: string;
} {
  if (script === undefined) return { name };
  const { path, assetUuid, problem } = script;
  const said = problem === undefined ? {} : { problem };
  return { name, scriptPath: path, assetUuid, ...said };
}

function summarizeClass(
  known: ClassReading,
): ReturnType<typeof headOf> & { propertyNames: string[] } {
  return { ...headOf(known), propertyNames: known.properties.map(({ name }) => name) };
}

function describeClass(known: ClassReading) {
  const { bases = [], isComponent } = known.script ?? {};
  return {
    ...headOf(known),
    bases: [...bases],
    ...(isComponent === undefined ? {} : { isComponent }),
    requires: [...known.requires],
    properties: known.properties.map(({ values, ...property }) =>
      values === undefined ? property : { ...property, values: [...values] },
    ),
  };
}

/** Tools about components and their classes. */
export function componentTools(backend: CocosBackend): readonly Tool[] {
  return [
    listNodeComponents(backend),
    createNodeComponent(backend),
    setComponentProperties(backend),
    deleteNodeComponent(backend),
    listComponentClasses(backend),
  ];
}
