// A page of settings: a slider, two toggles of which one is on, and a field for a name.
// node examples/cocos/settings.mjs [--project DIR]
import { emptyScene, onSample } from '../lib/cocos.mjs';

await onSample(async (call) => {
  const scenePath = await emptyScene(call, 'settings');
  const page = 'Canvas/Page';
  await call('create_scene_node', { parentUuid: 'Canvas', name: 'Page', element: 'Node' });
  const rows = {
    Volume: { element: 'Slider', properties: { progress: 0.6 } },
    Music: { element: 'Toggle', properties: { isChecked: true } },
    Vibration: { element: 'Toggle', properties: { isChecked: false } },
    PlayerName: { element: 'EditBox', properties: { maxLength: 12 } },
  };
  for (const [index, [name, { element, properties }]] of Object.entries(rows).entries()) {
    const y = 150 - index * 90;
    await call('create_scene_node', {
      parentUuid: page,
      name: `${name}Title`,
      element: 'Label',
      position: { x: -160, y },
    });
    await call('set_component_properties', {
      componentUuid: `${page}/${name}Title:cc.Label`,
      properties: { string: name },
    });
    await call('create_scene_node', { parentUuid: page, name, element, position: { x: 120, y } });
    await call('set_component_properties', {
      componentUuid: `${page}/${name}:cc.${element}`,
      properties,
    });
  }
  await call('set_component_properties', {
    componentUuid: `${page}/PlayerName/PLACEHOLDER_LABEL:cc.Label`,
    properties: { string: 'Your name' },
  });
  const { components } = await call('list_node_components', { nodeUuid: `${page}/Volume` });
  console.log('A slider has:', components.map(({ type }) => type).join(', '));
  return scenePath;
});
