// Where a public server runs: as a program of its own folder, in namespaces of its own.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { node22 } from '../../scripts/peers.mjs';
import { installed } from './install.mjs';

/** Everything in namespaces of its own: no network but loopback, no processes but its own, which all end with it. */
export const isolated = [
  '-rn',
  '--pid',
  '--fork',
  '--mount-proc',
  '--kill-child',
  'sh',
  '-c',
  'ip link set lo up && exec "$@" & wait $!',
  'sh',
];

const mapped = (values = {}, change) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));

/** Installs a server of the list unless it is there; gives how it is started in a folder, with the files it wants there. */
export async function commandOf(name, server, folder) {
  const bin = await installed(server.package ?? name, server);
  const fill = (text) => text.replaceAll('{folder}', folder).replaceAll('{port}', '8931');
  for (const [file, text] of Object.entries(server.files ?? {})) {
    writeFileSync(path.join(folder, file), text);
  }
  return {
    command: node22(),
    args: [bin, ...(server.args ?? []).map(fill)],
    env: { HOME: folder, ...mapped(server.env, fill) },
    cwd: folder,
  };
}
