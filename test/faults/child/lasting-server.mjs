// A server whose sessions and keys are in a folder: lasting-server.mjs FOLDER PORT. Its tool writes a line for each time it ran.
import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openFileStore } from '@mcp-kit/store-file';
import { createServer } from 'mcp-kit/server';
import { tool, toolSet } from 'mcp-kit/tools';
import { governed } from 'mcp-kit/tools/governed';
import { serveHttp } from 'mcp-kit/transport/http';

const [folder, port] = process.argv.slice(2);
const store = await openFileStore(path.join(folder, 'store'));
const pay = tool({
  name: 'create_order_payment',
  description: 'Pays an order.',
  category: 'order',
  safety: 'mutating',
  input: { type: 'object', properties: { order: { type: 'string' } }, required: ['order'] },
  async run({ order }, context) {
    await context.log('error', `paying ${order}`);
    await sleep(Math.random() * 10);
    appendFileSync(path.join(folder, 'payments'), `${order}\n`);
    await sleep(Math.random() * 10);
    return `paid ${order}`;
  },
});
// Who died is waited for no longer than needed.
const contract = governed({ store, lint: 'off', idempotency: { leaseMs: 300 } });
const tools = toolSet([pay], { contract });
const server = createServer({ name: 'lasting', version: '1.0.0', features: [tools] });
await serveHttp(server, { port: Number(port), store, sessions: { leaseMs: 300 } });
process.stdout.write('ready\n');
