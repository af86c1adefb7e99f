// What a player sees while playing: score and health that keep to their corners on every screen, and hearts. Each is a node
// with its components in one call, which is done as a whole or not at all.
// node examples/cocos/hud.mjs [--project DIR]
import { emptyScene, onSample } from '../lib/cocos.mjs';

const keepTo = (alignFlags, distances) => ({
  type: 'cc.Widget',
  properties: { alignFlags, ...distances },
});

await onSample(async (call) => {
  const scenePath = await emptyScene(call, 'level');
  const create = (name, components, more = {}) =>
    call('workflow_create_ui_node_with_components', {
      parentUuid: 'Canvas',
      name,
      components,
      ...more,
    });
  const score = await create('Score', [
    { type: 'cc.Label', properties: { string: '0', fontSize: 36 } },
    keepTo(['TOP', 'LEFT'], { top: 20, left: 24 }),
  ]);
  console.log('The score has', score.appliedComponents.map(({ type }) => type).join(', '));
  // An element brings its parts along; its component gets the values.
  const progress = { type: 'cc.ProgressBar', properties: { progress: 0.75 } };
  await create('Health', [progress, keepTo(['TOP', 'CENTER'], { top: 20 })], {
    element: 'ProgressBar',
  });
  const refused = await create('Badge', ['cc.Sprite', 'cc.Label']).catch(({ code }) => code);
  const { total } = await call('find_scene_nodes', { name: 'Badge' });
  console.log(`Two that draw on one node: ${refused}, and ${total} nodes are left of it`);
  const hearts = [];
  for (let index = 0; index < 3; index++) {
    const image = { sizeMode: 'CUSTOM', spriteFrame: 'assets/textures/heart.png' };
    const { nodeUuid } = await create(`Heart${index}`, [{ type: 'cc.Sprite', properties: image }], {
      position: { x: 320 + index * 44, y: 280 },
      size: { width: 40, height: 40 },
    });
    hearts.push(nodeUuid);
  }
  await call('workflow_bind_script_to_node', {
    nodeUuid: 'Canvas',
    scriptPath: 'HudView',
    properties: { score: 'Canvas/Score', health: 'Canvas/Health', hearts, lives: 3 },
  });
  return scenePath;
});
