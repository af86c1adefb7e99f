import { defineCommand } from '../../command.ts';
import { withManager } from '../../open.ts';
import { print, printJson } from '../../output.ts';
import { plainLine } from '../../terminal/plain-text.ts';

export const logout = defineCommand({
  positionals: [{ name: 'SERVER', help: 'The server to log out of.' }],
  examples: [
    { command: 'mcpctl logout github', about: 'Forget the tokens, here and at the issuer.' },
  ],
  async run({ args: { SERVER: server }, globals, stop }) {
    const wasLoggedIn = await withManager({ globals, stop, server }, ({ manager }) =>
      manager.logout(server),
    );
    if (globals.json) printJson({ server, wasLoggedIn });
    else print(plainLine(wasLoggedIn ? `logged out of ${server}` : `not logged in to ${server}`));
  },
});
