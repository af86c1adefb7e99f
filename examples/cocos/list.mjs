// A list that scrolls, of five instances of one prefab, each with a text of its own; one of them is changed later on.
// node examples/cocos/list.mjs [--project DIR]
import { emptyScene, onSample } from '../lib/cocos.mjs';

const players = ['Ada', 'Grace', 'Edsger', 'Barbara', 'Niklaus'];

await onSample(async (call) => {
  const scenePath = await emptyScene(call, 'ranking');
  await call('create_scene_node', {
    parentUuid: 'Canvas',
    name: 'Ranking',
    element: 'ScrollView',
    size: { width: 420, height: 400 },
  });
  const content = 'Canvas/Ranking/view/content';
  await call('create_node_component', {
    nodeUuid: content,
    type: 'cc.Layout',
    properties: { type: 'VERTICAL', resizeMode: 'CONTAINER', spacingY: 8 },
  });
  // Whatever the template has in it goes.
  const { nodes } = await call('find_scene_nodes', { parentUuid: content });
  for (const { path } of nodes.filter((node) => node.path !== content)) {
    await call('delete_scene_node', { nodeUuid: path });
  }
  const { tree } = await call('get_scene_tree', {
    scenePath: 'assets/prefabs/list-item.prefab',
    expandInstances: true,
  });
  console.log(`An item is:\n${tree}`);
  const place = (args) =>
    call('workflow_create_or_update_prefab_instance', {
      prefabPath: 'assets/prefabs/list-item.prefab',
      ...args,
    });
  for (const name of players) {
    const { nodeUuid, diffSummary } = await place({
      parentUuid: content,
      name,
      overrides: [{ targetUuid: 'Name:cc.Label', property: 'string', value: name }],
    });
    console.log(nodeUuid, diffSummary);
  }
  const first = { nodeUuid: `${content}/${players[0]}` };
  const gold = { targetUuid: ':cc.Sprite', property: 'color', value: '#ffe27a' };
  const { action, diffSummary } = await place({ ...first, overrides: [gold] });
  console.log('The first one is', action, diffSummary);
  const other = await call('workflow_create_or_update_prefab_instance', {
    ...first,
    prefabPath: 'assets/prefabs/button.prefab',
  }).catch(({ code }) => code);
  console.log('As an instance of another prefab:', other);
  return scenePath;
});
