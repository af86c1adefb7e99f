import { silentLogger, stderrLogger, type Logger } from 'mcp-kit/internal';
import type { Server } from 'mcp-kit/server';
import { listenSocket, serveStdio } from 'mcp-kit/transport';
import { print, tell } from '../output.ts';
import { fired } from '../stop.ts';
import { announceHttp, announceUnix, type Announcement, type Offer } from './announce.ts';
import { endServed, type Served } from './served.ts';
import type { Place, ServeSettings } from './settings.ts';
import type { State } from './state.ts';
import type { Worker } from './workers.ts';

/** Answers under way get one second from the transport; this is for what does not end even then. */
const endMs = 1500;
/** Requests under way when standard input ends get less: the other side has gone. */
const lingerMs = 500;

/** A server, what it offers, and what is needed to run it. */
export interface Serving {
  readonly server: Server;
  readonly offer: Offer;
  readonly settings: ServeSettings;
  readonly logger: Logger;
  /** Fires when it is to end. */
  readonly stop: AbortSignal;
  readonly quiet: boolean;
  readonly state: State;
  /** What this process is, where several serve together. */
  readonly worker?: Worker | undefined;
}

/** Serves where the settings say, and tells where that is, until it is to stop. */
export async function serveUntilStopped(serving: Serving): Promise<void> {
  const { server, settings, logger, stop, quiet, worker } = serving;
  if (settings.place.kind === 'stdio') {
    if (process.stdin.isTTY && !quiet) {
      tell(
        'waiting for messages, one line of JSON each; a host would start this. Stop with Ctrl-C.',
      );
    }
    await serveStdio(server, { exit: false, signal: stop, lingerMs, logger });
    return;
  }
  const opened = await open(settings.place, serving);
  const { announcement, longestMs } = opened;
  if (worker === undefined) announce(settings, announcement);
  else worker.opened({ announcement, longestMs });
  await fired(stop);
  if (settings.announce === 'text' && worker === undefined)
    tell('stopping; press Ctrl-C again to end at once');
  server.close();
  await endServed(opened, stop, endMs);
}

async function open(place: Exclude<Place, { kind: 'stdio' }>, serving: Serving): Promise<Served> {
  const { server, offer, settings, logger, state, worker } = serving;
  if (place.kind === 'unix') {
    const listening = await listenSocket(server, place.path, { logger });
    const announcement = announceUnix(listening.address, offer);
    return { announcement, longestMs: 0, close: () => listening.close() };
  }
  const { openHttp } = await import('./http.ts');
  const { profile, logFormat, announce: how } = settings;
  const logsJson = logFormat === 'json';
  const logCalls = logsJson && ['debug', 'info'].includes(settings.logLevel);
  return openHttp(server, {
    settings: place.server,
    profile,
    state,
    node: worker?.node,
    logger,
    announce: (url) => announceHttp(url, offer),
    logsJson,
    logCalls,
    warn: how !== 'nothing',
  });
}

/** Where logs go, and which. */
export async function loggerOf({ logLevel, logFormat }: ServeSettings): Promise<Logger> {
  if (logLevel === 'silent') return silentLogger;
  if (logFormat === 'text') return stderrLogger(logLevel);
  const { jsonLogger } = await import('@mcp-kit/host/operate');
  return jsonLogger(logLevel);
}

/** Says where something is served. */
export function announce(settings: ServeSettings, { text, json }: Announcement): void {
  if (settings.announce === 'text') print(text);
  if (settings.announce === 'json') print(JSON.stringify(json));
}
