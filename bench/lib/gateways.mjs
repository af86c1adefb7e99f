// Gateways: how each is told to serve the servers of a file over HTTP, as arguments of Node.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandPeers, floorBridge, loadFronts, mcpctl } from './bridges.mjs';
import { sessionEra, statelessEra } from './messages.mjs';

/** A file that names the server, as most hosts write it. */
function writeConfig(server, folder) {
  const file = path.join(folder, 'mcp.json');
  writeFileSync(file, JSON.stringify({ mcpServers: { floor: server } }));
  return file;
}

const tool = 'floor__echo';

const launcher = fileURLToPath(new URL('../gateways/mcporter.mjs', import.meta.url));

/** The first is what it costs to forward, without being a gateway; those that know the modern era say so. */
const gateways = [
  floorBridge,
  {
    name: 'ours',
    label: 'ours, mcpctl up',
    eras: [sessionEra, statelessEra],
    tool,
    env: (folder) => ({ HOME: folder, XDG_RUNTIME_DIR: folder }),
    http(server, port, _program, folder) {
      const trusted = ['--trust', '--yes-trust', '--root', folder];
      const config = ['--config', writeConfig(server, folder)];
      return [mcpctl, 'up', '--quiet', '--port', port, ...trusted, ...config];
    },
  },
  {
    name: 'mcporter',
    label: 'mcporter serve',
    folder: commandPeers,
    tool,
    env: (folder) => ({ HOME: folder }),
    http(server, port, program, folder) {
      // It serves those that its daemon keeps, and no others.
      const config = writeConfig({ ...server, lifecycle: 'keep-alive' }, folder);
      return [launcher, program, config, port];
    },
  },
];

/** Gives the gateways that are wanted, each ready to run. */
export const loadGateways = (options) => loadFronts(gateways, options);
