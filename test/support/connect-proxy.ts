import { once } from 'node:events';
import { createServer as createHttp, type IncomingMessage } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { connect, type AddressInfo, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { certificate, key } from './certificate.mjs';

/** What a proxy does. */
export interface ProxyOptions {
  /** The port of this machine where every tunnel ends, whatever place was asked for; without, the port that was asked for. */
  readonly to?: number;
  /** The name and password it wants. */
  readonly credentials?: string;
  /** Spoken to over TLS. */
  readonly secure?: boolean;
  /** Answers instead of opening a tunnel. */
  readonly refuse?: string;
}

export interface Proxy extends AsyncDisposable {
  readonly port: number;
  /** The places that tunnels were asked for, in order. */
  readonly asked: readonly string[];
}

/** A proxy on this machine that opens tunnels, as corporate ones do. */
export async function startProxy(options: ProxyOptions = {}): Promise<Proxy> {
  const { to, credentials, secure = false, refuse } = options;
  const asked: string[] = [];
  const sockets = new Set<Duplex>();
  const server = secure ? createHttps({ key, cert: certificate }) : createHttp();
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    asked.push(request.url ?? '');
    sockets.add(socket);
    socket.on('error', () => {});
    const wanted = credentials && `Basic ${Buffer.from(credentials).toString('base64')}`;
    if (refuse !== undefined) return void socket.end(`HTTP/1.1 ${refuse}\r\n\r\n`);
    if (wanted !== undefined && request.headers['proxy-authorization'] !== wanted) {
      return void socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    }
    const port = to ?? Number(request.url?.split(':').at(-1));
    const far = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      far.pipe(socket).pipe(far);
    });
    sockets.add(far);
    far.on('error', () => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
