import { shellWord } from 'mcp-kit/internal';
import { trustCommand } from '@mcp-kit/host/internal';
import type { LoginStep } from 'mcp-kit/auth';
import { inFlags } from '../flags.ts';
import type { Probe } from './probe.ts';
import type { Rung } from './rung.ts';

/** What an HTTP server wants to know about who asks, and where that is written down. */
export function authRung(
  response: Probe['response'],
  sent: { readonly credentials: boolean; readonly server: string },
): Rung {
  const { status = 0, headers = {} } = response ?? {};
  if (status !== 401 && status !== 403) {
    const said = sent.credentials ? 'the credentials are accepted so far' : 'none asked for so far';
    return { name: 'auth', state: 'ok', said };
  }
  const challenge = headers['www-authenticate'];
  const more = challenge === undefined ? [] : [`WWW-Authenticate: ${challenge}`];
  const said = wants(status, sent.credentials);
  return { name: 'auth', state: 'failed', said, more, fix: authFix(challenge, status, sent) };
}

/** The way to being let in where nothing was shown yet: who issues tokens, to whom, and whether there is one. */
export function loginRungs(
  response: Probe['response'],
  examined: readonly LoginStep[],
  { server, isTrusted }: { readonly server: string; readonly isTrusted: boolean },
): readonly Rung[] {
  const challenge = response?.headers['www-authenticate'];
  const more = challenge === undefined ? [] : [`WWW-Authenticate: ${challenge}`];
  const rungs = examined.map(({ step, ok, says, hint }): Rung => {
    const name = step === 'server' ? 'auth' : step;
    const state = ok ? 'ok' : 'failed';
    const rest = { name, state, said: says } as const;
    return { ...rest, fix: hint && inFlags(hint) };
  });
  const first = rungs.map((rung) => (rung.name === 'auth' ? { ...rung, more } : rung));
  if (isTrusted || rungs.some(({ name, state }) => name !== 'login' && state === 'failed')) {
    return first;
  }
  const fix = `If you trust it: ${trustCommand('approve', server)}, then mcpctl login ${shellWord(server)}`;
  const said = 'it is not trusted, and is shown nothing';
  return [
    ...first.filter(({ name }) => name !== 'login'),
    { name: 'login', state: 'failed', said, fix },
  ];
}

function wants(status: number, credentials: boolean): string {
  if (status === 403)
    return credentials
      ? 'these credentials do not suffice'
      : 'it refuses, and no credentials were sent';
  return credentials ? 'the credentials are not accepted' : 'it wants credentials';
}

function authFix(
  challenge: string | undefined,
  status: number,
  { credentials, server }: { readonly credentials: boolean; readonly server: string },
): string {
  const scope = /\bscope="([^"]*)"/i.exec(challenge ?? '')?.[1];
  if (status === 403 && scope !== undefined) return `Get a token with the scope ${scope}.`;
  if (credentials) return 'Get a new token, and put it where the configuration takes it from.';
  const about = status === 403 ? 'Do what it says. If it wants credentials: set' : 'Set';
  const scheme = /^\s*(basic|bearer)\b/i.exec(challenge ?? '')?.[1] ?? 'Bearer';
  const value = scheme.toLowerCase() === 'basic' ? 'Basic …' : 'Bearer …';
  const metadata = /\bresource_metadata="([^"]*)"/i.exec(challenge ?? '')?.[1];
  const where = metadata === undefined ? '' : ` Who gives one: ${metadata}`;
  return `${about} the header Authorization of ${server} to "${value}", from a variable.${where}`;
}
