// Runs the tests from a fresh clone; arguments go to vitest.
import path from 'node:path';
import { run } from './child.mjs';
import { installPeers } from './peers.mjs';
import { main, prepare, root } from './prepare.mjs';

await main(async () => {
  await prepare({ dev: true });
  await installPeers();
  const vitest = path.join(root, 'node_modules/vitest/vitest.mjs');
  const nodeOptions = [process.env.NODE_OPTIONS, '--unhandled-rejections=strict']
    .filter(Boolean)
    .join(' ');
  const { code } = await run(process.execPath, [vitest, 'run', ...process.argv.slice(2)], {
    cwd: root,
    env: { ...process.env, NODE_OPTIONS: nodeOptions },
  });
  return code;
});
