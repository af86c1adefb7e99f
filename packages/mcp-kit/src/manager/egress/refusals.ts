import { KitError } from '#base';
import { trustCommand } from '../trust/trust-command.ts';

const approve = (server: string): string =>
  `approve the server (${trustCommand('approve', server)})`;

/** What is not done on the word of somebody who is not trusted; `loosen` is the option that would allow it. */
export function refusal(
  what: string,
  where: { readonly server: string; readonly more?: string },
  loosen?: string,
): KitError {
  const { server, more = '' } = where;
  const tail = more === '' ? '' : ` ${more}`;
  const way = loosen === undefined ? '' : `, or ${loosen}`;
  return new KitError(
    'refused_by_policy',
    `refusing to ${what} in untrusted mode: ${server}${tail}`,
    {
      hint: `If you trust it, ${approve(server)}${way}.`,
      details: { ran: false },
    },
  );
}

/** A name without an address: an outage, which may pass. */
export function lookupFailed(
  how: 'failed' | 'timed out',
  { server, host }: { readonly server: string; readonly host: string },
  cause?: unknown,
): KitError {
  const message = `refusing to connect hostname with ${how} dns lookup in untrusted mode: ${server} host=${host}`;
  return new KitError('unreachable', message, {
    hint:
      how === 'failed'
        ? 'Check the name and the network.'
        : 'Check the network, or allow more time with dnsTimeoutMs (--dns-timeout-ms).',
    cause,
    details: { ran: false },
  });
}

/** A URL as it may be shown: where it leads, and nothing that could be a secret. */
export function redacted(url: URL): string {
  const rest = url.pathname.length > 1 || url.search !== '' || url.hash !== '' ? '/…' : '';
  return `${url.protocol}//${url.host}${rest}`;
}
