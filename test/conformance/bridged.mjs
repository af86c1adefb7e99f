// The fixture behind a bridge, as users run one: HTTP in front, and behind it a process or a URL.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { root } from '../../scripts/prepare.mjs';

const mcpctl = path.join(root, 'packages/mcpctl/dist/main.js');
const fixture = path.join(import.meta.dirname, 'server.mjs');

/** What the server behind a bridge may be. */
export const wires = ['stdio', 'HTTP'];

/** What cannot pass through a bridge, and why. A scenario that passes all the same is a failure: it belongs here no more. */
const misses = [
  {
    name: 'server-sse-polling',
    wire: 'stdio',
    why: 'over stdio no server can hang up, so there is nothing that its client could come back for',
  },
];

/** The reason why a scenario cannot pass through a bridge to this wire, if there is one. */
export const missOf = (wire, { name, revision }) =>
  misses.find(
    (miss) =>
      miss.name === name &&
      (miss.wire ?? wire) === wire &&
      (miss.revision ?? revision) === revision,
  )?.why;

/** Serves the fixture through a bridge to it over this wire; `url` is where it is served without one. */
export async function serveBridged(wire, url) {
  const server = wire === 'HTTP' ? [url] : ['--', process.execPath, fixture, '--stdio'];
  const args = [mcpctl, 'bridge', '--json', '--http', '127.0.0.1:0', ...server];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const close = async () => {
    child.kill();
    await ended;
  };
  const lines = createInterface({ input: child.stdout });
  // Where to find it is the first line it prints.
  const failed = ended.then(([code]) => {
    throw new Error(`the bridge ended with ${code}`);
  });
  const [line] = await Promise.race([once(lines, 'line'), failed]);
  failed.catch(() => {});
  return { url: JSON.parse(line).url, close };
}
