// Serves tools whose calls go on as tasks, kept in a folder, until it is killed: node task-server.mjs FOLDER
// What a call does it writes into the file `effects` there, one line each time.
import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openFileStore } from '@mcp-kit/store-file';
import { createServer } from 'mcp-kit/server';
import { tool, toolSet } from 'mcp-kit/tools';
import { governed } from 'mcp-kit/tools/governed';
import { serveHttp } from 'mcp-kit/transport/http';

const [folder] = process.argv.slice(2);
const store = await openFileStore(path.join(folder, 'store'));
const leaseMs = 500;
const input = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };

/** Takes a while before and after it has an effect, so that a process can die anywhere. */
async function work(name) {
  await sleep(Math.random() * 40);
  appendFileSync(path.join(folder, 'effects'), `${name}\n`);
  await sleep(Math.random() * 40);
}

const execute = async ({ name }) => {
  await work(name);
  return { name };
};
const common = { task: 'always', input, description: 'Works for a while.' };
const tools = [
  tool({ ...common, name: 'update_thing_once', safety: 'mutating', run: execute }),
  tool({
    ...common,
    name: 'update_thing_again',
    safety: 'mutating',
    idempotent: true,
    run: execute,
  }),
  tool({
    ...common,
    name: 'update_thing_planned',
    safety: 'mutating',
    plan: ({ name }) => ({ changes: [], name }),
    apply: ({ name }) => work(name).then(() => ({ name })),
  }),
];
const contract = governed({ store, idempotency: { leaseMs }, lint: 'off' });
const set = toolSet(tools, { contract, tasks: { store, leaseMs, pollIntervalMs: 100 } });
const server = createServer({ name: 'tasks', version: '1', features: [set] });
const { url } = await serveHttp(server, { port: 0 });
console.log(url);
