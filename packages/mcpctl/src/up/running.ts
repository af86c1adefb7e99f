import path from 'node:path';
import type { Manager, ServerStatus } from '@mcp-kit/host';
import type { Gateway } from '@mcp-kit/host/gateway';
import type { countServers } from '@mcp-kit/host/operate';
import { KitError, type Logger } from 'mcp-kit/internal';
import type { Listening } from 'mcp-kit/transport';
import type { LogBook } from '../control/log-book.ts';
import type { GatewayFacts, RunningServer, RunningStatus } from '../control/protocol.ts';
import { serveControl, type Controlled } from '../control/serve.ts';
import type { Globals } from '../globals.ts';
import { version } from '../version.ts';
import { statusReport } from './report.ts';

/** What is told apart from the gateways of other processes. */
export function factsOf({
  globals: { root },
  name = path.basename(root),
}: {
  readonly globals: Globals;
  readonly name?: string | undefined;
}): Omit<GatewayFacts, 'address'> {
  return {
    name,
    pid: process.pid,
    root,
    startedAt: Math.round(performance.timeOrigin),
    version: version(),
  };
}

/** A gateway as those see it who control it. */
export function runningGateway(
  gateway: Gateway,
  options: {
    readonly facts: () => GatewayFacts;
    readonly counts: ReturnType<typeof countServers>;
    readonly book: LogBook;
    readonly manager: Manager;
    /** A link to its console, where it has one. */
    readonly console: () => string | undefined;
    /** Ends the gateway, in order. */
    readonly end: () => void;
  },
): Controlled {
  const { facts, counts, book, manager, end } = options;
  const status = (): RunningStatus => {
    const report = statusReport(gateway.status());
    const servers = report.servers.map((one) => ({ ...one, calls: counts.of(one.name) }));
    return { gateway: facts(), ...report, servers };
  };
  return {
    book,
    status,
    tools(server) {
      const catalog = gateway.catalog();
      const isMeant = (name: string): boolean =>
        server === undefined || catalog.tool(name)?.server === server;
      return { gateway: facts(), tools: catalog.tools.filter(({ name }) => isMeant(name)) };
    },
    async restart(server) {
      await gateway.restart(server);
      const now = status().servers.find(({ name }) => name === server);
      if (now === undefined) throw new KitError('closed', `${server} is no longer served`);
      return now satisfies RunningServer;
    },
    async loggedOut(server, account) {
      // A server of this name may be another one here.
      const login = await manager.whoami(server, account);
      if (login === undefined) await manager.logout(server, account);
      return {};
    },
    async console() {
      return { link: options.console() };
    },
    async stop(server) {
      // After the answer has left.
      if (server === undefined) setImmediate(end);
      else await gateway.stop(server);
      return {};
    },
  };
}

/** Begins to be controlled; where that cannot be, the gateway runs all the same. */
export async function openControl(
  running: Controlled,
  logger: Logger,
): Promise<Listening | undefined> {
  const without = 'mcpctl ps, logs, restart and stop will not find this gateway';
  try {
    const listening = await serveControl(running);
    if (listening === undefined) logger.info(`${without}: no folder for it is yours alone`);
    return listening;
  } catch (error) {
    logger.warn(`${without}: ${String(error)}`);
    return undefined;
  }
}

/** Writes down what became of a server. */
export function noteState(book: LogBook, { name, state, pid, error }: ServerStatus): void {
  const process = pid === undefined ? '' : ` (pid ${pid})`;
  const why = error === undefined ? '' : `: ${error.message}`;
  book.add(name, 'state', `${state}${process}${why}`);
}
