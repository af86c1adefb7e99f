import type { Agent as HttpAgent } from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';
import type { Duplex } from 'node:stream';
import { net } from '#base';
import { hostOf, portOf } from './place.ts';
import type { HttpClientOptions } from './options.ts';
import { proxyFor, tunnelThrough } from './proxy.ts';

/** Sockets that nobody uses are given up after this, or a second before the server says that it does so. */
const idleMs = 60_000;
/** When the system asks a silent peer whether it is still there. */
const keepAliveMs = 30_000;

/** Makes the connections to the origin of a URL, and keeps them alive: directly, or through a proxy. */
export function createAgent(
  url: URL,
  options: Pick<HttpClientOptions, 'proxy' | 'ca' | 'connectTimeoutMs'>,
): HttpAgent | HttpsAgent {
  const { ca, connectTimeoutMs: timeoutMs = 10_000 } = options;
  const { Agent } = process.getBuiltinModule(
    url.protocol === 'https:' ? 'node:https' : 'node:http',
  );
  const kept = { keepAlive: true, keepAliveInitialDelay: keepAliveMs, timeout: idleMs };
  const agent = new Agent(ca === undefined ? kept : { ...kept, ca });
  const proxy = proxyFor(url, options.proxy);
  if (proxy === undefined) return agent;
  const host = hostOf(url);
  const to = `${net().isIPv6(host) ? `[${host}]` : host}:${portOf(url)}`;
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (asked, done) => {
    tunnelThrough(proxy, { to, ca, timeoutMs }).then(
      (socket) => {
        socket.setKeepAlive(true, keepAliveMs);
        const secured =
          url.protocol === 'https:' ? connect({ ...asked, socket } as object) : socket;
        done?.(null, secured as Duplex);
      },
      (error: unknown) => done?.(error as Error, undefined as never),
    );
    return undefined;
  };
  return agent;
}
