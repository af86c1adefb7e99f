import type { BridgeOptions } from 'mcp-kit/bridge';
import type { OptionValues } from '../args.ts';
import type { Invocation } from '../command.ts';
import { exitCodes } from '../exit-code.ts';
import { loggerOf } from '../logs.ts';
import { withManager } from '../open.ts';
import type { bridgeOptions } from './options.ts';
import { readPlan } from './plan.ts';
import { listenToWires } from './wires.ts';

/** Serves a server over another transport, to clients of any revision, until it is told to stop or its client has gone. */
export async function runBridge({
  server: typedServer,
  values,
  globals: typed,
  stop,
}: Pick<Invocation, 'globals' | 'stop'> & {
  readonly server: string | undefined;
  readonly values: OptionValues<typeof bridgeOptions>;
}): Promise<number> {
  const named = typed.target === undefined ? typedServer : undefined;
  const plan = await readPlan({ server: named, values, globals: typed, env: process.env });
  const { globals, server, timeoutMs } = plan;
  const logger = loggerOf(globals);
  const wires = await listenToWires({ ...globals, record: values.record });
  try {
    await withManager({ globals, stop, server }, async ({ manager }) => {
      const { serveFront } = await import('./front.ts');
      const options: BridgeOptions = {
        era: globals.era,
        logger,
        timeoutMs,
        maxUpstreams: plan.maxUpstreams,
        onMessage: wires.onMessage,
      };
      const { target, guard } = await manager.server(server).upstream();
      // Whoever types how to reach a server says nothing of its tools.
      const guarded = globals.target === undefined ? { ...options, guard } : options;
      await serveFront(target, { plan, stop, logger, bridge: guarded });
    });
  } finally {
    await wires.close();
  }
  return exitCodes.ok;
}
