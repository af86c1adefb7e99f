import type { Agent as HttpAgent } from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';
import { KitError, net } from '#base';

/** Says where requests may go, and makes the connections; an `Egress` of the manager is one. */
export interface EgressPolicy {
  /** Why a URL may not be used; `field` says where it was found. */
  check(url: string | URL, field?: string): KitError | undefined;
  agentFor(url: string | URL): HttpAgent | HttpsAgent;
}

/**
 * The policy where none is given: https everywhere, and plain http and this machine only for a server that is here
 * itself. What a server far away says never leads to a port of this machine.
 */
export function defaultEgress(server: URL): EgressPolicy {
  const isLocal = isThisMachine(server);
  return {
    check: (url, field = 'url') => {
      const place = URL.canParse(String(url)) ? new URL(url) : undefined;
      if (place === undefined) return refused(`${field} is not a URL`);
      const { protocol, username, password } = place;
      if (username !== '' || password !== '') return refused(`${field} holds credentials`);
      if (isThisMachine(place) && !isLocal) return refused(`${field} leads to this machine`);
      if (protocol === 'https:' || (protocol === 'http:' && isThisMachine(place))) return undefined;
      return refused(`${field} is not https: ${place.protocol}//${place.host}`);
    },
    agentFor: (url) =>
      new URL(url).protocol === 'https:'
        ? process.getBuiltinModule('node:https').globalAgent
        : process.getBuiltinModule('node:http').globalAgent,
  };
}

function isThisMachine({ hostname }: URL): boolean {
  const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname.replace(/\.+$/, '');
  if (net().isIPv4(host)) return host.startsWith('127.') || host === '0.0.0.0';
  return host === '::1' || host === '::' || /(^|\.)localhost$/.test(host);
}

function refused(what: string): KitError {
  return new KitError('refused_by_policy', `authorization: ${what}`, {
    hint: 'Nothing was sent there. Authorization servers are reached by https, or on this machine when the server is here.',
    details: { ran: false },
  });
}
