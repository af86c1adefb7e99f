import assert from 'node:assert/strict';
import { BlockList } from 'node:net';
import * as fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { isSameAddress, kindOf } from './address.ts';

vi.setConfig({ testTimeout: 240_000 });
const numRuns = Number(process.env['PROPERTY_RUNS']) * 10;

/**
 * The special-purpose registries of IANA (IPv4, IPv6), with what else must not be reached: multicast, the reserved rest,
 * metadata services of clouds. Written down apart from the table that is tested, and matched by Node.
 */
const notGlobal4 = [
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12',
  '192.0.0.0/24 192.0.0.0/29 192.0.0.8/32 192.0.0.9/32 192.0.0.10/32 192.0.0.170/32 192.0.0.171/32',
  '192.0.2.0/24 192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24',
  '198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 255.255.255.255/32',
  '168.63.129.16/32 100.100.100.200/32 192.0.0.192/32 169.254.169.254/32',
]
  .join(' ')
  .split(' ');
const notGlobal6 = [
  '::1/128 ::/128 ::/96 64:ff9b:1::/48 100::/64 100:0:0:1::/64 2001::/23 2001::/32 2001:1::1/128',
  '2001:1::2/128 2001:1::3/128 2001:2::/48 2001:3::/32 2001:4:112::/48 2001:10::/28 2001:20::/28',
  '2001:30::/28 2001:db8::/32 2002::/16 2620:4f:8000::/48 3fff::/20 5f00::/16 fc00::/7 fe80::/10',
  'fec0::/10 ff00::/8 fd00:ec2::254/128 fd20:ce::254/128',
  // Not given out for use on the internet: all but 2000::/3.
  '::/8 100::/8 200::/7 400::/6 800::/5 1000::/4 4000::/3 6000::/3 8000::/3 a000::/3 c000::/3',
  'e000::/4 f000::/5 f800::/6 fe00::/9',
]
  .join(' ')
  .split(' ');

function listed(ranges: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [base = '', prefix] = range.split('/');
    list.addSubnet(base, Number(prefix), family);
  }
  return list;
}
const special4 = listed(notGlobal4, 'ipv4');
const special6 = listed(notGlobal6, 'ipv6');

function isGlobal4(address: string): boolean {
  return !special4.check(address, 'ipv4');
}

const write4 = (value: number): string =>
  [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join('.');
const write6 = (groups: readonly number[]): string =>
  groups.map((group) => group.toString(16)).join(':');

/** The edges of every range, and what is next to them. */
const edges4 = notGlobal4.flatMap((range) => {
  const [base = '', prefix = ''] = range.split('/');
  const start = base.split('.').reduce((value, part) => value * 256 + Number(part), 0);
  const end = start + 2 ** (32 - Number(prefix)) - 1;
  return [start - 1, start, end, end + 1].map((value) => ((value % 2 ** 32) + 2 ** 32) % 2 ** 32);
});
const value4 = fc.oneof(fc.integer({ min: 0, max: 2 ** 32 - 1 }), fc.constantFrom(...edges4));

/** The eight groups of an address as the URL parser writes it: independent of the parser that is tested. */
function groupsOf(address: string): number[] {
  const text = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = '', tail] = text.split('::');
  const split = (part: string | undefined): number[] =>
    part === undefined || part === '' ? [] : part.split(':').map((group) => Number(`0x${group}`));
  const [left, right] = [split(head), split(tail)];
  return [...left, ...Array.from({ length: 8 - left.length - right.length }, () => 0), ...right];
}

const group = fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.constantFrom(0, 1, 0xffff));
const anyGroups = fc.array(group, { minLength: 8, maxLength: 8 });
/** Begins like one of the ranges, up to a group that may differ. */
const near6 = fc
  .tuple(fc.constantFrom(...notGlobal6), fc.nat({ max: 8 }), anyGroups, fc.constantFrom(-1, 0, 1))
  .map(([range, kept, rest, step]) => {
    const base = groupsOf(range.split('/')[0] ?? '');
    const mixed = [...base.slice(0, kept), ...rest.slice(kept)];
    const at = Math.max(0, kept - 1);
    return mixed.map((value, index) => (index === at ? (value + step) & 0xffff : value));
  });
const groups6 = fc.oneof(anyGroups, near6);

test('an IPv4 address is global exactly when no registry lists it', () => {
  fc.assert(
    fc.property(value4, (value) => {
      const address = write4(value);
      assert.equal(kindOf(address) === 'global', isGlobal4(address), address);
    }),
    { numRuns },
  );
});

test('an IPv6 address is global exactly when it is given out to the internet and no registry lists it', () => {
  fc.assert(
    fc.property(groups6, (groups) => {
      const address = write6(groups);
      const isMapped = groups.slice(0, 6).join() === '0,0,0,0,0,65535';
      const isTranslated = groups.slice(0, 6).join() === '100,65435,0,0,0,0';
      const [high = 0, low = 0] = groups.slice(6);
      const inner = write4(high * 65_536 + low);
      const expected =
        isMapped || isTranslated ? isGlobal4(inner) : !special6.check(address, 'ipv6');
      assert.equal(kindOf(address) === 'global', expected, address);
    }),
    { numRuns },
  );
});

test('every spelling of an address is checked alike', () => {
  fc.assert(
    fc.property(groups6, (groups) => {
      const long = groups.map((value) => value.toString(16).padStart(4, '0')).join(':');
      const short = new URL(`http://[${long}]`).hostname.slice(1, -1);
      const [high = 0, low = 0] = groups.slice(6);
      const dotted = `${write6(groups.slice(0, 6))}:${write4(high * 65_536 + low)}`;
      assert.equal(kindOf(short), kindOf(long));
      assert.equal(kindOf(dotted), kindOf(long));
      assert.ok(isSameAddress(short, long.toUpperCase()) && isSameAddress(dotted, short));
    }),
    { numRuns: numRuns / 10 },
  );
});

test('an IPv4 address within IPv6 is what it is itself, and behind a gateway never private', () => {
  fc.assert(
    fc.property(value4, (value) => {
      const address = write4(value);
      assert.equal(kindOf(`::ffff:${address}`), kindOf(address));
      assert.ok(isSameAddress(`::ffff:${address}`, address));
      const behind = kindOf(`64:ff9b::${address}`);
      assert.equal(behind, kindOf(address) === 'global' ? 'global' : 'special');
      assert.equal(kindOf(`64:ff9b:1::${address}`), 'special');
    }),
    { numRuns: numRuns / 10 },
  );
});

test.each([
  ['127.0.0.1', 'loopback'],
  ['127.255.255.254', 'loopback'],
  ['::1', 'loopback'],
  ['::ffff:7f00:1', 'loopback'],
  ['10.0.0.1', 'private'],
  ['172.31.255.255', 'private'],
  ['192.168.1.1', 'private'],
  ['100.64.0.1', 'private'],
  ['fd12:3456::1', 'private'],
  ['::7f00:1', 'special'],
  ['::', 'special'],
  ['0.0.0.0', 'special'],
  ['169.254.169.254', 'special'],
  ['::ffff:169.254.169.254', 'special'],
  ['168.63.129.16', 'special'],
  ['100.100.100.200', 'special'],
  ['fd00:ec2::254', 'special'],
  ['64:ff9b::7f00:1', 'special'],
  ['64:ff9b::a9fe:a9fe', 'special'],
  ['2002:7f00:1::', 'special'],
  ['2001:0:4136:e378::1', 'special'],
  ['fe80::1', 'special'],
  ['fec0::1', 'special'],
  ['ff02::1', 'special'],
  ['100:0:0:1::1', 'special'],
  ['5f00::1', 'special'],
  ['3fff::1', 'special'],
  ['255.255.255.255', 'special'],
  ['8.8.8.8', 'global'],
  ['1.1.1.1', 'global'],
  ['2606:4700:4700::1111', 'global'],
  ['64:ff9b::808:808', 'global'],
])('%s is %s', (address, kind) => {
  expect(kindOf(address)).toBe(kind);
});

test.each([
  '',
  'localhost',
  '127.1',
  '0x7f.1',
  '2130706433',
  '[::1]',
  '::1%lo',
  'fe80::1%eth0',
  '1.2.3',
])('text that is not an address is not global: %j', (text) => {
  expect(kindOf(text)).toBe('special');
  expect(isSameAddress(text, text)).toBe(false);
});
