import { defineCommand } from '../../command.ts';
import { gatewayOption, withRunning } from '../../control/client.ts';
import { exitCodes } from '../../exit-code.ts';
import { printJson, tell } from '../../output.ts';
import { plainLine } from '../../terminal/plain-text.ts';

export const restart = defineCommand({
  scope: 'config',
  positionals: [{ name: 'SERVER', help: 'The server of the running gateway.' }],
  options: gatewayOption,
  examples: [{ command: 'mcpctl restart github', about: 'End it, and open it again.' }],
  notes: [
    'All conversations with it end; clients begin new ones with their next call. Other servers are not concerned.',
    'It ends with 0 when the server can be used, with 4 when it cannot, or when no gateway runs.',
  ],
  async run({ args, values, globals, stop }) {
    const { SERVER: server } = args;
    return withRunning({ ...globals, gateway: values.gateway }, async (running) => {
      const now = await running.ask('restart', { server }, stop);
      if (globals.json) printJson(now);
      const { state, reason, next = '' } = now;
      if (reason === undefined) {
        if (!globals.json && !globals.quiet) tell(plainLine(`${server}: ${state}`));
        return exitCodes.ok;
      }
      tell(plainLine(`${server}: ${reason}. ${next}`));
      return exitCodes.unreachable;
    });
  },
});
