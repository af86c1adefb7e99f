// A script is put on a node, and what it refers to is found and checked: nodes, components, prefabs, lists.
// node examples/cocos/bind-script.mjs [--project DIR]
import { emptyScene, onSample } from '../lib/cocos.mjs';

await onSample(async (call) => {
  const scenePath = await emptyScene(call, 'playing');
  const { classes } = await call('list_component_classes', { of: 'scripts', type: 'HudView' });
  for (const { name, type } of classes[0].properties) console.log(`  ${name}: ${type}`);
  await call('create_scene_node', { parentUuid: 'Canvas', name: 'Score', element: 'Label' });
  await call('create_scene_node', { parentUuid: 'Canvas', name: 'Ranking', element: 'Layout' });
  await call('create_prefab_instance', {
    assetPath: 'assets/prefabs/dialog.prefab',
    parentUuid: 'Canvas',
    name: 'Pause',
  });
  const bind = (properties) =>
    call('workflow_bind_script_to_node', {
      nodeUuid: 'Canvas',
      scriptPath: 'assets/scripts/hud-view.ts',
      properties,
    });
  const mistake = await bind({ scores: 'Canvas/Score' }).catch(({ code }) => code);
  console.log('A property that it does not have:', mistake);
  const bound = await bind({
    score: 'Canvas/Score',
    ranking: 'Canvas/Ranking',
    itemPrefab: 'assets/prefabs/list-item.prefab',
    pauseDialog: 'Canvas/Pause',
    hearts: ['Canvas/Score', 'Canvas/Ranking'],
    lives: 5,
  });
  console.log('Set:', bound.appliedProperties.join());
  return scenePath;
});
