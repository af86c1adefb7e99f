// A task goes on when its server starts anew: node examples/tasks-that-last.mjs
// Ends a server while it works on a task, and asks the next one for it, as a client does that was started anew as well.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openFileStore } from '@mcp-kit/store-file';
import { connect, createServer, serve, textOf, tool } from 'mcp-kit';

/** Serves until it is killed, and says where. */
async function runServer(folder, time) {
  const store = await openFileStore(folder);
  const count = tool({
    name: 'get_word_count',
    description: 'Counts for a while.',
    annotations: { readOnlyHint: true },
    task: 'always',
    async run(_args, { signal }) {
      // The first one never comes to an end.
      await sleep(time === 'first' ? 60_000 : 100, undefined, { signal });
      return `Counted by the ${time} server.`;
    },
  });
  const tasks = { store, leaseMs: 1000 };
  const server = createServer({ name: 'counter', version: '1.0.0', tools: [count], tasks });
  process.send((await serve(server, { http: 0 })).url);
}

async function main() {
  const folder = await mkdtemp(path.join(tmpdir(), 'tasks-'));
  let id;
  for (const time of ['first', 'second']) {
    const server = fork(import.meta.filename, [folder, time]);
    const [url] = await once(server, 'message');
    const session = await connect(url);
    if (id === undefined) ({ id } = await session.startTask('get_word_count'));
    else console.log(textOf(await session.task(id).result()));
    await session.close();
    server.kill('SIGKILL');
    await once(server, 'exit');
  }
  await rm(folder, { recursive: true });
}

const [folder, time] = process.argv.slice(2);
await (folder === undefined ? main() : runServer(folder, time));
