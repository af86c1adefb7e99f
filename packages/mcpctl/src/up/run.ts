import path from 'node:path';
import type { Console } from '@mcp-kit/console';
import { watchConfig, type Manager } from '@mcp-kit/host';
import { gateway, type Gateway, type GatewayOptions } from '@mcp-kit/host/gateway';
import { countServers } from '@mcp-kit/host/operate';
import { crypto, stateFolder, unref } from 'mcp-kit/internal';
import { loadOptions } from '../config.ts';
import type { PageOptions } from '../console/open.ts';
import type { Watched } from '../console/watched.ts';
import type { LogBook } from '../control/log-book.ts';
import { tell } from '../output.ts';
import type { Place } from '../serve/settings.ts';
import { openState, statePlace } from '../serve/state.ts';
import { within } from '../stop.ts';
import { plainLine } from '../terminal/plain-text.ts';
import { version } from '../version.ts';
import { terminalAsker } from './ask.ts';
import { endMs, serveUp, type UpFront } from './front.ts';
import { isOwnGateway } from './own.ts';
import type { UpPlan } from './plan.ts';
import { reporter } from './report.ts';
import { factsOf, noteState, openControl, runningGateway } from './running.ts';

/** Who hears of what servers say. */
export interface Overheard {
  readonly book: LogBook;
  readonly onMessage: GatewayOptions['onMessage'];
  /** What is kept for a console, where there is one. */
  readonly watched: Watched | undefined;
}

/** How often servers that may not be used are looked at again. */
const reconsiderMs = 2000;

/** Serves the servers of a manager as one, and follows what becomes of the configuration. */
export async function runUp(manager: Manager, plan: UpPlan & UpFront & Overheard): Promise<void> {
  const { globals, logger, options, book } = plan;
  const own = new AbortController();
  const stop = AbortSignal.any([plan.stop, own.signal]);
  const counts = countServers();
  const isTold = !globals.quiet && !globals.json && plan.place.kind !== 'stdio';
  const facts = { address: plan.place.kind === 'stdio' ? 'stdio' : '' };
  const place = statePlace(plan.place, usualPlace(plan));
  await using state = await openState(place, (text) => tell(`warning: ${text}`));
  const service = gateway(manager, {
    ...options,
    keys: state.store,
    publicUrl: () => publicUrlOf(plan.place, facts.address),
    info: { name: 'mcpctl', version: version() },
    logger,
    observe: (server) => counts.observe(server),
    onMessage: plan.onMessage,
    onChange: isTold ? reporter() : undefined,
    ask: isTold ? terminalAsker(stop) : undefined,
  });
  const watching = watchConfig(loadOptions(globals), {
    async changed(config) {
      if (plan.isFixed) return;
      const entries = config.entries.filter((entry) => !isOwnGateway(entry, plan.place));
      const { added, changed, removed } = await manager.reload({ ...config, entries });
      const news = [...added, ...changed, ...removed];
      if (isTold && news.length > 0) tell(plainLine(`read again: ${news.sort().join(', ')}`));
    },
    failed: (error) => tell(plainLine(`${error.message}; what was read before still counts`)),
  });
  const running = runningGateway(service, {
    console: () => page?.link(),
    facts: () => ({ ...factsOf(plan), ...facts }),
    counts,
    book,
    manager,
    end: () => own.abort('SIGTERM'),
  });
  const served = plan.watched?.hear(service) ?? service;
  await using page = await openPage(served, { ...plan, manager, status: () => running.status() });
  const unwatch = manager.watch({ changed: (status) => noteState(book, status) });
  const control = await openControl(running, logger);
  const timer = unref(setInterval(() => service.reconsider(), reconsiderMs));
  try {
    await serveUp(served, {
      ...plan,
      stop,
      state,
      console: page?.link(),
      status: () => running.status(),
      metrics: () => counts.metrics(service.status().servers),
      opened: (address) => (facts.address = address),
    });
  } finally {
    clearInterval(timer);
    watching.close();
    unwatch();
    await control?.close();
    const closed = service.close();
    // Whatever servers do then: what is left of them ends with this process.
    await (stop.aborted ? within(endMs, closed) : closed);
  }
}

/** The page where people see what crosses, where it is wanted. */
async function openPage(
  served: Gateway,
  {
    watched,
    consolePort: port,
    ...options
  }: Pick<UpPlan & Overheard, 'watched' | 'consolePort'> & Omit<PageOptions, 'port' | 'watched'>,
): Promise<Console | undefined> {
  if (watched === undefined || port === undefined) return undefined;
  const { openGatewayConsole } = await import('../console/open.ts');
  return openGatewayConsole(served, { ...options, watched, port });
}

/** Each gateway keeps its state in a place of its own, unless told otherwise: one of the same name in the same folder goes on with it. */
function usualPlace({ name = '' }: UpPlan): string {
  const own = crypto()
    .hash('sha256', JSON.stringify([process.cwd(), name]), 'hex')
    .slice(0, 16);
  return path.join(stateFolder(process.env), 'gateways', own);
}

/** Where browsers reach it, once it is served. */
function publicUrlOf(place: Place, address: string): string | undefined {
  if (place.kind !== 'http' || address === '') return undefined;
  return place.server.publicUrl ?? address;
}
