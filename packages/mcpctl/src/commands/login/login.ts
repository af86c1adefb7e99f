import { usageError } from '../../args.ts';
import { readNumber } from '../../arguments/number.ts';
import { defineCommand } from '../../command.ts';
import { interactionFor } from '../../login/interaction.ts';
import { describeLogin } from '../../login/show.ts';
import { withManager } from '../../open.ts';
import { print, printJson } from '../../output.ts';

export const login = defineCommand({
  positionals: [{ name: 'SERVER', help: 'The server to log in to.' }],
  options: {
    'no-browser': {
      type: 'boolean',
      help: 'Show the address to open, on any machine, and take the address that the browser ends up at.',
    },
    device: { type: 'boolean', help: 'Show a code to type on another device.' },
    scope: {
      type: 'string',
      multiple: true,
      value: 'SCOPE',
      help: 'Ask for this, too. May be repeated.',
    },
    'client-id': {
      type: 'string',
      value: 'ID',
      help: 'The client to log in as, where the issuer knows one that needs no secret.',
    },
    'callback-port': {
      type: 'string',
      value: 'PORT',
      help: 'The port of this machine that the browser comes back to. Default: any.',
    },
  },
  examples: [
    { command: 'mcpctl login github', about: 'Log in with the browser.' },
    { command: 'mcpctl login github --no-browser', about: 'Over SSH: open the page anywhere.' },
    { command: 'mcpctl login --url https://example.com/mcp', about: 'A server in no file.' },
  ],
  notes: [
    'Tokens are kept for the address of the server, and renewed by themselves; mcpctl whoami says where.',
  ],
  async run({ args: { SERVER: server }, values, globals, stop }) {
    if (values.device && values['no-browser']) {
      throw usageError('--device and --no-browser exclude each other', 'Use one.');
    }
    const port = readPort(values['callback-port']);
    const scopes = values.scope?.flatMap((text) => text.split(/\s+/)).filter((text) => text !== '');
    const noBrowser = values['no-browser'] === true;
    const found = await withManager({ globals, stop, server }, ({ manager }) =>
      manager.login(server, {
        interact: interactionFor({ noBrowser, port }),
        grant: values.device ? { kind: 'device' } : undefined,
        scopes,
        clientId: values['client-id'],
        signal: stop,
      }),
    );
    if (globals.json) printJson({ server, login: found });
    else print(describeLogin(server, found, globals));
  },
});

function readPort(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const hint = 'Use a number from 1 to 65535.';
  return readNumber('--callback-port', text, { least: 1, most: 65_535, hint });
}
