// What was done under a key stays done when the server starts anew: node examples/keys-that-last.mjs
// Serves twice from one folder, as a server does that was restarted, and calls with the same key.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openFileStore } from '@mcp-kit/store-file';
import { createServer } from 'mcp-kit/server';
import { tool, toolSet } from 'mcp-kit/tools';
import { governed } from 'mcp-kit/tools/governed';
import { demo } from './lib/demo.mjs';

const folder = await mkdtemp(path.join(tmpdir(), 'keys-'));
let letters = 0;

for (const time of ['first', 'second']) {
  const store = await openFileStore(folder);
  const send = tool({
    name: 'send_user_letter',
    description: 'Sends a letter.',
    category: 'mail',
    safety: 'mutating',
    run: () => `letter ${(letters += 1)}`,
  });
  const tools = toolSet([send], { contract: governed({ store, lint: 'off' }) });
  await demo(createServer({ name: 'mail', version: '1.0.0', features: [tools] }), async (call) => {
    const { data, meta } = await call('send_user_letter', { idempotencyKey: 'order-17' });
    console.log(`${time} server: ${data}${meta.replayed ? ', as before' : ''}`);
  });
  await store.close();
}
console.log(`letters sent: ${letters}`);
await rm(folder, { recursive: true });
