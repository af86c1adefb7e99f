import type { BridgeOptions } from 'mcp-kit/bridge';
import { bridgeGroups, bridgeOptions } from '../bridge/options.ts';
import { readPlan } from '../bridge/plan.ts';
import { listenToWires } from '../bridge/wires.ts';
import { defineCommand } from '../command.ts';
import { exitCodes } from '../exit-code.ts';
import { loggerOf } from '../logs.ts';
import { withManager } from '../open.ts';

export const bridge = defineCommand({
  positionals: [
    {
      name: 'SERVER',
      help: 'The server: its URL, unix:PATH, or its name in a configuration file. A command goes after --.',
      optional: true,
    },
  ],
  options: bridgeOptions,
  groups: bridgeGroups,
  examples: [
    {
      command: 'mcpctl bridge https://example.com/mcp',
      about: 'For a host that only starts programs: stdio here, HTTP there.',
    },
    {
      command: 'mcpctl bridge --http :8000 -- npx -y some-server',
      about: 'For clients that only know URLs: HTTP here, a program there.',
    },
    {
      command: 'mcpctl bridge --trace --record wire.jsonl -- npx -y some-server',
      about: 'See both wires side by side, and keep what crosses them.',
    },
  ],
  notes: [
    'Which protocol each side speaks does not matter: what differs is translated.',
    'The program stdio-http-bridge is this command with standard input and output as its front.',
    'Without SERVER, the environment names it: COCOS_MCP_HTTP_URL. How long an answer may take: --timeout-ms, or COCOS_MCP_HTTP_TIMEOUT_MS.',
    'It ends with 0 when its client hangs up or it is told to stop, with 2 when the command line is wrong.',
    'The full story: docs/bridge.md',
  ],
  endsItself: true,
  async run({ args, values, globals: typed, stop }) {
    const named = typed.target === undefined ? args.SERVER : undefined;
    const plan = await readPlan({ server: named, values, globals: typed, env: process.env });
    const { globals, server, timeoutMs } = plan;
    const logger = loggerOf(globals);
    const wires = await listenToWires({ ...globals, record: values.record });
    try {
      await withManager({ globals, stop, server }, async ({ manager }) => {
        const { serveFront } = await import('../bridge/front.ts');
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
  },
});
