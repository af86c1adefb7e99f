import type { Bridge } from 'mcp-kit/bridge';
import type { Page } from 'mcp-kit/transport/http';
import { openHttp, type HttpPlan } from '../serve/http.ts';
import type { Served } from '../serve/served.ts';

/** A client that has left without a word keeps a process running: it is not waited for as long as elsewhere. */
const sessions = { ttlMs: 10 * 60_000, sweepMs: 60_000 };

/** Serves a bridge over HTTP with all that exposing a server takes, and beside it says how its server is. */
export function openHttpFront(
  bridge: Bridge,
  plan: Pick<HttpPlan, 'settings' | 'state' | 'logger' | 'announce' | 'warn'>,
): Promise<Served> {
  return openHttp(bridge, {
    ...plan,
    sessions,
    pages: { '/health': () => healthPage(bridge) },
    reasons: () => {
      const { reason } = bridge.health();
      return reason === undefined ? [] : [reason];
    },
    logsJson: false,
    logCalls: false,
  });
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
