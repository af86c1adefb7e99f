// What a player sees while playing: score and health that keep to their corners on every screen, and hearts.
// node examples/cocos-hud.mjs [--project DIR]
import { emptyScene, onSample } from './lib/cocos.mjs';

await onSample(async (call) => {
  const scenePath = await emptyScene(call, 'level');
  await call('workflow_create_ui_node_with_components', {
    parentUuid: 'Canvas',
    name: 'Score',
    components: [
      { type: 'cc.Label', properties: { string: '0', fontSize: 36 } },
      { type: 'cc.Widget', properties: { alignFlags: ['TOP', 'LEFT'], top: 20, left: 24 } },
    ],
  });
  await call('create_scene_node', { parentUuid: 'Canvas', name: 'Health', element: 'ProgressBar' });
  await call('set_component_properties', {
    componentUuid: 'Canvas/Health:cc.ProgressBar',
    properties: { progress: 0.75 },
  });
  await call('create_node_component', {
    nodeUuid: 'Canvas/Health',
    type: 'cc.Widget',
    properties: { alignFlags: ['TOP', 'CENTER'], top: 20 },
  });
  const hearts = [];
  for (let index = 0; index < 3; index++) {
    const { nodeUuid } = await call('create_scene_node', {
      parentUuid: 'Canvas',
      name: `Heart${index}`,
      element: 'Sprite',
      position: { x: 320 + index * 44, y: 280 },
      size: { width: 40, height: 40 },
    });
    await call('set_component_properties', {
      componentUuid: `Canvas/Heart${index}:cc.Sprite`,
      properties: { sizeMode: 'CUSTOM', spriteFrame: 'assets/textures/heart.png' },
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
