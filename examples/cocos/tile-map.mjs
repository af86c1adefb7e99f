// A board of 48 tiles as one write: many edits in one call, which are done, and undone, at once.
// node examples/cocos/tile-map.mjs [--project DIR]
import { emptyScene, onSample } from '../lib/cocos.mjs';

const columns = 8;
const tiles = Array.from({ length: 48 }, (_, index) => ({
  name: `Tile${index}`,
  x: ((index % columns) - columns / 2 + 0.5) * 70,
  y: (2.5 - Math.floor(index / columns)) * 70,
  isStar: index % 7 === 0,
}));

const edits = [
  {
    tool: 'create_scene_node',
    arguments: { parentUuid: 'Canvas', name: 'Board', element: 'Node' },
    as: 'board',
  },
  ...tiles.flatMap(({ name, x, y, isStar }) => [
    {
      tool: 'create_scene_node',
      arguments: {
        parentUuid: '$board',
        name,
        element: 'Sprite',
        position: { x, y },
        size: { width: 64, height: 64 },
      },
      as: name,
    },
    {
      tool: 'set_component_properties',
      arguments: {
        componentUuid: `$${name}:cc.Sprite`,
        properties: {
          sizeMode: 'CUSTOM',
          color: isStar ? '#ffffff' : '#8899aa',
          ...(isStar ? { spriteFrame: 'assets/textures/star.png' } : {}),
        },
      },
    },
  ]),
];

await onSample(
  async (call) => {
    const scenePath = await emptyScene(call, 'board');
    const { succeeded, failed, transactionId } = await call('execute_scene_edits', { edits });
    console.log(
      `${succeeded.length} edits, ${failed.length} failed, one transaction: ${transactionId}`,
    );
    const { total } = await call('find_scene_nodes', { parentUuid: 'Canvas/Board', name: 'Tile*' });
    console.log(`${total} tiles`);
    return scenePath;
  },
  { args: ['--layer', 'core', '--layer', 'advanced'] },
);
