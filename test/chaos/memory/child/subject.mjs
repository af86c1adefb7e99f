// A server under attack in a process of its own, with a small heap: node subject.mjs. Runs the build, not the sources.
import { operateHttp } from '@mcp-kit/host/operate';
import { createServer, resources } from 'mcp-kit/server';
import { tool, toolSet } from 'mcp-kit/tools';

const hang = tool({
  name: 'hang',
  description: 'Answers only when nobody wants it any more.',
  run: (_args, { signal }) =>
    new Promise((resolve) => signal.addEventListener('abort', () => resolve('gone'))),
});

const say = tool({
  name: 'say',
  description: 'Says so much.',
  input: { type: 'object', properties: { bytes: { type: 'integer' } } },
  run: ({ bytes = 2 }) => 'x'.repeat(bytes),
});

const server = createServer({
  name: 'attacked',
  version: '1.0.0',
  features: [toolSet([hang, say]), resources({ resources: [] })],
});
const operated = await operateHttp(server, { metrics: { port: 0 } });

let peakRss = 0;
setInterval(() => {
  peakRss = Math.max(peakRss, process.memoryUsage.rss());
}, 20).unref();

process.on('message', (question) => {
  if (question === 'vitals') {
    const { used, limit } = operated.listening.endpoint.budget;
    process.send({ vitals: { used, limit, peakRss, metrics: operated.metrics() } });
  }
});
process.send({ started: { url: operated.url } });
