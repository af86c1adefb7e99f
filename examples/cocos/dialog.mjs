// A dialog, built in a scene, made a prefab, then changed in the prefab, so that all instances of it change.
// node examples/cocos/dialog.mjs [--project DIR]
import { emptyScene, onSample } from '../lib/cocos.mjs';

const prefab = 'assets/prefabs/question.prefab';

await onSample(async (call) => {
  const scenePath = await emptyScene(call, 'asking');
  await call('workflow_create_ui_node_with_components', {
    parentUuid: 'Canvas',
    name: 'Question',
    components: [
      {
        type: 'cc.Sprite',
        properties: {
          spriteFrame: 'assets/textures/panel.png',
          type: 'SLICED',
          sizeMode: 'CUSTOM',
        },
      },
      'cc.BlockInputEvents',
    ],
    size: { width: 420, height: 260 },
  });
  await call('create_scene_node', {
    parentUuid: 'Canvas/Question',
    name: 'Text',
    element: 'Label',
    position: { x: 0, y: 50 },
  });
  for (const [name, x] of Object.entries({ Yes: -90, No: 90 })) {
    const position = { x, y: -70 };
    await call('create_scene_node', {
      parentUuid: 'Canvas/Question',
      name,
      element: 'Button',
      position,
    });
    await call('set_component_properties', {
      componentUuid: `Canvas/Question/${name}/Label:cc.Label`,
      properties: { string: name },
    });
  }
  const made = await call('create_prefab_asset', {
    nodeUuid: 'Canvas/Question',
    assetPath: prefab,
  });
  // Hidden until somebody is asked something.
  await call('update_node_info', { nodeUuid: made.nodeUuid, active: false });
  await call('set_component_properties', {
    scenePath: prefab,
    componentUuid: 'Text:cc.Label',
    properties: { string: 'Are you sure?', fontSize: 30, color: '#402a10' },
  });
  const shown = await call('list_node_components', {
    nodeUuid: 'Canvas/Question/Text',
    type: 'cc.Label',
  });
  console.log('In the scene:', shown.components[0].properties.string);
  return scenePath;
});
