import type { ClassReading, CocosBackend } from '#cocos/backend';
import type { Infer, Tool } from 'mcp-kit/tools';
import { readTool } from './define-tools.ts';
import { pageOf } from './page.ts';
import {
  closedObject,
  component,
  count,
  flag,
  gameScene,
  imported,
  limit,
  menuScene,
  nodeUuid,
  object,
  offset,
  scenePath,
  text,
  texts,
} from './schemas.ts';
import { componentLines, goesOn, lines, notImported, valueText } from './show.ts';

const category = 'component';

export function listNodeComponents(backend: CocosBackend): Tool {
  return readTool({
    name: 'list_node_components',
    description:
      'Lists the components of a node with their properties, by the names that set_component_properties takes.',
    category,
    errors: { E_NOT_FOUND: 'There is no such node.' },
    examples: [
      { input: { scenePath: menuScene, nodeUuid: 'Canvas/Title' } },
      {
        title: 'Only a script',
        input: { scenePath: gameScene, nodeUuid: 'Canvas', type: 'HudView' },
      },
      { input: { scenePath: menuScene, nodeUuid: 'Canvas/Shop' }, fails: 'E_NOT_FOUND' },
    ],
    input: closedObject(['nodeUuid'], {
      scenePath,
      nodeUuid,
      type: { ...text, description: 'Only those of this class.' },
      namesOnly: { ...flag, description: 'Without properties. Default false.' },
      offset,
      limit,
    }),
    output: object(['scenePath', 'components', 'total'], {
      scenePath: text,
      components: { type: 'array', items: component },
      total: count,
      nextOffset: count,
    }),
    show: ({ components, ...page }) => lines(components.flatMap(componentLines), goesOn(page)),
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

const classSchema = object(['name'], {
  name: text,
  scriptPath: text,
  assetUuid: text,
  imported,
  bases: texts,
  isComponent: flag,
  problem: text,
  requires: texts,
  methods: { ...texts, description: 'What an event of a button can call.' },
  propertyNames: texts,
  properties: {
    type: 'array',
    items: object(['name', 'type'], {
      name: text,
      type: text,
      values: texts,
      default: {},
      tooltip: text,
    }),
  },
});

export function listComponentClasses(backend: CocosBackend): Tool {
  return readTool({
    name: 'list_component_classes',
    description:
      'Lists the classes that can be put on nodes: the scripts of the project, or the components of the engine. ' +
      'With type, describes one: its properties with types and defaults.',
    category,
    errors: { E_NOT_FOUND: 'There is no such class or script.' },
    examples: [
      { title: 'The scripts of the project', input: {} },
      { title: 'A script in full', input: { type: 'HudView' } },
      { title: 'A component of the engine in full', input: { type: 'cc.Label' } },
      { input: { of: 'engine', limit: 20 } },
      { input: { type: 'cc.Nothing' }, fails: 'E_NOT_FOUND' },
    ],
    input: closedObject([], {
      of: { enum: ['scripts', 'engine'], description: 'Default scripts.' },
      type: {
        ...text,
        minLength: 1,
        description: 'A class, or the path of a script: told in full.',
      },
      offset,
      limit,
    }),
    output: object(['classes', 'total'], {
      classes: { type: 'array', items: classSchema },
      total: count,
      nextOffset: count,
    }),
    show: ({ classes, ...page }) => lines(classes.flatMap(classLines), goesOn(page)),
    async run({ of = 'scripts', type, ...args }) {
      if (type !== undefined) {
        return { classes: [describeClass(await backend.classOf(type))], total: 1 };
      }
      const { items, ...page } = pageOf(await backend.classes(of), args);
      return { classes: items.map(summarizeClass), ...page };
    },
  });
}

/** What there is to say of a class; empty lines are left out. */
function classLines(known: Infer<typeof classSchema>): string[] {
  const { name, scriptPath, problem, requires = [], methods = [] } = known;
  const { propertyNames, properties = [] } = known;
  const head = scriptPath === undefined ? name : `${name} ${scriptPath}`;
  return [
    propertyNames === undefined ? head : `${head}: ${propertyNames.join(', ')}`,
    known.imported === false ? `  ${notImported}` : '',
    problem === undefined ? '' : `  ${problem}`,
    requires.length === 0 ? '' : `  requires ${requires.join(', ')}`,
    methods.length === 0 ? '' : `  methods ${methods.join(', ')}`,
    ...properties.map((property) => {
      const { name: own, type, values = [], default: initial } = property;
      const choice = values.length === 0 ? '' : ` (${values.join(', ')})`;
      const usual = initial === undefined ? '' : ` = ${valueText(initial)}`;
      return `  ${own}: ${type}${choice}${usual}`;
    }),
  ];
}

function headOf({ name, script }: ClassReading) {
  const { path: scriptPath, assetUuid, problem } = script ?? {};
  const isUnimported = script !== undefined && assetUuid === undefined;
  return { name, scriptPath, assetUuid, imported: isUnimported ? false : undefined, problem };
}

function summarizeClass(known: ClassReading) {
  return { ...headOf(known), propertyNames: known.properties.map(({ name }) => name) };
}

function describeClass(known: ClassReading) {
  const { bases = [], isComponent, methods } = known.script ?? {};
  return {
    ...headOf(known),
    bases,
    isComponent,
    methods,
    requires: known.requires,
    properties: known.properties,
  };
}
