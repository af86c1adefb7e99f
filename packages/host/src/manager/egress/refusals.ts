import { KitError } from 'mcp-kit/internal';
import { trustCommand } from '../trust/trust-command.ts';

const approve = (server: string): string =>
  `approve the server (${trustCommand('approve', server)})`;

/** On whose word something would be done. */
export interface Whose {
  readonly server: string;
  /** The user trusts it: what is refused is what it leads to. */
  readonly isTrusted?: boolean | undefined;
}

/** What is not done on the word of somebody else; `loosen` is the option that would allow it. */
export function refusal(
  what: string,
  where: Whose & { readonly more?: string },
  loosen?: string,
): KitError {
  const { more = '' } = where;
  const tail = more === '' ? '' : ` ${more}`;
  return new KitError('refused_by_policy', `refusing to ${what} ${onTheWordOf(where)}${tail}`, {
    hint: wayOn(where, loosen),
    details: { ran: false },
  });
}

function onTheWordOf({ server, isTrusted }: Whose): string {
  return isTrusted ? `on the word of ${server}` : `in untrusted mode: ${server}`;
}

function wayOn({ server, isTrusted }: Whose, loosen: string | undefined): string {
  if (isTrusted) {
    const way = loosen === undefined ? '' : ` If you do: ${loosen}.`;
    return `You trust the server, not all that it names.${way}`;
  }
  return `If you trust it, ${approve(server)}${loosen === undefined ? '' : `, or ${loosen}`}.`;
}

/** A name without an address: an outage, which may pass. */
export function lookupFailed(
  how: 'failed' | 'timed out',
  { host, ...whose }: Whose & { readonly host: string },
  cause?: unknown,
): KitError {
  const message = `refusing to connect hostname with ${how} dns lookup ${onTheWordOf(whose)} host=${host}`;
  return new KitError('unreachable', message, {
    hint:
      how === 'failed'
        ? 'Check the name and the network.'
        : 'Check the network, or allow more time (policy.dnsTimeoutMs).',
    cause,
    details: { ran: false },
  });
}

/** A URL as it may be shown: where it leads, and nothing that could be a secret. */
export function redacted(url: URL): string {
  const rest = url.pathname.length > 1 || url.search !== '' || url.hash !== '' ? '/…' : '';
  return `${url.protocol}//${url.host}${rest}`;
}
