import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createBridge, type BridgeOptions } from 'mcp-kit/bridge';
import type { Era, Target } from 'mcp-kit/protocol';
import { listenSocket, socketTarget } from 'mcp-kit/transport';
import { childTarget } from 'mcp-kit/transport/child-process';
import { serveHttp } from 'mcp-kit/transport/http';
import { sdkArgs, startServer } from '../interop/client-servers.ts';
import { serveFixtureSocket } from '../interop/fixture.mjs';
import type { Place } from '../interop/hosts.ts';
import { mcpctl } from '../support/child-process.ts';

/** How an end of a bridge is reached. */
type End = 'stdio' | 'http' | 'unix';

/** A kind of client, a kind of server, and what lies between them and the bridge. */
export interface Cell {
  readonly client: Era;
  readonly server: Era;
  readonly front: End;
  readonly upstream: End;
}

const eras: readonly Era[] = ['legacy', 'modern'];
const ends: readonly End[] = ['stdio', 'http', 'unix'];

/** All cells of the table. */
export const cells: readonly Cell[] = eras.flatMap((client) =>
  eras.flatMap((server) =>
    ends.flatMap((front) => ends.map((upstream) => ({ client, server, front, upstream }))),
  ),
);

/** What a test has at hand besides its client. */
export interface Stage {
  /** For files by which calls are followed. */
  readonly folder: string;
  /** Lets all servers announce that a resource has changed, or that their tools have. */
  announce(uri?: string): Promise<void>;
}

/** A bridge between two ends. */
export interface OpenCell extends AsyncDisposable {
  readonly place: Place;
  readonly stage: Stage;
}

/** A server, and how a bridge is told of it: by the library, and on the command line. */
interface Upstream {
  readonly target: Target;
  readonly words: readonly string[];
  readonly options?: BridgeOptions;
  close(): Promise<void>;
}

const nothing = async (): Promise<void> => {};

/** Servers of the SDKs where they have a transport, one of ours on a socket. */
async function openUpstream({ server, upstream }: Cell, folder: string): Promise<Upstream> {
  const variables = { PEER_ANNOUNCEMENTS: path.join(folder, 'announcements') };
  switch (upstream) {
    case 'stdio': {
      const command = process.execPath;
      const args = sdkArgs[server];
      const words = Object.entries(variables).flatMap(([name, value]) => [
        '--env',
        `${name}=${value}`,
      ]);
      return {
        target: childTarget({ command, args, env: variables }),
        words: [...words, '--', command, ...args],
        close: nothing,
      };
    }
    case 'http': {
      const name = server === 'legacy' ? 'SDK v1 with sessions' : 'SDK v2 of the newest era only';
      const running = await startServer(name, undefined, variables);
      return { target: running.target, words: [`${running.origin}/mcp`], close: running.kill };
    }
    case 'unix': {
      const { path: socket, close } = await serveFixtureSocket(path.join(folder, 'server.sock'));
      // Ours speaks both eras.
      return {
        target: socketTarget(socket),
        words: ['--era', server, `unix:${socket}`],
        options: { era: server },
        close,
      };
    }
  }
}

/** Over stdio a host starts the command; elsewhere the bridge is part of this process. */
async function openFront(
  front: End,
  { target, words, options }: Upstream,
  folder: string,
): Promise<{ place: Place; close(): Promise<void> }> {
  if (front === 'stdio') {
    const args = [mcpctl, 'bridge', '--quiet', ...words];
    return {
      place: { kind: 'stdio', command: { command: process.execPath, args } },
      close: nothing,
    };
  }
  const bridge = createBridge(target, options);
  const socket = path.join(folder, 'bridge.sock');
  const listening =
    front === 'http'
      ? await serveHttp(bridge, { retryMs: 20 })
      : await listenSocket(bridge, socket, { nullIds: true });
  const place: Place =
    'url' in listening ? { kind: 'http', url: listening.url } : { kind: 'socket', path: socket };
  const close = async (): Promise<void> => {
    await listening.close();
    await bridge.close();
  };
  return { place, close };
}

/** Opens what a cell needs, from its server to the place where its client finds the bridge. */
export async function openCell(cell: Cell): Promise<OpenCell> {
  const folder = await mkdtemp(path.join(tmpdir(), 'mcp-kit-cell-'));
  const upstream = await openUpstream(cell, folder);
  const { place, close } = await openFront(cell.front, upstream, folder);
  return {
    place,
    stage: {
      folder,
      announce: (uri = '') => appendFile(path.join(folder, 'announcements'), `${uri}\n`),
    },
    async [Symbol.asyncDispose]() {
      await close();
      await upstream.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
