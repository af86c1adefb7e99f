// What the servers of these tests can do.
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer, resources } from 'mcp-kit/server';
import { tool, toolSet } from 'mcp-kit/tools';

const input = { type: 'object' };
const anyList = {
  type: 'object',
  properties: { items: { type: 'array', items: { type: 'string' } } },
  required: ['items'],
};

const tools = toolSet([
  tool({
    name: 'echo',
    description: 'Gives the nonce back, sooner or later, perhaps after saying it first.',
    input,
    async run({ nonce, delayMs = 0, aloud = false }, context) {
      if (delayMs > 0) await sleep(delayMs);
      if (aloud) await context.log('info', { nonce });
      return nonce;
    },
  }),
  tool({
    name: 'flood',
    description: 'Says a lot before it answers; waits for its reader, or not.',
    input,
    async run({ count, size, patient }, context) {
      const pad = 'x'.repeat(size);
      for (let seq = 0; seq < count && !context.signal.aborted; seq++) {
        const told = context.log('info', { seq, pad });
        if (patient) await told;
        else if (seq % 100 === 0) await sleep(0);
      }
      return `said ${count}`;
    },
  }),
  tool({
    name: 'hang',
    description: 'Answers only when nobody wants it any more.',
    run: (_args, { signal }) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve('gone'))),
  }),
  tool({ name: 'count', description: 'Takes strings.', input: anyList, run: () => 'ok' }),
]);
const files = resources({
  resources: [{ uri: 'test://file', name: 'file', read: () => 'text' }],
});

export const service = createServer({ name: 'faults', version: '1.0.0', features: [tools, files] });
