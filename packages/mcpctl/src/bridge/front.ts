import type { Logger } from 'mcp-kit/base';
import { createBridge, type Bridge, type BridgeOptions } from 'mcp-kit/bridge';
import type { Target } from 'mcp-kit/protocol';
import { listenSocket, serveStdio } from 'mcp-kit/transport';
import { print, printJson, tell } from '../output.ts';
import { fired } from '../stop.ts';
import type { Plan } from './plan.ts';

export interface FrontOptions {
  readonly plan: Plan;
  readonly stop: AbortSignal;
  readonly logger: Logger;
  readonly bridge: BridgeOptions;
}

/** What a host has piped in is answered although it has closed the pipe; one that was killed is not waited for. */
const lingerMs = 5000;

/** Serves until it is told to stop, or until whoever started it has gone. */
export async function serveFront(target: Target, options: FrontOptions): Promise<void> {
  const bridge = createBridge(target, options.bridge);
  try {
    await serve(bridge, target.label, options);
  } finally {
    await bridge.close();
  }
}

async function serve(bridge: Bridge, label: string, options: FrontOptions): Promise<void> {
  const { plan, stop, logger } = options;
  const { front, globals } = plan;
  // Plain JSON-RPC here: a line that cannot be read is answered with the id null.
  const lines = { nullIds: true, lingerMs, logger };
  if (front.kind === 'stdio') {
    if (process.stdin.isTTY && !globals.quiet) {
      tell('waiting for messages, one line of JSON each; a host would start this.');
    }
    await serveStdio(bridge, { ...lines, exit: false, signal: stop });
    return;
  }
  const listening =
    front.kind === 'unix'
      ? await listenSocket(bridge, front.path, lines)
      : await (await import('./http-front.ts')).openHttpFront(bridge, front, logger);
  announce(plan, label, listening);
  await fired(stop);
  await listening.close();
}

function announce(
  { globals }: Plan,
  label: string,
  listening: { readonly url: string } | { readonly address: string },
): void {
  if (globals.quiet) return;
  if ('address' in listening) {
    const { address } = listening;
    if (globals.json) printJson({ transport: 'unix', path: address, server: label });
    else print(`${label} is now at the unix socket ${address}. Stop with Ctrl-C.`);
    return;
  }
  const { url } = listening;
  const health = new URL('/health', url).href;
  const config = { mcpServers: { bridge: { type: 'http', url } } };
  if (globals.json) {
    printJson({ transport: 'http', url, health, server: label, config });
    return;
  }
  print(
    [
      `${label} is now at ${url}`,
      '',
      'Client configuration, for mcp.json:',
      JSON.stringify(config, undefined, 2),
      '',
      `Health: ${health}`,
      '',
      'Stop with Ctrl-C.',
    ].join('\n'),
  );
}
