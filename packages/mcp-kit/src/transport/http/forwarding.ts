import type { BlockList } from 'node:net';
import { KitError, net } from '#base';
import { single, type Headers } from './responder.ts';

/** Where a request comes from: what the connection says, or the proxies that are believed. */
export type Forwarding = (peer: string | undefined, headers: Headers) => string | undefined;

/** The address of requests over a unix socket. */
const unix = 'unix';

/**
 * Believes `X-Forwarded-For` of the listed addresses and networks only, and in it only what they have written:
 * the last address that is none of theirs. `unix` stands for whoever connects to a unix socket.
 */
export function createForwarding(trusted: readonly string[]): Forwarding {
  if (trusted.length === 0) return (peer) => plain(peer);
  const { BlockList: Networks } = net();
  const networks = new Networks();
  for (const text of trusted) if (text !== unix) addNetwork(networks, text);
  const isTrusted = (address: string): boolean =>
    address === unix ? trusted.includes(unix) : holds(networks, address);
  return (peer, headers) => {
    let address = plain(peer);
    if (!isTrusted(address)) return address;
    const hops = (single(headers, 'x-forwarded-for') ?? '').split(',');
    for (const hop of hops.toReversed()) {
      const named = addressIn(hop);
      // What is not an address was not written by a proxy that can be believed.
      if (named === undefined) return address;
      address = named;
      if (!isTrusted(address)) return address;
    }
    return address;
  };
}

function addNetwork(networks: BlockList, text: string): void {
  const [address = '', prefix, more] = text.split('/');
  const family = net().isIP(address);
  const bits = prefix === undefined ? undefined : Number(/^\d{1,3}$/.exec(prefix)?.[0] ?? NaN);
  const widest = family === 6 ? 128 : 32;
  const fits = bits === undefined || (bits >= 0 && bits <= widest);
  if (family === 0 || !fits || more !== undefined) {
    throw new KitError('invalid_argument', `not an address or network: ${JSON.stringify(text)}`, {
      hint: 'Write 10.0.0.7, 10.0.0.0/8, fd00::/8, or unix.',
    });
  }
  const type = family === 6 ? 'ipv6' : 'ipv4';
  if (bits === undefined) networks.addAddress(address, type);
  else networks.addSubnet(address, bits, type);
}

function holds(networks: BlockList, address: string): boolean {
  const family = net().isIP(address);
  return family !== 0 && networks.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/** An address as one of several hops; some proxies add a port. */
function addressIn(hop: string): string | undefined {
  const text = hop.trim();
  if (net().isIP(text) !== 0) return plain(text);
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1];
  return bare !== undefined && net().isIP(bare) !== 0 ? plain(bare) : undefined;
}

/** A listener for both families names IPv4 clients in the style of IPv6. */
function plain(address: string | undefined): string {
  if (address === undefined) return unix;
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
}
