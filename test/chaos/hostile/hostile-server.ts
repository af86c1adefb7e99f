import { once } from 'node:events';
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Random } from './random.ts';
import { answerTo, flood, serverMessage } from './server-messages.ts';

/** A server that means harm. */
export interface HostileServer extends AsyncDisposable {
  readonly url: string;
  readonly socket: string;
  /** How many messages it has sent. */
  sent(): number;
}

/** Beyond so many bytes that nobody has read it says no more. */
const patience = 1024 * 1024;
/** How long what never ends goes on. */
const endlessMs = 300;

/** What to say to a request: some noise or a flood, and an answer unless it is silent. */
function* sayings(random: Random, asked: unknown): Generator<string> {
  const { id, method } = (asked ?? {}) as { id?: unknown; method?: unknown };
  const token = JSON.stringify(id) ?? 'null';
  if (random.chance(0.03)) {
    const next = flood(random, token);
    for (let left = random.below(500); left > 0; left -= 1) yield next();
  } else {
    for (let left = random.below(6); left > 0; left -= 1) yield serverMessage(random);
  }
  if (id === undefined || random.chance(0.03)) return;
  yield answerTo(random, String(method), token);
  if (random.chance(0.05)) yield answerTo(random, String(method), token);
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** Bytes that no message ends, a few at a time, until nobody wants them or it has been long enough. */
function drip(target: Socket | ServerResponse, piece: string): void {
  const timer = setInterval(() => {
    if (target.destroyed || target.writableLength > patience) clearInterval(timer);
    else target.write(piece);
  }, 2);
  timer.unref();
  setTimeout(() => {
    clearInterval(timer);
    target.destroy();
  }, endlessMs).unref();
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
        else if (random.chance(0.005)) drip(socket, 'x'.repeat(random.pick([1, 1000, 30_000])));
      }
    });
  });

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const said = [...sayings(random, parse(await text(request)))];
    sent += said.length;
    if (random.chance(0.04)) breakOff(random, response);
    else if (request.method === 'GET' || random.chance(0.5)) streamed(random, response, said);
    else {
      const type = random.chance(0.95) ? 'application/json' : 'text/html';
      response.writeHead(statusOf(random), { ...headersOf(random), 'content-type': type });
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

const statusOf = (random: Random): number =>
  random.chance(0.95) ? 200 : random.pick([202, 204, 302, 400, 401, 403, 404, 405, 429, 500, 503]);

function headersOf(random: Random): Record<string, string> {
  const headers: Record<string, string> = { 'retry-after': '0' };
  if (random.chance(0.9)) headers['mcp-session-id'] = `s${random.below(5)}`;
  else if (random.chance(0.3)) headers['mcp-session-id'] = 'y'.repeat(5000);
  if (random.chance(0.02)) headers['location'] = random.pick(['/mcp', '//x', '::', '/other']);
  if (random.chance(0.02)) {
    headers['www-authenticate'] = random.pick([
      'Bearer',
      'Bearer resource_metadata="http://127.0.0.1:1/x"',
      'Bearer '.repeat(500),
      `Bearer a="${'\\'.repeat(3000)}`,
    ]);
  }
  return headers;
}

/** Events as they should be, and fields that are odd, long, or none; now and then a stream that never ends. */
function streamed(random: Random, response: ServerResponse, said: readonly string[]): void {
  response.writeHead(statusOf(random), {
    ...headersOf(random),
    'content-type': 'text/event-stream',
  });
  for (const [at, one] of said.entries()) {
    if (random.chance(0.05)) {
      response.write(
        random.pick([
          ':\n',
          'retry: 0\n',
          'retry: 99999999999999999999\n',
          'id: \u0000\n',
          `id: ${'9'.repeat(3000)}\n`,
          'event: made-up\n',
          '\r\r\n\n',
          `${':'.repeat(5000)}\n`,
          'data\n'.repeat(1000),
          '\uFEFF',
        ]),
      );
    }
    response.write(`id: ${at}\ndata: ${one}\n\n`);
  }
  if (random.chance(0.9)) response.end();
  else if (random.chance(0.5)) drip(response, random.pick([':\n', 'data: x\n', 'x', '\n\n']));
}

/** What is no HTTP, or not all of it. */
function breakOff(random: Random, response: ServerResponse): void {
  response.socket?.end(
    random.pick([
      'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{"jsonrpc"',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nffff\r\n{}',
      'HTTP/1.1 100 Continue\r\n\r\n'.repeat(50),
      'HTTP/1.1 999 \r\n\r\n',
      `HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(3000)}`,
      'no HTTP at all\n',
      '',
    ]),
  );
  if (random.chance(0.5)) response.destroy();
}

async function listening(server: Server, at: string | number): Promise<void> {
  if (typeof at === 'string') server.listen(at);
  else server.listen(at, '127.0.0.1');
  await once(server, 'listening');
}
