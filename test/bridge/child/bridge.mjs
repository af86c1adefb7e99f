// A bridge over HTTP to the server below, in a process of its own that tells how it is doing: node bridge.mjs '{}'
import { createBridge } from 'mcp-kit/bridge';
import { createServer } from 'mcp-kit/server';
import { tool, toolSet } from 'mcp-kit/tools';
import { serveStdio } from 'mcp-kit/transport';
import { childTarget } from 'mcp-kit/transport/child-process';
import { serveHttp } from 'mcp-kit/transport/http';
import { answer } from '../../faults/child/vitals.mjs';

const echo = tool({
  name: 'echo',
  description: 'Returns what it is given, and reports on the way when it is asked to.',
  input: { type: 'object', properties: { text: { type: 'string' } } },
  async run({ text = '' }, context) {
    await context.progress(1, 2);
    return text;
  },
});

if (process.argv.includes('--server')) {
  const features = [toolSet([echo])];
  await serveStdio(createServer({ name: 'bridged', version: '1.0.0', features }));
} else {
  const args = [import.meta.filename, '--server'];
  const bridge = createBridge(childTarget({ command: process.execPath, args }));
  const { port } = await serveHttp(bridge);
  answer({});
  process.send({ port });
}
