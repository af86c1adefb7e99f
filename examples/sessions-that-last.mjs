// A session goes on when its server starts anew: node examples/sessions-that-last.mjs
// Serves twice from one folder, as a server does that was restarted, to a client that only greets the first.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openFileStore } from '@mcp-kit/store-file';
import { createServer } from 'mcp-kit/server';
import { tool, toolSet } from 'mcp-kit/tools';
import { serveHttp } from 'mcp-kit/transport/http';

const folder = await mkdtemp(path.join(tmpdir(), 'sessions-'));
let headers = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};

/** Sends one message; the answer to the first says which session it is. */
async function send(url, message) {
  const body = JSON.stringify({ jsonrpc: '2.0', ...message });
  const response = await fetch(url, { method: 'POST', headers, body });
  const session = response.headers.get('mcp-session-id');
  if (session !== null) headers = { ...headers, 'mcp-session-id': session };
  const text = await response.text();
  return text === '' ? undefined : JSON.parse(text).result;
}

for (const time of ['first', 'second']) {
  const store = await openFileStore(folder);
  const greet = tool({
    name: 'get_text_greeting',
    description: 'Greets its client by name.',
    run: (_args, context) => `The ${time} server greets ${context.client.info.name}.`,
  });
  const features = [toolSet([greet])];
  const server = createServer({ name: 'greeter', version: '1.0.0', features });
  const { url, close } = await serveHttp(server, { port: 0, store });
  if (time === 'first') {
    const clientInfo = { name: 'Ann', version: '1.0.0' };
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
    await send(url, { id: 1, method: 'initialize', params });
    await send(url, { method: 'notifications/initialized' });
  }
  const params = { name: 'get_text_greeting', arguments: {} };
  const { content } = await send(url, { id: time, method: 'tools/call', params });
  console.log(content[0].text);
  await close();
  await store.close();
}
await rm(folder, { recursive: true });
