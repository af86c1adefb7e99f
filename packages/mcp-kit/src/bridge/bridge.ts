import { silentLogger, withoutFolders } from '#base';
import { conversationOf, traceTarget, type Service, type Target } from '#protocol';
import { Checkup } from './checkup.ts';
import { Clients } from './clients.ts';
import { telling, type Tell } from './crossing.ts';
import { Fleet } from './fleet.ts';
import { Condition, type BridgeHealth } from './health.ts';
import type { BridgeOptions } from './options.ts';
import type { Shared } from './shared.ts';
import { StatelessSide } from './stateless-side.ts';
import { ToolNames } from './tool-names.ts';

/** A server that is another one: whatever it is asked, it asks there. Any transport can serve it. */
export interface Bridge extends Service, AsyncDisposable {
  health(): BridgeHealth;
  /** Ends every conversation with the server; settles when all have ended. */
  close(): Promise<void>;
}

const defaultMaxUpstreams = 64;

/** Makes a server available to clients of either era, whichever era it speaks and however it is reached. */
export function createBridge(given: Target, options: BridgeOptions = {}): Bridge {
  const { logger = silentLogger, maxUpstreams = defaultMaxUpstreams, onMessage } = options;
  const tell: Tell = onMessage;
  const target =
    tell === undefined
      ? given
      : traceTarget(given, (direction, message) => tell({ side: 'server', direction, message }));
  const fleet = new Fleet(maxUpstreams);
  const condition = new Condition();
  const toolNames = new ToolNames();
  const shared: Shared = { target, options, tell, toolNames, fleet, condition, logger };
  const stateless = new StatelessSide(shared, false);
  const checkup = new Checkup(shared);
  const clients = new Clients(shared);
  let closing: Promise<void> | undefined;

  const close = async (): Promise<void> => {
    await Promise.all([clients.close(), stateless.close(), checkup.close()]);
  };

  return {
    serve(exchange) {
      const conversation = conversationOf(exchange);
      if (conversation !== undefined) return clients.serve(exchange, conversation);
      // What is told without a conversation is told to nobody.
      return exchange.message.id === undefined ? undefined : stateless.serve(exchange);
    },
    observe: tell && telling(tell),
    // What the server has besides the methods of the protocol is not known.
    knows: (what, name) => what === 'tool' && toolNames.has(name),
    mirroredHeaders: (tool) => stateless.toolHeaders.of(tool),
    describe: () => ({ bridge: withoutFolders(target.label) }),
    health() {
      checkup.begin();
      const { trouble, timesLost: lost } = condition;
      const status = trouble === undefined ? 'ok' : 'degraded';
      return { status, upstreams: fleet.size, lost, ...(trouble && { reason: trouble }) };
    },
    close: () => (closing ??= close()),
    [Symbol.asyncDispose]() {
      return this.close();
    },
  };
}
