// From an empty scene to a menu that works: a title, three buttons, a script, and what a click calls.
// node examples/cocos/menu.mjs [--project DIR]
import { emptyScene, onSample } from '../lib/cocos.mjs';

const buttons = { Play: 'onPlay', Options: 'onSettings', Quit: 'onQuit' };

await onSample(async (call) => {
  const scenePath = await emptyScene(call, 'first-menu');
  await call('workflow_create_ui_node_with_components', {
    parentUuid: 'Canvas',
    name: 'Title',
    components: [
      { type: 'cc.Label', properties: { string: 'My game', fontSize: 64, lineHeight: 70 } },
    ],
    position: { x: 0, y: 200 },
  });
  await call('workflow_create_ui_node_with_components', {
    parentUuid: 'Canvas',
    name: 'Buttons',
    components: [
      {
        type: 'cc.Layout',
        properties: { type: 'VERTICAL', resizeMode: 'CONTAINER', spacingY: 20 },
      },
    ],
  });
  await call('workflow_bind_script_to_node', {
    nodeUuid: 'Canvas',
    scriptPath: 'assets/scripts/menu-view.ts',
    properties: { title: 'Canvas/Title', gameScene: 'game' },
  });
  for (const [index, [name, handler]] of Object.entries(buttons).entries()) {
    const position = { x: 0, y: 80 - index * 80 };
    await call('create_scene_node', {
      parentUuid: 'Canvas/Buttons',
      name,
      element: 'Button',
      position,
    });
    await call('set_component_properties', {
      componentUuid: `Canvas/Buttons/${name}/Label:cc.Label`,
      properties: { string: name, fontSize: 28 },
    });
    await call('set_component_properties', {
      componentUuid: `Canvas/Buttons/${name}:cc.Button`,
      properties: { clickEvents: [{ target: 'Canvas', component: 'MenuView', handler }] },
    });
  }
  return scenePath;
});
