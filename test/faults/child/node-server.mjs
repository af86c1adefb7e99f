// One of several processes that serve as one: node-server.mjs STORE, a folder or a URL. Says at which port.
import { setTimeout as sleep } from 'node:timers/promises';
import { openFileStore } from '@mcp-kit/store-file';
import { openRedisStore } from '@mcp-kit/store-redis';
import { operateHttp } from '@mcp-kit/host/operate';
import { elicit } from 'mcp-kit/protocol';
import { createServer } from 'mcp-kit/server';
import { openKeyRing } from 'mcp-kit/store';
import { tool, toolSet } from 'mcp-kit/tools';

const [place] = process.argv.slice(2);
const store = place.startsWith('redis:') ? await openRedisStore(place) : await openFileStore(place);
const steps = tool({
  name: 'count_steps',
  description: 'Says each number up to 8, and waits in between.',
  async run(_args, context) {
    for (let step = 1; step <= 8; step += 1) {
      await context.log('error', step);
      await sleep(Math.random() * 20);
    }
    return 'counted';
  },
});
const ask = tool({
  name: 'ask_word',
  description: 'Asks the user for a word.',
  async run(_args, context) {
    const requestedSchema = { type: 'object', properties: { word: { type: 'string' } } };
    const { answer } = await context.ask({ answer: elicit({ message: 'Word?', requestedSchema }) });
    return String(answer.content?.word);
  },
});
const keys = await openKeyRing(store);
const requestState = { keys: keys.keys('request-state') };
const features = [toolSet([steps, ask])];
const server = createServer({ name: 'node', version: '1.0.0', features, requestState });
// How long others take one for alive that was killed; a slow machine must not look like one.
const sessions = { leaseMs: 5000 };
const { url } = await operateHttp(server, { port: 0 }, { store, keys, sessions });
process.stdout.write(`port ${new URL(url).port}\n`);
