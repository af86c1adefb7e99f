import type { Logger } from 'mcp-kit/internal';
import { createBridge, type Bridge, type BridgeOptions } from 'mcp-kit/bridge';
import { createEraFile, erasPath } from '@mcp-kit/host';
import type { Target } from 'mcp-kit/protocol';
import { listenSocket, serveStdio } from 'mcp-kit/transport';
import { print, tell } from '../output.ts';
import type { Announcement } from '../serve/announce.ts';
import { endServed, type Served } from '../serve/served.ts';
import { keysFor, openState, statePlace, type State } from '../serve/state.ts';
import { fired, within } from '../stop.ts';
import type { Plan } from './plan.ts';

export interface FrontOptions {
  readonly plan: Plan;
  readonly stop: AbortSignal;
  readonly logger: Logger;
  readonly bridge: BridgeOptions;
}

/** What a host has piped in is answered although it has closed the pipe; one that was killed is not waited for. */
const lingerMs = 5000;

/** How long everything may take to end in order, once it is told to stop. */
const endMs = 2000;

/** Serves until it is told to stop, or until whoever started it has gone. */
export async function serveFront(target: Target, options: FrontOptions): Promise<void> {
  const eraCache = createEraFile(erasPath(process.env));
  await using state = await openState(statePlace(options.plan.front), (text) => {
    tell(`warning: ${text}`);
  });
  const stateKeys = keysFor(state, 'request-state')?.keys;
  const bridge = createBridge(target, { eraCache, stateKeys, ...options.bridge });
  try {
    await serve(bridge, target.label, { ...options, state });
  } finally {
    const closed = bridge.close();
    // Whatever its server does then: what is left of it ends with this process.
    await (options.stop.aborted ? within(endMs, closed) : closed);
  }
}

type Front = FrontOptions & { readonly state: State };

async function serve(bridge: Bridge, label: string, options: Front): Promise<void> {
  const { plan, stop, logger } = options;
  const { front, globals } = plan;
  if (front.kind === 'stdio') {
    if (process.stdin.isTTY && !globals.quiet) {
      tell('waiting for messages, one line of JSON each; a host would start this.');
    }
    await serveStdio(bridge, { ...linesOf(logger), exit: false, signal: stop });
    return;
  }
  const opened = await open(bridge, label, options);
  const { announcement } = opened;
  if (!globals.quiet) print(globals.json ? JSON.stringify(announcement.json) : announcement.text);
  await fired(stop);
  await endServed(opened, stop, endMs);
}

async function open(bridge: Bridge, label: string, options: Front): Promise<Served> {
  const { plan, logger, state } = options;
  const { front, globals } = plan;
  if (front.kind === 'http') {
    const { openHttpFront } = await import('./http-front.ts');
    return openHttpFront(bridge, {
      settings: front.server,
      state,
      logger,
      announce: (url) => atUrl(label, url),
      warn: !globals.quiet,
    });
  }
  if (front.kind === 'stdio') throw new Error('nobody listens on standard input and output');
  const listening = await listenSocket(bridge, front.path, linesOf(logger));
  const { address } = listening;
  const announcement = {
    json: { transport: 'unix', path: address, server: label },
    text: `${label} is now at the unix socket ${address}. Stop with Ctrl-C.`,
  };
  return { announcement, longestMs: 0, close: () => listening.close() };
}

/** Plain JSON-RPC here: a line that cannot be read is answered with the id null. */
function linesOf(logger: Logger) {
  return { nullIds: true, lingerMs, logger };
}

function atUrl(label: string, url: string): Announcement {
  const health = new URL('/health', url).href;
  const config = { mcpServers: { bridge: { type: 'http', url } } };
  return {
    json: { transport: 'http', url, health, server: label, config },
    text: [
      `${label} is now at ${url}`,
      '',
      'Client configuration, for mcp.json:',
      JSON.stringify(config, undefined, 2),
      '',
      `Health: ${health}`,
      '',
      'Stop with Ctrl-C.',
    ].join('\n'),
  };
}
