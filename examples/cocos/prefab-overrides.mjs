// Two instances of one prefab: what one has of its own becomes part of the prefab, what the other has is given up.
// node examples/cocos/prefab-overrides.mjs [--project DIR]
import { emptyScene, onSample } from '../lib/cocos.mjs';

const prefab = 'assets/prefabs/coin.prefab';
const colorOf = async (call, nodeUuid) => {
  const { components } = await call('list_node_components', { nodeUuid, type: 'cc.Sprite' });
  return components[0].properties.color;
};

await onSample(
  async (call) => {
    const scenePath = await emptyScene(call, 'coins');
    await call('create_scene_node', { parentUuid: 'Canvas', name: 'Coin', element: 'Sprite' });
    const { nodeUuid: first } = await call('create_prefab_asset', {
      nodeUuid: 'Canvas/Coin',
      assetPath: prefab,
    });
    const { nodeUuid: second } = await call('create_prefab_instance', {
      assetPath: prefab,
      parentUuid: 'Canvas',
      name: 'Other',
      position: { x: 120, y: 0 },
    });
    for (const [node, color] of Object.entries({ [first]: '#ffd700', [second]: '#c0c0c0' })) {
      await call('set_component_properties', {
        componentUuid: `${node}:cc.Sprite`,
        properties: { color },
      });
    }
    const { overrides } = await call('list_prefab_overrides', { nodeUuid: second });
    console.log('Of its own:', overrides.map(({ property }) => property).join());
    const { applied } = await call('execute_prefab_apply', { nodeUuid: first });
    const { reverted } = await call('execute_prefab_revert', { nodeUuid: second });
    console.log(`${applied} applied, ${reverted} given up`);
    console.log('Both are', await colorOf(call, first), await colorOf(call, second));
    return scenePath;
  },
  { args: ['--layer', 'core', '--layer', 'advanced'] },
);
