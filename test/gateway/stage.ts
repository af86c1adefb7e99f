import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gateway, type Gateway } from '@mcp-kit/host/gateway';
import type { Target } from 'mcp-kit/protocol';
import { listenSocket, socketTarget } from 'mcp-kit/transport';
import { childTarget } from 'mcp-kit/transport/child-process';
import { httpTarget } from 'mcp-kit/transport/http-client';
import { serveHttp } from 'mcp-kit/transport/http';
import type { Stage } from '../bridge/cells.ts';
import { commands, sdkArgs, startServer } from '../interop/client-servers.ts';
import { serveFixtureHttp, serveFixtureSocket } from '../interop/fixture.mjs';
import type { Place } from '../interop/hosts.ts';

/** A gateway before servers of every kind, and where clients find it. */
export interface GatewayStage extends AsyncDisposable {
  readonly gateway: Gateway;
  readonly targets: Readonly<Record<string, Target>>;
  readonly http: Place & { readonly url: string };
  readonly socket: Place;
  readonly stage: Stage;
}

const fixture = path.resolve(import.meta.dirname, '../interop/fixture.mjs');

/** Ten servers, of both SDKs, of others and of ours; over pipes, HTTP and sockets. */
export async function openGateway(): Promise<GatewayStage> {
  const folder = await mkdtemp(path.join(tmpdir(), 'mcp-kit-gateway-'));
  const env = { PEER_ANNOUNCEMENTS: path.join(folder, 'announcements') };
  const child = (args: readonly string[]): Target =>
    childTarget({ command: process.execPath, args, env });
  const v1 = await startServer('SDK v1 with sessions', undefined, env);
  const v2 = await startServer('SDK v2 of the newest era only', undefined, env);
  const stateless = await startServer('SDK v1 without sessions', undefined, env);
  const everything = await startServer('server-everything');
  const oursHttp = await serveFixtureHttp();
  const oursSocket = await serveFixtureSocket(path.join(folder, 'server.sock'));
  const targets = {
    'v1-stdio': child(sdkArgs.legacy),
    'v2-stdio': child(sdkArgs.modern),
    'v1-http': v1.target,
    'v2-http': v2.target,
    'v1-stateless': stateless.target,
    everything: commands['server-everything'](),
    'everything.http': everything.target,
    'ours.stdio': child([fixture]),
    'ours.http': httpTarget(oursHttp.url),
    ours: socketTarget(oursSocket.path),
  };
  const service = gateway(targets, { waitMs: 60_000, disclosure: 'full', results: false });
  const http = await serveHttp(service, { retryMs: 20 });
  const socketPath = path.join(folder, 'gateway.sock');
  const socket = await listenSocket(service, socketPath);
  return {
    gateway: service,
    targets,
    http: { kind: 'http', url: http.url },
    socket: { kind: 'socket', path: socketPath },
    stage: {
      folder,
      announce: (uri = '') => appendFile(path.join(folder, 'announcements'), `${uri}\n`),
    },
    async [Symbol.asyncDispose]() {
      await http.close();
      await socket.close();
      await service.close();
      await Promise.all([v1, v2, stateless, everything].map((server) => server.kill()));
      await Promise.all([oursHttp.close(), oursSocket.close()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
