import { once } from 'node:events';
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { answerTo, serverMessage } from './messages.ts';
import type { Random } from './random.ts';

/** A server that means harm. */
export interface HostileServer extends AsyncDisposable {
  readonly url: string;
  readonly socket: string;
  /** How many messages it has sent. */
  sent(): number;
}

/** Beyond so many bytes that nobody has read it says no more. */
const patience = 1024 * 1024;

/** What to say to a request: some noise, and an answer unless it is silent. */
function* sayings(random: Random, asked: unknown): Generator<string> {
  const { id, method } = (asked ?? {}) as { id?: unknown; method?: unknown };
  const noise = random.chance(0.9) ? random.below(6) : random.below(200);
  for (let at = 0; at < noise; at += 1) yield serverMessage(random);
  if (id === undefined || random.chance(0.03)) return;
  yield answerTo(random, String(method), JSON.stringify(id));
  if (random.chance(0.05)) yield answerTo(random, String(method), JSON.stringify(id));
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** Serves lines at a path and HTTP at a port of 127.0.0.1. */
export async function startHostileServer(path: string, random: Random): Promise<HostileServer> {
  let sent = 0;
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  };

  const lines = createServer((socket) => {
    keep(socket);
    let rest = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      const parts = (rest + chunk).split('\n');
      rest = parts.pop() ?? '';
      for (const part of parts) {
        for (const said of sayings(random, parse(part))) {
          if (socket.destroyed || socket.writableLength > patience) return;
          sent += 1;
          socket.write(`${said}\n`);
        }
        if (random.chance(0.01)) socket.destroy();
      }
    });
  });

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const said = [...sayings(random, parse(await text(request)))];
    sent += said.length;
    const odd = random.chance(0.05);
    const status = odd ? random.pick([202, 204, 400, 401, 404, 429, 500, 503]) : 200;
    const headers = { 'mcp-session-id': `s${random.below(5)}`, 'retry-after': '0' };
    if (random.chance(0.02)) {
      response.destroy();
    } else if (request.method === 'GET' || random.chance(0.5)) {
      response.writeHead(status, { ...headers, 'content-type': 'text/event-stream' });
      for (const [at, one] of said.entries()) response.write(`id: ${at}\ndata: ${one}\n\n`);
      if (random.chance(0.9)) response.end();
    } else {
      const type = random.chance(0.95) ? 'application/json' : 'text/html';
      response.writeHead(status, { ...headers, 'content-type': type });
      response.end(said.at(-1) ?? '');
    }
  };
  const http = createHttpServer((request, response) => {
    response.on('error', () => {});
    answer(request, response).catch(() => response.destroy());
  });
  http.on('connection', keep);

  await listening(lines, path);
  await listening(http, 0);
  const { port } = http.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    socket: path,
    sent: () => sent,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await Promise.all([lines, http].map((server) => new Promise((done) => server.close(done))));
    },
  };
}

async function listening(server: Server, at: string | number): Promise<void> {
  if (typeof at === 'string') server.listen(at);
  else server.listen(at, '127.0.0.1');
  await once(server, 'listening');
}
