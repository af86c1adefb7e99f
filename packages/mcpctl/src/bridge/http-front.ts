import type { Logger } from 'mcp-kit/base';
import type { Bridge } from 'mcp-kit/bridge';
import { serveHttp, type HttpListening, type Page } from 'mcp-kit/transport/http';
import type { Front } from './plan.ts';

/** A client that has left without a word keeps a process running: it is not waited for as long as elsewhere. */
const sessions = { ttlMs: 10 * 60_000, sweepMs: 60_000 };

/** Serves a bridge over HTTP, and beside it how its server is. */
export function openHttpFront(
  bridge: Bridge,
  front: Extract<Front, { kind: 'http' }>,
  logger: Logger,
): Promise<HttpListening> {
  const { kind: _kind, ...where } = front;
  const pages = { '/health': () => healthPage(bridge) };
  return serveHttp(bridge, { ...where, logger, sessions, pages });
}

/** Whether calls that come now would reach the server. */
function healthPage(bridge: Bridge): Page {
  const health = bridge.health();
  return {
    status: health.status === 'ok' ? 200 : 503,
    headers: ['content-type', 'application/json', 'cache-control', 'no-store'],
    body: JSON.stringify(health),
  };
}
