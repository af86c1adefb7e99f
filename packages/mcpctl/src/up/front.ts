import type { Gateway } from '@mcp-kit/host/gateway';
import type { ServerSettings } from '@mcp-kit/host/operate';
import type { Logger } from 'mcp-kit/internal';
import { listenSocket, serveStdio } from 'mcp-kit/transport';
import { isLoopback, type Pages } from 'mcp-kit/transport/http';
import type { Globals } from '../globals.ts';
import { print, tell } from '../output.ts';
import { announceHttp, announceUnix, type Offer } from '../serve/announce.ts';
import type { HttpPlan } from '../serve/http.ts';
import { endServed, type Served } from '../serve/served.ts';
import type { Place } from '../serve/settings.ts';
import type { State } from '../serve/state.ts';
import { fired } from '../stop.ts';
import { hostLines, shownLines } from './host-lines.ts';

export interface UpFront {
  readonly place: Place;
  readonly globals: Globals;
  readonly logger: Logger;
  readonly stop: AbortSignal;
  /** The servers that are there when it begins. */
  readonly names: readonly string[];
  /** The groups, likewise. */
  readonly groups: readonly string[];
  /** They stay as they are, whatever the files say. */
  readonly isFixed?: boolean | undefined;
  /** What is told of them beyond their number. */
  readonly told?: Pick<Offer, 'firstTool' | 'more'> | undefined;
}

/** What is shown of a gateway while it is served, and who is told where that is. */
export interface Shown {
  readonly state: State;
  readonly status: () => object;
  readonly metrics: NonNullable<HttpPlan['metrics']>;
  readonly opened: (address: string) => void;
  /** Where a browser comes in, where there is a page for it. */
  readonly console: string | undefined;
}

/** What a host has piped in is answered although it has closed the pipe. */
const lingerMs = 5000;
/** How long everything may take to end in order, once it is told to stop. */
export const endMs = 2000;
/** A client that has left without a word keeps processes running: it is not waited for as long as elsewhere. */
const sessions = { ttlMs: 10 * 60_000, sweepMs: 60_000 };

/** Serves a gateway, and says where, until it is told to stop or whoever started it has gone. */
export async function serveUp(gateway: Gateway, front: UpFront & Shown): Promise<void> {
  const { place, globals, logger, stop } = front;
  if (place.kind === 'stdio') {
    if (front.console !== undefined && !globals.quiet) tell(`console: ${front.console}`);
    if (process.stdin.isTTY && !globals.quiet) {
      tell('waiting for messages, one line of JSON each; a host would start this.');
    }
    await serveStdio(gateway, { exit: false, signal: stop, lingerMs, logger });
    return;
  }
  const opened = await open(gateway, place, front);
  const { announcement } = opened;
  if (!globals.quiet) print(globals.json ? JSON.stringify(announcement.json) : announcement.text);
  await fired(stop);
  await endServed(opened, stop, endMs);
}

async function open(
  gateway: Gateway,
  place: Exclude<Place, { readonly kind: 'stdio' }>,
  {
    globals,
    logger,
    state,
    names,
    groups,
    told,
    status,
    metrics,
    opened,
    console: link,
  }: UpFront & Shown,
): Promise<Served> {
  const count = names.length === 1 ? '1 server' : `${names.length} servers`;
  const facts = { servers: names, groups, console: link };
  const more = [...(told?.more ?? [])];
  if (link !== undefined) more.unshift(`Console: ${link}`);
  const offer: Offer = { what: count, name: 'gateway', ...told, more, facts };
  if (place.kind === 'unix') {
    const listening = await listenSocket(gateway, place.path, { logger });
    opened(listening.address);
    const announcement = announceUnix(listening.address, offer);
    return { announcement, longestMs: 0, close: () => listening.close() };
  }
  const { server: settings } = place;
  const { path = '/mcp' } = settings;
  const { openHttp } = await import('../serve/http.ts');
  return openHttp(gateway, {
    settings,
    state,
    logger,
    sessions,
    services: (at) => serviceAt(gateway, path, at),
    pages: { ...gateway.pages(path), ...pagesOf(status, settings) },
    metrics,
    announce: async (url) => {
      opened(url);
      const lines = await hostLines(url, globals);
      const shown = withPlaces(offer, url, { settings, groups });
      const hosts = shownLines(lines, url, globals);
      return announceHttp(url, { ...shown, hosts, facts: { ...shown.facts, hosts: lines } });
    },
    warn: !globals.quiet,
    logsJson: false,
    logCalls: false,
  });
}

/** Each server by itself, and each group, is below the path of all. */
function serviceAt(gateway: Gateway, path: string, at: string): ReturnType<Gateway['server']> {
  if (!at.startsWith(`${path}/`)) return undefined;
  try {
    const name = decodeURIComponent(at.slice(path.length + 1));
    return gateway.server(name) ?? gateway.group(name);
  } catch {
    return undefined;
  }
}

/** Who has to say who they are, or comes from elsewhere, is not told without which servers there are. */
function showsStatus({ auth, host = '127.0.0.1' }: ServerSettings): boolean {
  return auth === undefined && isLoopback(host);
}

function pagesOf(status: () => object, settings: ServerSettings): Pages {
  if (!showsStatus(settings)) return {};
  const headers = ['content-type', 'application/json', 'cache-control', 'no-store'];
  return {
    '/status': () => ({ status: 200, headers, body: JSON.stringify(status()) }),
  };
}

function withPlaces(
  offer: Offer,
  url: string,
  { settings, groups }: { readonly settings: ServerSettings; readonly groups: readonly string[] },
): Offer {
  const status = showsStatus(settings) ? new URL('/status', url).href : undefined;
  const more = [...offer.more, `One of them by itself: ${url}/NAME`];
  for (const group of groups) more.push(`The group ${group}: ${url}/${group}`);
  if (status !== undefined) more.push(`How they are: ${status}`);
  return { ...offer, more, facts: { ...offer.facts, status } };
}
