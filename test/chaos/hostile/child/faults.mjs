// Servers with a fault each.
import { createServer } from 'mcp-kit/server';
import { tool, toolSet } from 'mcp-kit/tools';

function serverWith(run) {
  const echo = tool({
    name: 'echo',
    description: 'Returns what it is given, and does some harm.',
    input: { type: 'object', properties: { nonce: { type: 'string' } } },
    run: ({ nonce = '' }) => (run(), nonce),
  });
  return createServer({ name: 'faulty', version: '1.0.0', features: [toolSet([echo])] });
}

function keepBusy(ms) {
  const start = process.cpuUsage();
  const busy = () => {
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  };
  while (busy() < ms);
}

const kept = [];

export const faults = {
  blocks: () => serverWith(() => keepBusy(80)),
  exits: () => serverWith(() => setImmediate(() => Promise.reject(new Error('nobody expects it')))),
  keeps: () => serverWith(() => kept.push(Array.from({ length: 1e6 }, () => kept.length))),
};
