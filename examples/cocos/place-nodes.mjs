// Nodes are put where they belong, with a look before and after. What would not last, because a Layout or a Widget decides
// otherwise, is said before it is done.
// node examples/cocos/place-nodes.mjs [--project DIR]
import { onSample } from '../lib/cocos.mjs';

await onSample(async (call) => {
  const scenePath = 'assets/scenes/menu.scene';
  const place = (nodeUuid, args) =>
    call('workflow_safe_set_transform', { scenePath, nodeUuid, ...args });

  const higher = { position: { y: 240 } };
  const { before, after, planToken } = await place('Canvas/Title', { ...higher, dryRun: true });
  console.log(`The title would go from ${before.position.y} up to ${after.position.y}`);
  await place('Canvas/Title', { ...higher, planToken });

  // A ring of stars, each turned outwards.
  const stars = { scenePath, parentUuid: 'Canvas/Stars', type: 'cc.Sprite' };
  const { nodes } = await call('find_scene_nodes', stars);
  for (const [index, { nodeUuid }] of nodes.entries()) {
    const turn = (index * 360) / nodes.length;
    const [x, y] = [Math.cos, Math.sin].map((part) =>
      Math.round(260 * part((turn * Math.PI) / 180)),
    );
    await place(nodeUuid, { position: { x, y }, rotation: { z: turn }, scale: { x: 1, y: 1 } });
  }
  console.log(`${nodes.length} stars in a ring`);

  const aside = { position: { x: 40 } };
  const { warnings } = await place('Canvas/Menu/Play', { ...aside, dryRun: true });
  console.log('A button in a Layout:', warnings.join(' '));
  const strict = { ...aside, failOnWarnings: true };
  const refused = await place('Canvas/Menu/Play', strict).catch(({ code }) => code);
  console.log('Where warnings are failures:', refused);
  return scenePath;
});
