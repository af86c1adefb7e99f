import type { EgressPolicy } from 'mcp-kit/auth';
import type { Logger, MaybePromise } from 'mcp-kit/internal';
import {
  operateHttp,
  type Operated,
  type OperateOptions,
  type ServerSettings,
} from '@mcp-kit/host/operate';
import type { Service } from 'mcp-kit/protocol';
import { isLoopback } from 'mcp-kit/transport/http';
import { tell } from '../output.ts';
import type { Announcement } from './announce.ts';
import type { Served } from './served.ts';
import type { State } from './state.ts';

/** How something is served. */
export interface HttpPlan extends Pick<
  OperateOptions,
  'profile' | 'sessions' | 'node' | 'pages' | 'reasons' | 'services' | 'metrics'
> {
  readonly settings: ServerSettings;
  readonly state: Pick<State, 'store' | 'keys'>;
  readonly logger: Logger;
  /** What is said of it. */
  readonly announce: (url: string) => MaybePromise<Announcement>;
  /** Logs are read by programs: whatever is said goes there. */
  readonly logsJson: boolean;
  readonly logCalls: boolean;
  /** Say what the user should know. */
  readonly warn: boolean;
}

/** Serves over HTTP until it is closed. */
export async function openHttp(service: Service, plan: HttpPlan): Promise<Served> {
  const { settings, state, announce, logsJson, warn, ...options } = plan;
  const { logger } = options;
  const say = (level: 'info' | 'warn', text: string): void => {
    if (logsJson) logger[level](text);
    else tell(level === 'warn' ? `warning: ${text}` : text);
  };
  const egress = await egressOf(settings);
  const { store, keys } = state;
  const operated = await operateHttp(service, settings, { ...options, egress, store, keys });
  if (warn) for (const text of warningsFor(settings, operated)) say('warn', text);
  reloadOnHangUp(settings, operated, say);
  const { delayMs = 0, timeoutMs = 1000 } = settings.drain ?? {};
  const { text, json } = await announce(operated.url);
  const { metricsUrl } = operated;
  return {
    announcement: {
      text: metricsUrl === undefined ? text : `${text}\n\nMetrics: ${metricsUrl}`,
      json: metricsUrl === undefined ? json : { ...json, metrics: metricsUrl },
    },
    longestMs: delayMs + timeoutMs,
    async close(gently) {
      const unanswered = gently ? await operated.drain() : 0;
      if (unanswered > 0) say('warn', `${unanswered} calls were not answered in time`);
      await operated.close();
    },
  };
}

async function egressOf(settings: ServerSettings): Promise<EgressPolicy | undefined> {
  if (settings.auth === undefined) return undefined;
  const { egressFor } = await import('./egress.ts');
  return egressFor(settings);
}

function warningsFor(settings: ServerSettings, { listening }: Operated): readonly string[] {
  const { host = '127.0.0.1', auth, tls, publicUrl = '', trustedProxies = [] } = settings;
  if (isLoopback(host)) return [];
  const place = `${host}:${listening.port}`;
  if (auth === undefined) return [`whoever can reach ${place} can call these tools`];
  const protectedElsewhere = publicUrl.startsWith('https:') || trustedProxies.length > 0;
  if (tls !== undefined || protectedElsewhere) return [];
  return [`tokens and keys cross the network in the clear at ${place}: use --tls-cert, or a proxy`];
}

/** Whether there are files to read again. */
export function hasFiles({ tls, auth, keys }: ServerSettings): boolean {
  return [tls, auth?.apiKeys, keys].some((file) => file !== undefined);
}

/** SIGHUP ends programs; where there are files to read again, it is how operators say that they have changed. */
function reloadOnHangUp(
  settings: ServerSettings,
  operated: Operated,
  say: (level: 'info' | 'warn', text: string) => void,
): void {
  if (!hasFiles(settings)) return;
  process.removeAllListeners('SIGHUP');
  process.on('SIGHUP', () => {
    operated.reload().then(
      () => say('info', 'read certificate and keys again'),
      (error: unknown) => say('warn', `not all files could be read again: ${String(error)}`),
    );
  });
}
