// The floor: what Node itself costs a client. Every request has an id of its own and gets the answer with that id;
// no limits, no timeouts, no cancelling.
import { readLines } from '../candidates/floor.mjs';
import {
  httpHeaders,
  initializedMessage,
  initializeMessage,
  request,
  sessionEra,
  statelessEra,
} from '../lib/messages.mjs';

// What both transports have in common, above `send(message)`, which gives the result of a request.
async function open(era, { send, close, opened }) {
  let lastId = 0;
  const ask = (method, params) => send(request(era, ++lastId, method, params));
  if (era === statelessEra) await ask('server/discover');
  else {
    const { protocolVersion } = await send(initializeMessage(era));
    opened?.(protocolVersion);
    await send(initializedMessage);
  }
  return { call: (name, args) => ask('tools/call', { name, arguments: args }), close };
}

const dataOf = (stream) => {
  const from = stream.indexOf('data: ') + 6;
  return stream.slice(from, stream.indexOf('\n', from));
};

function readResult(response, text, { id }) {
  if (response.statusCode >= 300) throw new Error(`status ${response.statusCode}`);
  if (id === undefined) return undefined;
  const streamed = response.headers['content-type'].startsWith('text/event-stream');
  const reply = JSON.parse(streamed ? dataOf(text) : text);
  if (reply.id !== id) throw new Error(`an answer to ${reply.id} instead of ${id}`);
  if (reply.error) throw new Error(reply.error.message);
  return reply.result;
}

/** The floor's client. */
export default {
  eras: [sessionEra, statelessEra],

  async http({ url, era }) {
    const http = await import('node:http');
    const { hostname, port, pathname } = new URL(url);
    const agent = new http.Agent({ keepAlive: true, maxSockets: 256 });
    const target = { hostname, port, path: pathname, method: 'POST', agent };
    const session = {};
    const send = (message) =>
      new Promise((resolve, reject) => {
        const headers = httpHeaders(era, message, session);
        const posted = http.request({ headers, ...target }, (response) => {
          session.sessionId ??= response.headers['mcp-session-id'];
          const chunks = [];
          response.on('data', (chunk) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            const bytes = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
            try {
              resolve(readResult(response, bytes.toString(), message));
            } catch (error) {
              reject(error);
            }
          });
        });
        posted.on('error', reject);
        posted.end(JSON.stringify(message));
      });
    const opened = (protocolVersion) => (session.protocolVersion = protocolVersion);
    return open(era, { send, close: () => agent.destroy(), opened });
  },

  async stdio({ command, args, era }) {
    const { spawn } = await import('node:child_process');
    const env = { PATH: process.env.PATH }; // as little as the others hand on
    const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'], env });
    const exited = new Promise((resolve) => child.once('exit', resolve));
    const waiting = new Map();
    readLines(child.stdout, (line) => {
      const reply = JSON.parse(line);
      const { resolve, reject } = waiting.get(reply.id);
      waiting.delete(reply.id);
      if (reply.error) reject(new Error(reply.error.message));
      else resolve(reply.result);
    });
    const send = (message) => {
      child.stdin.write(`${JSON.stringify(message)}\n`);
      if (message.id === undefined) return undefined;
      return new Promise((resolve, reject) => waiting.set(message.id, { resolve, reject }));
    };
    const close = () => {
      child.stdin.end();
      return exited;
    };
    return open(era, { send, close });
  },
};
