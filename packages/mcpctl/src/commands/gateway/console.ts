import { usageError } from '../../args.ts';
import { defineCommand } from '../../command.ts';
import { gatewayOption, withRunning } from '../../control/client.ts';
import { exitCodes } from '../../exit-code.ts';
import type { Globals } from '../../globals.ts';
import { loggerOf } from '../../logs.ts';
import { withManager } from '../../open.ts';
import { print, printJson } from '../../output.ts';
import { readPort } from '../../serve/read-values.ts';
import { overhear } from '../../up/overhear.ts';

export const consoleCommand = defineCommand({
  positionals: [
    {
      name: 'SERVER',
      help: 'Only this server, by itself; without one, the gateway that runs.',
      optional: true,
    },
  ],
  options: {
    'console-port': {
      type: 'string',
      value: 'PORT',
      help: 'The port of the page. Default: any that is free.',
    },
    ...gatewayOption,
  },
  examples: [
    { command: 'mcpctl console', about: 'A new link to the console of the gateway that runs.' },
    { command: 'mcpctl console github', about: 'One server of the configuration.' },
    { command: 'mcpctl console --url https://example.com/mcp', about: 'One that is in no file.' },
    { command: 'mcpctl console -- npx some-server', about: 'A program.' },
  ],
  notes: [
    'The console is a page for browsers on this machine. Each link lets one browser in, once, within ten minutes.',
    'A gateway has one when it was started with it: mcpctl up --console.',
    'With a server, it serves that as a gateway would, at the address that it prints, until it is told to stop.',
  ],
  endsItself: true,
  async run({ args: { SERVER: server }, values, globals, stop }) {
    const { gateway, 'console-port': port = '0' } = values;
    if (server === undefined && globals.target === undefined) {
      return showLink(globals, gateway);
    }
    const consolePort = readPort(port, '--console-port');
    const name = server ?? globals.target?.name ?? '';
    const { more, close, ...heard } = await overhear(globals, {
      record: undefined,
      isWatched: true,
    });
    try {
      await withManager({ globals, stop, more, server: name }, async ({ manager }) => {
        const { runUp } = await import('../../up/run.ts');
        await runUp(manager, {
          ...heard,
          globals,
          stop,
          name,
          consolePort,
          logger: loggerOf(globals),
          names: [name],
          groups: [],
          isFixed: true,
          place: { kind: 'http', server: { port: 0 } },
          options: { bridge: { era: globals.era, timeoutMs: globals.timeoutMs } },
        });
      });
    } finally {
      await close();
    }
    return exitCodes.ok;
  },
});

/** A link to the console of a gateway that runs. */
async function showLink(globals: Globals, gateway: string | undefined): Promise<number> {
  return withRunning({ ...globals, gateway }, async (running) => {
    const { link } = await running.ask('console', {});
    if (link === undefined) {
      throw usageError(
        'this gateway was started without a console',
        'Start it: mcpctl up --console',
      );
    }
    if (globals.json) printJson({ link });
    else print(link);
    return exitCodes.ok;
  });
}
