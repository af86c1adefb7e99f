// A server of the Cocos pack in a process of its own, over HTTP, as a client has it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { openSession } from 'mcp-kit/client';
import { httpTarget } from 'mcp-kit/transport/http-client';
import { root } from '../../../scripts/prepare.mjs';

const program = path.join(root, 'packages/mcpctl/dist/main.js');
const probe = path.join(import.meta.dirname, 'memory-probe.mjs');

/** Asks a server for what is in its memory once garbage has been collected, in MiB: live, of which heap and buffers; and RSS. */
async function memoryOf(server) {
  const answer = once(server, 'message');
  server.send('memory');
  const [memory] = await answer;
  return memory;
}

/**
 * Serves a project, with images from a folder beside it, to `work`, which gets a session, the id of the process and a function
 * that asks for its memory. `nodeArgs` are options of Node for the server.
 */
export async function serving({ folder, images, nodeArgs = [] }, work) {
  const where = ['--project', folder, '--image-folder', images];
  const layers = ['--layer', 'core', '--layer', 'advanced'];
  const node = ['--expose-gc', '--import', probe];
  const args = [
    ...nodeArgs,
    ...node,
    program,
    'cocos',
    'serve',
    ...where,
    ...layers,
    '--port',
    '0',
    '--json',
  ];
  const server = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  const ended = once(server, 'exit');
  try {
    const [line] = await once(createInterface({ input: server.stdout }), 'line');
    const { url } = JSON.parse(line);
    const session = await openSession(httpTarget(url), { era: 'legacy' });
    try {
      return await work(session, server.pid, () => memoryOf(server));
    } finally {
      await session.close();
    }
  } finally {
    server.kill();
    await ended;
  }
}
