import { KitError } from 'mcp-kit/internal';
import type { Manager } from '@mcp-kit/host';
import type { Login } from 'mcp-kit/auth';
import { usageError } from '../../args.ts';
import { defineCommand } from '../../command.ts';
import { exitCodes } from '../../exit-code.ts';
import type { Globals } from '../../globals.ts';
import { principalOption } from '../../login/options.ts';
import { describeLogin, expiryOf, whoIs } from '../../login/show.ts';
import { withManager } from '../../open.ts';
import { print, printJson, warn } from '../../output.ts';
import { namedTable } from '../../show/item.ts';
import { plainLine } from '../../terminal/plain-text.ts';

export const whoami = defineCommand({
  positionals: [{ name: 'SERVER', help: 'The server; without, all.', optional: true }],
  options: principalOption,
  examples: [
    { command: 'mcpctl whoami', about: 'Where you are logged in, and for how long.' },
    { command: 'mcpctl whoami github', about: 'Who, by whom, for what, and where it is kept.' },
    {
      command: "mcpctl whoami github --principal 'key ann'",
      about: 'The same of somebody who uses it through a gateway.',
    },
  ],
  notes: [
    'Where a gateway has each principal log in by themselves, those who are logged in are shown, too; no token ever is.',
    'Nobody is asked. Exit code 1 when SERVER is given and nobody is logged in.',
  ],
  async run({ args: { SERVER: server }, values: { principal }, globals, stop }) {
    if (server === undefined && principal !== undefined) {
      throw usageError('--principal is of one server', 'Name the server, too.');
    }
    return withManager({ globals, stop, server }, async ({ manager, entries }) => {
      if (server === undefined) {
        const all = await Promise.all(entries.map(({ name }) => standingOf(name, manager)));
        showAll(all.flat(), globals);
        return exitCodes.ok;
      }
      return principal === undefined
        ? showOne(await loginsAt(server, manager), globals)
        : showPrincipal({ server, principal }, await manager.whoami(server, principal), globals);
    });
  },
});

/** Who is logged in to a server: its own user, and who uses it through a gateway. */
interface Standing {
  readonly server: string;
  readonly login: Login | undefined;
  readonly principals: readonly { readonly principal: string; readonly login: Login }[];
}

async function loginsAt(server: string, manager: Manager): Promise<Standing> {
  const login = await manager.whoami(server);
  const found = (await manager.accounts(server)).map(async (principal) => {
    const own = await manager.whoami(server, principal);
    return own === undefined ? [] : [{ principal, login: own }];
  });
  return { server, login, principals: (await Promise.all(found)).flat() };
}

/** Nothing for a server that nobody logs in to. */
async function standingOf(server: string, manager: Manager): Promise<readonly Standing[]> {
  try {
    return [await loginsAt(server, manager)];
  } catch (error) {
    if (error instanceof KitError && error.code === 'invalid_argument') return [];
    throw error;
  }
}

/** As programs have it: of those who are not logged in, `login` is null. */
function asJson({ server, login, principals }: Standing): object {
  return { server, login: login ?? null, principals };
}

function showOne(standing: Standing, globals: Globals): number {
  const { server, login, principals } = standing;
  if (globals.json) printJson(asJson(standing));
  else {
    const own =
      login === undefined
        ? plainLine(`not logged in to ${server}`)
        : describeLogin(server, login, globals);
    const others = principals.map((one) =>
      describeLogin(`${server}: ${one.principal}`, one.login, globals),
    );
    print([own, ...others].join('\n'));
  }
  return login === undefined && principals.length === 0 ? exitCodes.failed : exitCodes.ok;
}

function showPrincipal(
  { server, principal }: { readonly server: string; readonly principal: string },
  login: Login | undefined,
  globals: Globals,
): number {
  if (globals.json) printJson({ server, principal, login: login ?? null });
  else if (login === undefined) print(plainLine(`not logged in to ${server}: ${principal}`));
  else print(describeLogin(`${server}: ${principal}`, login, globals));
  return login === undefined ? exitCodes.failed : exitCodes.ok;
}

function showAll(all: readonly Standing[], globals: Globals): void {
  if (globals.json) {
    printJson({ servers: all.map(asJson) });
    return;
  }
  if (all.length === 0) {
    warn(globals, 'No server here is one to log in to.');
    return;
  }
  const rows = all.flatMap(({ server, login, principals }) => [
    rowOf(server, '', login),
    ...principals.map((one) => rowOf(server, one.principal, one.login)),
  ]);
  const hasPrincipals = all.some(({ principals }) => principals.length > 0);
  const head = ['SERVER', 'PRINCIPAL', 'WHO', 'ISSUER', 'SCOPES', 'EXPIRES'];
  const shown = (row: readonly string[]): string[] =>
    row.filter((_, at) => hasPrincipals || at !== 1);
  print(namedTable(shown(head), rows.map(shown), globals));
  const logins = all.flatMap(({ login, principals }) => [
    login,
    ...principals.map((one) => one.login),
  ]);
  const place = logins.find((login) => login !== undefined)?.place;
  if (place !== undefined) warn(globals, plainLine(`Kept in ${place}.`));
}

function rowOf(server: string, principal: string, login: Login | undefined): readonly string[] {
  if (login === undefined) return [server, principal, 'not logged in', '', '', ''];
  const { issuer, scopes } = login;
  const who = whoIs(login) || 'logged in';
  return [server, principal, who, issuer, scopes.join(' '), expiryOf(login)];
}
