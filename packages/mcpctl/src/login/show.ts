import type { Login } from 'mcp-kit/auth';
import type { Globals } from '../globals.ts';
import { plainLine } from '../terminal/plain-text.ts';
import { createStyle } from '../terminal/style.ts';
import { table } from '../terminal/table.ts';

/** Who is logged in to a server, for people; never what with. */
export function describeLogin(server: string, login: Login, globals: Globals): string {
  const { bold } = createStyle(globals);
  const rows = [
    ['issuer', login.issuer],
    ['client', login.clientId],
    ['scopes', login.scopes.join(' ') || 'what is usual'],
    ['expires', expiryOf(login)],
    ['kept in', login.place],
  ];
  const who = plainLine(`logged in to ${server}${asWhom(login)}`);
  return [bold(who), table(rows).replaceAll(/^/gm, '  ')].join('\n');
}

/** Who it is, as the issuer says. */
export function whoIs({ subject }: Login): string {
  return subject?.email ?? subject?.name ?? subject?.id ?? '';
}

function asWhom(login: Login): string {
  const who = whoIs(login);
  return who === '' ? '' : ` as ${who}`;
}

/** When a token ends, and what happens then. */
export function expiryOf({ expiresAt, renewable }: Login): string {
  if (expiresAt === undefined) return 'the issuer does not say';
  const leftMs = expiresAt - Date.now();
  const when = leftMs <= 0 ? 'is over' : `in ${span(leftMs)}`;
  return renewable ? `${when}; renewed by itself` : `${when}; then log in again`;
}

function span(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 1) return 'less than a minute';
  if (minutes < 120) return minutes === 1 ? '1 minute' : `${minutes} minutes`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} hours` : `${Math.round(hours / 24)} days`;
}
