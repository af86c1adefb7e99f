// Try first, do exactly that, and take it back: plans, keys against doing things twice, and undo to the last byte.
// node examples/cocos/undo.mjs [--project DIR]
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { onSample } from '../lib/cocos.mjs';

await onSample(async (call, { folder }) => {
  const scenePath = 'assets/scenes/menu.scene';
  const file = path.join(folder, scenePath);
  const original = await readFile(file);
  await call('execute_scene_open', { scenePath });

  const title = { nodeUuid: 'Canvas/Title', position: { x: 0, y: 260 } };
  const { changes, planToken } = await call('set_node_transform', { ...title, dryRun: true });
  console.log(
    'Would change:',
    changes.map(({ field, from, to }) => ({ field, from, to })),
  );
  await call('set_node_transform', { ...title, planToken });

  const stale = (await call('set_node_transform', { ...title, position: { x: 9 }, dryRun: true }))
    .planToken;
  await call('update_node_info', { nodeUuid: 'Canvas/Stars', active: false });
  const refused = await call('set_node_transform', {
    ...title,
    position: { x: 9 },
    planToken: stale,
  }).catch(({ code }) => code);
  console.log('A plan that something else overtook:', refused);

  const once = { nodeUuid: 'Canvas/Stars/Star', name: 'Extra', idempotencyKey: 'one more star' };
  const copies = [await call('create_node_copy', once), await call('create_node_copy', once)];
  console.log('Copied once:', copies[0].nodeUuid === copies[1].nodeUuid);

  for (let count = 0; count < 3; count++) await call('execute_project_undo');
  console.log('As it was, byte for byte:', original.equals(await readFile(file)));
  return scenePath;
});
