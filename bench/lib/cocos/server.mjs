// A server of the Cocos pack in a process of its own, over HTTP, as a client has it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { openSession } from 'mcp-kit/client';
import { httpTarget } from 'mcp-kit/transport/http-client';
import { root } from '../../../scripts/prepare.mjs';

const program = path.join(root, 'packages/mcpctl/dist/main.js');

/** Serves a project, with images from a folder beside it, to `work`, which gets a session and the id of the process. */
export async function serving(folder, images, work) {
  const where = ['--project', folder, '--image-folder', images];
  const layers = ['--layer', 'core', '--layer', 'advanced'];
  const args = [program, 'cocos', 'serve', ...where, ...layers, '--port', '0', '--json'];
  const server = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(server, 'exit');
  try {
    const [line] = await once(createInterface({ input: server.stdout }), 'line');
    const { url } = JSON.parse(line);
    const session = await openSession(httpTarget(url), { era: 'legacy' });
    try {
      return await work(session, server.pid);
    } finally {
      await session.close();
    }
  } finally {
    server.kill();
    await ended;
  }
}
