// Runs vitest on a clone that is made ready first.
import path from 'node:path';
import { run } from '../child.mjs';
import { installPeers } from '../peers.mjs';
import { prepare, root } from '../prepare.mjs';

/** Installs, builds, and runs vitest with these arguments; answers its exit code. */
export async function runVitest(args, { env = {}, ...options } = {}) {
  await prepare({ dev: true });
  await installPeers();
  const vitest = path.join(root, 'node_modules/vitest/vitest.mjs');
  const nodeOptions = [process.env.NODE_OPTIONS, '--unhandled-rejections=strict']
    .filter(Boolean)
    .join(' ');
  const { code } = await run(process.execPath, [vitest, 'run', ...args], {
    cwd: root,
    env: { ...process.env, NODE_OPTIONS: nodeOptions, ...env },
    ...options,
  });
  return code;
}
