import { defineCommand } from '../../command.ts';
import { gatewayOption, withRunning } from '../../control/client.ts';
import { exitCodes } from '../../exit-code.ts';
import { printJson, tell } from '../../output.ts';
import { plainLine } from '../../terminal/plain-text.ts';

export const stop = defineCommand({
  scope: 'config',
  positionals: [
    { name: 'SERVER', help: 'The server; without, the gateway itself ends.', optional: true },
  ],
  options: gatewayOption,
  examples: [
    { command: 'mcpctl stop', about: 'End the running gateway, and its servers with it.' },
    { command: 'mcpctl stop github', about: 'End one server; mcpctl restart github undoes it.' },
  ],
  notes: [
    'A server that was stopped is not used until mcpctl restart, or until its entry in the configuration changes.',
    'Calls that are under way at the gateway may end first, as with SIGTERM: --drain-ms of mcpctl up.',
  ],
  async run({ args, values, globals, stop: signal }) {
    const { SERVER: server } = args;
    return withRunning({ ...globals, gateway: values.gateway }, async (running) => {
      const { name, pid } = running.status.gateway;
      await running.ask('stop', { server }, signal);
      if (server === undefined) await running.closed;
      const said = server === undefined ? { gateway: name, pid } : { server };
      if (globals.json) printJson({ stopped: said });
      else if (!globals.quiet) tell(plainLine(`${server ?? name} has stopped`));
      return exitCodes.ok;
    });
  },
});
