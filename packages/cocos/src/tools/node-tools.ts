import type { CocosBackend } from '#cocos/backend';
import type { Tool } from 'mcp-kit/tools';
import { readTool } from './define-tools.ts';
import { pageOf } from './page.ts';
import {
  closedObject,
  component,
  count,
  flag,
  gameScene,
  limit,
  menuScene,
  nodeSummary,
  nodeUuid,
  object,
  offset,
  scenePath,
  size,
  text,
  vector,
} from './schemas.ts';
import { componentLines, goesOn, howMany, lines, nodeLine, numbers } from './show.ts';

const category = 'node';

function getNodeInfo(backend: CocosBackend): Tool {
  return readTool({
    name: 'get_node_info',
    description:
      'Tells all about a node: place, transform, size, layer, components; with their properties on request.',
    category,
    errors: { E_NOT_FOUND: 'There is no such node.' },
    examples: [
      { input: { scenePath: menuScene, nodeUuid: 'Canvas/Title' } },
      {
        title: 'By the uuid that get_scene_tree shows',
        input: { scenePath: menuScene, nodeUuid: '48+d2FG7', includeProperties: true },
      },
      { input: { scenePath: menuScene, nodeUuid: 'Canvas/Shop' }, fails: 'E_NOT_FOUND' },
    ],
    input: closedObject(['nodeUuid'], {
      scenePath,
      nodeUuid,
      includeProperties: {
        ...flag,
        description: 'With the properties of the components. Default false.',
      },
    }),
    output: object(
      [
        'scenePath',
        'nodeUuid',
        'name',
        'path',
        'active',
        'components',
        'siblingIndex',
        'childCount',
        'position',
        'rotation',
        'scale',
        'layer',
        'locked',
      ],
      {
        scenePath: text,
        ...nodeSummary.properties,
        parentUuid: text,
        siblingIndex: count,
        childCount: count,
        position: vector,
        rotation: vector,
        scale: vector,
        layer: text,
        locked: flag,
        size,
        anchor: { type: 'object', properties: { x: { type: 'number' }, y: { type: 'number' } } },
        properties: { type: 'array', items: component },
      },
    ),
    show: (node) =>
      lines(
        nodeLine(node),
        `layer ${node.layer}, siblingIndex ${node.siblingIndex}, ${node.childCount} below it${node.locked ? ', locked' : ''}`,
        `position ${numbers(node.position)}, rotation ${numbers(node.rotation)}, scale ${numbers(node.scale)}`,
        node.size && `size ${node.size.width} × ${node.size.height}`,
        node.anchor && `anchor ${numbers(node.anchor)}`,
        (node.properties ?? []).flatMap(componentLines),
      ),
    async run({ includeProperties = false, ...args }) {
      const { path: scene } = await backend.document(args.scenePath);
      const node = await backend.node(scene, args.nodeUuid);
      const info = { scenePath: scene, ...node, components: [...node.components] };
      if (!includeProperties) return info;
      const parts = await backend.components(scene, args.nodeUuid);
      return { ...info, properties: [...parts] };
    },
  });
}

function findSceneNodes(backend: CocosBackend): Tool {
  return readTool({
    name: 'find_scene_nodes',
    description:
      'Finds nodes of a scene or prefab by name, path, component or state, in the order of the tree.',
    category,
    errors: { E_NOT_FOUND: 'There is no such scene, or no node to look below.' },
    examples: [
      { title: 'All buttons', input: { scenePath: menuScene, type: 'cc.Button' } },
      {
        title: 'By name, in a part of the scene',
        input: { scenePath: gameScene, name: 'Heart*', parentUuid: 'Canvas/TopBar' },
      },
      { title: 'What is switched off', input: { scenePath: gameScene, active: false } },
      { input: { scenePath: 'assets/scenes/shop.scene', name: 'coin' }, fails: 'E_NOT_FOUND' },
    ],
    input: closedObject([], {
      scenePath,
      name: {
        ...text,
        description: 'A part of the name, in any case; with *, the whole: Heart*.',
      },
      path: {
        ...text,
        description: 'A part of the path, in any case; with *, the whole: Canvas/*.',
      },
      type: { ...text, description: 'A class on the node: cc.Label, or that of a script.' },
      active: { ...flag, description: 'Whether the node itself is switched on.' },
      parentUuid: { ...text, description: 'Only this node and those below it: uuid or path.' },
      offset,
      limit,
    }),
    output: object(['scenePath', 'nodes', 'total'], {
      scenePath: text,
      nodes: { type: 'array', items: nodeSummary },
      total: count,
      nextOffset: count,
    }),
    show: ({ scenePath: scene, nodes, ...page }) =>
      lines(`${scene}: ${howMany(page.total, 'node')}`, nodes.map(nodeLine), goesOn(page)),
    async run(args) {
      const { name, path, type, active, parentUuid } = args;
      const query = { name, path, type, active, below: parentUuid };
      const { path: scene } = await backend.document(args.scenePath);
      const found = await backend.findNodes(scene, query);
      const { items, ...page } = pageOf(found, args);
      return {
        scenePath: scene,
        nodes: items.map((node) => ({ ...node, components: [...node.components] })),
        ...page,
      };
    },
  });
}

/** Tools that look at nodes. */
export function nodeTools(backend: CocosBackend): readonly Tool[] {
  return [getNodeInfo(backend), findSceneNodes(backend)];
}
