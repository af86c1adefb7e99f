import { defineCommand } from '../../command.ts';
import { principalOption } from '../../login/options.ts';
import { tellGateways } from '../../login/tell-gateways.ts';
import { withManager } from '../../open.ts';
import { print, printJson, warn } from '../../output.ts';
import { plainLine } from '../../terminal/plain-text.ts';

export const logout = defineCommand({
  positionals: [{ name: 'SERVER', help: 'The server to log out of.' }],
  options: principalOption,
  examples: [
    { command: 'mcpctl logout github', about: 'Forget the tokens, here and at the issuer.' },
    {
      command: "mcpctl logout github --principal 'key ann'",
      about: 'Those of somebody who uses it through a gateway, as mcpctl whoami names them.',
    },
  ],
  notes: ['Gateways that run end what they hold with these tokens.'],
  async run({ args: { SERVER: server }, values: { principal }, globals, stop }) {
    return withManager({ globals, stop, server }, async ({ manager }) => {
      const wasLoggedIn = await manager.logout(server, principal);
      await tellGateways({ server, principal }, globals);
      if (globals.json) {
        printJson({ server, principal, wasLoggedIn });
        return;
      }
      const who = principal === undefined ? '' : `: ${principal}`;
      print(plainLine(`${wasLoggedIn ? 'logged out of' : 'not logged in to'} ${server}${who}`));
      if (wasLoggedIn) return;
      const others = await manager.accounts(server);
      if (others.length > 0) warn(globals, plainLine(`Logged in there: ${others.join(', ')}`));
    });
  },
});
