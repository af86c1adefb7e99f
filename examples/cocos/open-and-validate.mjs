// Before the work on a scene begins: it is opened and checked. One that has errors is not opened by those who say so.
// node examples/cocos/open-and-validate.mjs [--project DIR]
import { onSample } from '../lib/cocos.mjs';

await onSample(async (call) => {
  const check = (scenePath, args) =>
    call('workflow_open_scene_and_validate', { scenePath, ...args });
  const openScene = async () => (await call('get_project_info')).currentScene;
  const menu = 'assets/scenes/menu.scene';
  const game = 'assets/scenes/game.scene';

  const { nodes, validationReport } = await check(game);
  console.log(`${nodes} nodes, valid: ${validationReport.isValid}`);

  const lost = { assetPath: 'assets/textures/star.png', force: true };
  const { brokenUsers } = await call('delete_asset_file', lost);
  console.log('The star is gone, and was used by', brokenUsers.join(', '));
  const refused = await check(menu, { failOnErrors: true }).catch(({ code }) => code);
  console.log(`Only without errors: ${refused}; open is still ${await openScene()}`);
  const { validationReport: report } = await check(menu, { limit: 1 });
  const [{ code, path, suggestion }] = report.findings;
  console.log(`${report.counts.error} errors; the first: ${code} at ${path}. ${suggestion}`);

  await call('execute_project_undo');
  const { validationReport: last } = await check(menu, { failOnErrors: true });
  console.log(`The star is back, valid: ${last.isValid}; open is ${await openScene()}`);
  return menu;
});
