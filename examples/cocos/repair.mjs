// A scene that somebody broke: what is wrong with it, what would be done about it, and the repair.
// node examples/cocos/repair.mjs [--project DIR]
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { onSample } from '../lib/cocos.mjs';

/** As a merge gone wrong leaves it: an empty child, and a node that is sure of another parent. */
async function breakScene(file) {
  const objects = JSON.parse(await readFile(file, 'utf8'));
  const isNode = ({ __type__: type }) => type === 'cc.Node';
  const canvas = objects.find((each) => isNode(each) && each._name === 'Canvas');
  canvas._children.push(null);
  const title = objects.find((each) => isNode(each) && each._name === 'Title');
  title._parent = { __id__: objects.indexOf(title) - 1 };
  objects[0]._name = 'someone-elses';
  await writeFile(file, JSON.stringify(objects, null, 2));
}

await onSample(async (call, { folder }) => {
  const scenePath = 'assets/scenes/menu.scene';
  const file = path.join(folder, scenePath);
  await breakScene(file);
  const { findings, counts } = await call('validate_scene_document', { scenePath });
  for (const { code, severity, message } of findings)
    console.log(`  ${severity} ${code}: ${message}`);
  const broken = await readFile(file);
  const { changes } = await call('execute_scene_repair', { scenePath, dryRun: true });
  console.log(`${changes.length} changes would be made`);
  if (!broken.equals(await readFile(file))) throw new Error('A dry run must change nothing.');
  const { repaired, left } = await call('execute_scene_repair', { scenePath });
  console.log(
    'Repaired:',
    repaired.map(({ code, count }) => `${count} ${code}`).join(),
    'left:',
    left,
  );
  if (counts.error === 0) throw new Error('It was not broken.');
  return scenePath;
});
