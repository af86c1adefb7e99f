// Images from elsewhere: imported, shown, drawn anew and imported again. References hold, because the uuid stays.
// node examples/cocos/import-sprites.mjs [--project DIR]
import { copyFile, mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { emptyScene, onSample } from '../lib/cocos.mjs';

await onSample(async (call, { folder }) => {
  const scenePath = await emptyScene(call, 'pictures');
  const art = path.join(folder, 'temp/art');
  const drawn = path.join(art, 'badge.png');
  const draw = (name) => copyFile(path.join(folder, 'assets/textures', name), drawn);
  await mkdir(art, { recursive: true });
  await draw('star.png');
  await call('create_scene_node', { parentUuid: 'Canvas', name: 'Badge', element: 'Node' });
  const show = () =>
    call('workflow_import_and_assign_sprite', {
      sourcePath: drawn,
      targetNodeUuid: 'Canvas/Badge',
      targetFolder: 'assets/art',
      sizeMode: 'RAW',
    });
  const first = await show();
  console.log('The same bytes again:', (await show()).reused ? 'nothing to do' : 'imported');
  await draw('heart.png');
  const second = await show();
  console.log('Other bytes:', second.assetUuid === first.assetUuid ? 'the same uuid' : 'another');
  const { usedBy, subAssets } = await call('get_asset_info', { assetPath: second.assetPath });
  console.log('Used by', usedBy.join(), 'as', subAssets.map(({ type }) => type).join());
  await rm(art, { recursive: true });
  return scenePath;
});
