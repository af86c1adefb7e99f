import { bridgeGroups, bridgeOptions } from '../bridge/options.ts';
import { runBridge } from '../bridge/run.ts';
import { defineCommand } from '../command.ts';

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
  run: ({ args, values, globals, stop }) =>
    runBridge({ server: args.SERVER, values, globals, stop }),
});
