// Files are moved and renamed, one takes the place of another, and no reference breaks.
// node examples/cocos/move-assets.mjs [--project DIR]
import { onSample } from '../lib/cocos.mjs';

await onSample(
  async (call) => {
    const scenePath = 'assets/scenes/menu.scene';
    const before = await call('get_asset_info', { assetPath: 'assets/textures/star.png' });
    console.log('The star is used by', before.usedBy.join(', '));
    const refused = await call('delete_asset_file', {
      assetPath: 'assets/textures/star.png',
    }).catch(({ code }) => code);
    console.log('Deleting it now:', refused);
    await call('move_asset_file', { assetPath: 'assets/textures', targetPath: 'assets/art' });
    await call('move_asset_file', {
      assetPath: 'assets/art/star.png',
      targetPath: 'assets/art/icons/star.png',
    });
    const moved = await call('get_asset_info', { assetPath: 'assets/art/icons/star.png' });
    console.log('The same uuid:', moved.assetUuid === before.assetUuid);
    const { count, files } = await call('update_asset_references', {
      assetPath: 'assets/art/icons/star.png',
      targetPath: 'assets/art/heart.png',
    });
    console.log(`Hearts for stars: ${count} in ${files.map(({ path }) => path).join(' and ')}`);
    await call('delete_asset_file', { assetPath: 'assets/art/icons/star.png' });
    const { counts } = await call('validate_project_assets');
    console.log('In the whole project:', counts);
    return scenePath;
  },
  { args: ['--layer', 'core', '--layer', 'advanced'] },
);
