import { silentLogger, withoutFolders } from '#base';
import { traceTarget, type Service, type Target } from '#protocol';
import { Checkup } from './checkup.ts';
import { tellAnswer, type Tell } from './crossing.ts';
import { Fleet } from './fleet.ts';
import { Condition, type BridgeHealth } from './health.ts';
import type { BridgeOptions } from './options.ts';
import { BridgePeer } from './peer.ts';
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
  const peers = new Set<BridgePeer>();
  const endings = new Set<Promise<unknown>>();
  let closing: Promise<void> | undefined;

  const close = async (): Promise<void> => {
    for (const peer of peers) peer.closed();
    await Promise.all([stateless.close(), checkup.close(), ...endings]);
  };

  return {
    open(connection) {
      const peer: BridgePeer = new BridgePeer(connection, shared, (ending) => {
        peers.delete(peer);
        endings.add(ending);
        void ending.finally(() => endings.delete(ending));
      });
      peers.add(peer);
      return peer;
    },
    serve: (exchange, envelope) =>
      tell === undefined
        ? stateless.serve(exchange, envelope)
        : tellAnswer(tell, exchange, () => stateless.serve(exchange, envelope)),
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
