// The fixture behind a gateway, as users run one: a file that names the server, and `mcpctl up`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { root } from '../../scripts/prepare.mjs';
import { serveRenamed } from './renamed.mjs';

const mcpctl = path.join(root, 'packages/mcpctl/dist/main.js');
const fixture = path.join(import.meta.dirname, 'server.mjs');
/** What the file calls the fixture. */
const name = 'fixture';

/**
 * Where the fixture is found behind a gateway: as one server of it, and among all. There names begin with that of their server,
 * always, and the scenarios ask by the names that the fixture has: something between them and the gateway adds that beginning.
 */
export const places = ['one server of a gateway', 'all servers of a gateway'];

/** What cannot pass through a gateway, and why. A scenario that passes all the same is a failure: it belongs here no more. */
const misses = [
  {
    names: ['server-sse-polling'],
    why: 'over stdio no server can hang up, so there is nothing that its client could come back for',
  },
];

/** The reason why a scenario cannot pass at this place of a gateway, if there is one. */
export const missOfPlace = (place, { name: scenario, revision }) =>
  misses.find(
    (miss) =>
      miss.names.includes(scenario) &&
      (miss.place ?? place) === place &&
      (miss.revision ?? revision) === revision,
  )?.why;

/** Serves the fixture through a gateway that starts it as a process. */
export async function serveGateway() {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'mcp-kit-conformance-'));
  const server = { command: process.execPath, args: [fixture, '--stdio'] };
  const other = { command: process.execPath, args: [mcpctl, 'serve', '--stdio'] };
  const config = { mcpServers: { [name]: server, other } };
  const file = path.join(folder, 'mcp.json');
  await writeFile(file, JSON.stringify(config));
  const trusted = ['--trust', '--yes-trust', '--root', folder, '--config', file];
  // The suite asks for each tool by its name: it is a client that searches by itself.
  const shown = ['--disclosure', 'full'];
  const args = [mcpctl, 'up', '--json', '--port', '0', ...shown, ...trusted];
  const child = spawn(process.execPath, args, {
    env: { ...process.env, HOME: folder },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(child, 'exit');
  const close = async () => {
    child.kill();
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  const failed = ended.then(([code]) => {
    throw new Error(`the gateway ended with ${code}`);
  });
  // Where to find it is the first line it prints.
  const [line] = await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    failed,
  ]);
  failed.catch(() => {});
  const { url } = JSON.parse(line);
  const renamed = await serveRenamed(url, `${name}__`);
  return {
    urls: { [places[0]]: `${url}/${name}`, [places[1]]: renamed.url },
    async close() {
      await renamed.close();
      await close();
    },
  };
}
