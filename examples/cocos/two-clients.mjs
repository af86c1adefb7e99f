// Two clients of one server, over HTTP, that edit the same scene at the same time: no edit is lost.
// node examples/cocos/two-clients.mjs [--project DIR]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { openSession } from 'mcp-kit/client';
import { httpTarget } from 'mcp-kit/transport/http-client';
import { caller, conclude, emptyScene, inFolder, mcpctl } from '../lib/cocos.mjs';

/** Keeps at it where another was quicker, as whoever edits together with others has to. */
async function insist(call, tool, args) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call(tool, args);
    } catch (error) {
      if (error.code !== 'E_CONFLICT' || attempt === 20) throw error;
    }
  }
}

await inFolder(async (folder) => {
  const args = [mcpctl, 'cocos', 'serve', '--sample', '--project', folder, '--port', '0', '--json'];
  const server = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(server, 'exit');
  try {
    const [line] = await once(createInterface({ input: server.stdout }), 'line');
    const { url } = JSON.parse(line);
    const open = () => openSession(httpTarget(url), { name: 'example', version: '1.0.0' });
    const sessions = await Promise.all([open(), open()]);
    const [left, right] = sessions.map(caller);
    const scenePath = await emptyScene(left, 'together');
    const add = async (call, side, x) => {
      for (let index = 0; index < 5; index++) {
        const name = `${side}${index}`;
        const position = { x, y: 200 - index * 90 };
        const where = { scenePath, parentUuid: 'Canvas', name, element: 'Label', position };
        await insist(call, 'create_scene_node', where);
      }
    };
    await Promise.all([add(left, 'Left', -200), add(right, 'Right', 200)]);
    const { total } = await left('find_scene_nodes', { scenePath, type: 'cc.Label' });
    console.log(`${total} labels of 10`);
    await conclude(right, scenePath);
    await Promise.all(sessions.map((session) => session.close()));
  } finally {
    server.kill();
    await ended;
  }
});
