import { net } from 'mcp-kit/internal';

/**
 * What an address leads to: the internet, this machine, the network around it, or something that nobody should be led to
 * (link-local, multicast, documentation, tunnels, metadata services of clouds).
 */
export type AddressKind = 'global' | 'loopback' | 'private' | 'special';

interface Range {
  readonly base: bigint;
  readonly prefix: number;
  readonly kind: AddressKind;
}

interface Address {
  readonly bits: 32 | 128;
  readonly value: bigint;
}

interface Tables {
  /** The first match counts; what matches nothing is global. */
  readonly v4: readonly Range[];
  /** The first match counts; what matches nothing is special: only 2000::/3 is given out to the internet. */
  readonly v6: readonly Range[];
  /** The system connects over IPv4 to what these contain. */
  readonly mapped: Range;
  /** A gateway does. */
  readonly translated: Range;
}

let known: Tables | undefined;

function tables(): Tables {
  known ??= {
    v4: [
      // Metadata services, which sit where a cloud has put them.
      ...ranges('special', '168.63.129.16/32', '100.100.100.200/32'),
      ...ranges('loopback', '127.0.0.0/8'),
      ...ranges('private', '10.0.0.0/8', '100.64.0.0/10', '172.16.0.0/12', '192.168.0.0/16'),
      // This network, link-local, assignments of the IETF, AS112, AMT, 6to4 relays.
      ...ranges('special', '0.0.0.0/8', '169.254.0.0/16', '192.0.0.0/24', '192.31.196.0/24'),
      ...ranges('special', '192.52.193.0/24', '192.88.99.0/24', '192.175.48.0/24'),
      // Documentation, benchmarks, multicast, reserved and broadcast.
      ...ranges('special', '192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '198.18.0.0/15'),
      ...ranges('special', '224.0.0.0/4', '240.0.0.0/4'),
    ],
    v6: [
      ...ranges('loopback', '::1/128'),
      // Metadata services again, in the middle of what is private.
      ...ranges('special', 'fd00:ec2::/32', 'fd20:ce::254/128'),
      ...ranges('private', 'fc00::/7'),
      // Teredo, ORCHID, benchmarks and others of the IETF; documentation; 6to4; AS112.
      ...ranges('special', '2001::/23', '2001:db8::/32', '3fff::/20', '2002::/16'),
      ...ranges('special', '2620:4f:8000::/48'),
      ...ranges('global', '2000::/3'),
    ],
    mapped: rangeOf('special', '::ffff:0:0/96'),
    translated: rangeOf('special', '64:ff9b::/96'),
  };
  return known;
}

/** What an address leads to; text that is not an address leads nowhere good. */
export function kindOf(text: string): AddressKind {
  const address = parse(text);
  if (address === undefined) return 'special';
  const { bits, value } = address;
  const { v4, v6, mapped, translated } = tables();
  if (bits === 32) return find(address, v4) ?? 'global';
  const inner: Address = { bits: 32, value: value & 0xffff_ffffn };
  if (contains(mapped, address)) return find(inner, v4) ?? 'global';
  if (contains(translated, address)) {
    return find(inner, v4) === undefined ? 'global' : 'special';
  }
  return find(address, v6) ?? 'special';
}

/** Whether two texts name the same address; `::ffff:192.0.2.1` is the same as `192.0.2.1`. */
export function isSameAddress(one: string, other: string): boolean {
  const [first, second] = [unmapped(one), unmapped(other)];
  return first !== undefined && first === second;
}

function unmapped(text: string): string | undefined {
  const address = parse(text);
  if (address === undefined) return undefined;
  const { bits, value } = address;
  const isInner = bits === 128 && contains(tables().mapped, address);
  return isInner ? `32:${value & 0xffff_ffffn}` : `${bits}:${value}`;
}

function find(address: Address, table: readonly Range[]): AddressKind | undefined {
  return table.find((range) => contains(range, address))?.kind;
}

function contains(range: Range, { bits, value }: Address): boolean {
  const rest = BigInt(bits - range.prefix);
  return value >> rest === range.base >> rest;
}

function ranges(kind: AddressKind, ...list: readonly string[]): Range[] {
  return list.map((text) => rangeOf(kind, text));
}

function rangeOf(kind: AddressKind, text: string): Range {
  const [base = '', prefix] = text.split('/');
  return { base: parse(base)?.value ?? 0n, prefix: Number(prefix), kind };
}

/** An address as a number. One with a zone is none: a zone says that it is of a link. */
function parse(text: string): Address | undefined {
  const { isIPv4, isIPv6 } = net();
  if (isIPv4(text)) return { bits: 32, value: join(text.split('.').map(Number), 8n) };
  if (!isIPv6(text) || text.includes('%')) return undefined;
  const [head = '', tail] = text.split('::');
  const left = groups(head);
  const right = groups(tail ?? '');
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => 0);
  return { bits: 128, value: join([...left, ...zeros, ...right], 16n) };
}

/** The 16-bit groups of a part of an IPv6 address; its end may be written as IPv4. */
function groups(part: string): number[] {
  if (part === '') return [];
  return part.split(':').flatMap((group) => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
    return [a * 256 + b, c * 256 + d];
  });
}

function join(parts: readonly number[], width: bigint): bigint {
  return parts.reduce((value, part) => (value << width) | BigInt(part), 0n);
}
