// A server whose calls take their time: node slow-server.mjs stdio | http PORT
import { setTimeout as sleep } from 'node:timers/promises';
import { readLines } from '../candidates/floor.mjs';

const callMs = 200;
const serverInfo = { name: 'slow', version: '1.0.0' };

async function answer({ id, method, params }) {
  if (id === undefined) return undefined;
  const say = (outcome) => JSON.stringify({ jsonrpc: '2.0', id, ...outcome });
  if (method === 'initialize') {
    const { protocolVersion } = params;
    return say({ result: { protocolVersion, capabilities: { tools: {} }, serverInfo } });
  }
  if (method !== 'tools/call') return say({ error: { code: -32601, message: 'Method not found' } });
  await sleep(callMs);
  return say({ result: { content: [{ type: 'text', text: params.arguments.message }] } });
}

async function serveHttp(port) {
  const { createServer } = await import('node:http');
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST') {
      response.writeHead(request.method === 'DELETE' ? 204 : 405).end();
      return;
    }
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = await answer(JSON.parse(Buffer.concat(chunks)));
    if (text === undefined) response.writeHead(202).end();
    else {
      const headers = { 'content-type': 'application/json', 'mcp-session-id': 'slow' };
      response.writeHead(200, headers).end(text);
    }
  });
  server.listen(Number(port), '127.0.0.1');
}

function serveStdio() {
  readLines(process.stdin, async (line) => {
    const text = await answer(JSON.parse(line));
    if (text !== undefined) process.stdout.write(`${text}\n`);
  });
}

const [, , front, port] = process.argv;
if (front === 'http') await serveHttp(port);
else serveStdio();
