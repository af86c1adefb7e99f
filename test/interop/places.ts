import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { toFetchHandler, type HttpOptions } from 'mcp-kit/transport/http';
import { createFixture, serveFixtureHttp, serveFixtureSocket } from './fixture.mjs';
import type { Place } from './hosts.ts';
import type { SocketTransportOptions } from './socket-transport.ts';

export interface OpenPlace extends AsyncDisposable {
  readonly place: Place;
}

const openStdio = async (): Promise<OpenPlace> => ({
  place: { kind: 'stdio' },
  [Symbol.asyncDispose]: async () => {},
});

async function openHttp(options: HttpOptions = {}): Promise<OpenPlace> {
  const { url, close } = await serveFixtureHttp(options);
  return { place: { kind: 'http', url }, [Symbol.asyncDispose]: close };
}

async function openSocket(options: SocketTransportOptions = {}): Promise<OpenPlace> {
  const folder = await mkdtemp(path.join(tmpdir(), 'mcp-kit-interop-'));
  const { path: socket, close } = await serveFixtureSocket(path.join(folder, 'fixture.sock'));
  return {
    place: { kind: 'socket', path: socket, ...options },
    async [Symbol.asyncDispose]() {
      await close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The client's `fetch` is the server itself. */
async function openFetchHandler(): Promise<OpenPlace> {
  const { server } = createFixture();
  const handler = toFetchHandler(server, { retryMs: 20 });
  return {
    place: {
      kind: 'http',
      url: 'http://localhost/mcp',
      fetch: (input, init) => handler(new Request(input, init)),
    },
    async [Symbol.asyncDispose]() {
      server.close();
      await handler.close();
    },
  };
}

/** Every way to reach a fixture of one's own; over stdio the client starts it. */
const wires = {
  stdio: openStdio,
  socket: openSocket,
  http: () => openHttp(),
  'http, always streaming': () => openHttp({ answer: 'sse' }),
  'http, never streaming': () => openHttp({ answer: 'json' }),
  'http, profile v2': () => openHttp({ profile: 'v2' }),
  'http, profile 2025-06-18': () => openHttp({ profile: '2025-06-18' }),
  'a fetch handler': openFetchHandler,
};

export type Wire = keyof typeof wires;

/** Serves a fixture of its own in this way. */
export function openPlace(wire: Wire, options: SocketTransportOptions = {}): Promise<OpenPlace> {
  return wires[wire](options);
}
