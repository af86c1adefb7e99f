import { KitError } from 'mcp-kit/internal';
import type { Manager } from '@mcp-kit/host';
import type { Login } from 'mcp-kit/auth';
import { defineCommand } from '../../command.ts';
import { exitCodes } from '../../exit-code.ts';
import type { Globals } from '../../globals.ts';
import { describeLogin, expiryOf, whoIs } from '../../login/show.ts';
import { withManager } from '../../open.ts';
import { print, printJson, warn } from '../../output.ts';
import { namedTable } from '../../show/item.ts';
import { plainLine } from '../../terminal/plain-text.ts';

export const whoami = defineCommand({
  positionals: [{ name: 'SERVER', help: 'The server; without, all.', optional: true }],
  examples: [
    { command: 'mcpctl whoami', about: 'Where you are logged in, and for how long.' },
    { command: 'mcpctl whoami github', about: 'Who, by whom, for what, and where it is kept.' },
  ],
  notes: ['Nobody is asked. Exit code 1 when SERVER is given and nobody is logged in.'],
  async run({ args: { SERVER: server }, globals, stop }) {
    return withManager({ globals, stop, server }, async ({ manager, entries }) => {
      if (server !== undefined) return showOne(server, await manager.whoami(server), globals);
      const rows = await Promise.all(entries.map(({ name }) => standingOf(name, manager)));
      showAll(rows.flat(), globals);
      return exitCodes.ok;
    });
  },
});

interface Standing {
  readonly server: string;
  readonly login: Login | undefined;
}

/** Nothing for a server that nobody logs in to. */
async function standingOf(server: string, manager: Manager): Promise<readonly Standing[]> {
  try {
    return [{ server, login: await manager.whoami(server) }];
  } catch (error) {
    if (error instanceof KitError && error.code === 'invalid_argument') return [];
    throw error;
  }
}

function showOne(server: string, login: Login | undefined, globals: Globals): number {
  if (globals.json) printJson({ server, login: login ?? null });
  else if (login === undefined) print(plainLine(`not logged in to ${server}`));
  else print(describeLogin(server, login, globals));
  return login === undefined ? exitCodes.failed : exitCodes.ok;
}

function showAll(rows: readonly Standing[], globals: Globals): void {
  if (globals.json) {
    printJson({ servers: rows.map(({ server, login }) => ({ server, login: login ?? null })) });
    return;
  }
  if (rows.length === 0) {
    warn(globals, 'No server here is one to log in to.');
    return;
  }
  const cells = rows.map(({ server, login }) =>
    login === undefined
      ? [server, 'not logged in', '', '', '']
      : [
          server,
          whoIs(login) || 'logged in',
          login.issuer,
          login.scopes.join(' '),
          expiryOf(login),
        ],
  );
  print(namedTable(['SERVER', 'WHO', 'ISSUER', 'SCOPES', 'EXPIRES'], cells, globals));
  const place = rows.find(({ login }) => login !== undefined)?.login?.place;
  if (place !== undefined) warn(globals, plainLine(`Kept in ${place}.`));
}
