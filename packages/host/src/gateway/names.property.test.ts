import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { placeOfName, qualifiedName } from '@mcp-kit/host';
import { NameTable } from './names.ts';

const publicName = (server: string, tool: string): string => qualifiedName({ server, tool });

const runs = { numRuns: Number(process.env['PROPERTY_RUNS']) };
/** Names in which what could be mistaken for a separator or a digest is common. */
const odd = fc.string({
  unit: fc.constantFrom('a', 'b', '_', '__', '-', '.', '/', 'é', '0123456789', ' ', 'B'),
  minLength: 1,
  maxLength: 40,
});
const name = fc.oneof(odd, fc.string({ minLength: 1, maxLength: 100 }));

describe('the names of a gateway', () => {
  test('are taken by every provider', () => {
    fc.assert(
      fc.property(name, name, (server, item) =>
        /^[a-zA-Z0-9_-]{1,64}$/.test(publicName(server, item)),
      ),
      runs,
    );
  });

  test('lead back to server and item', () => {
    fc.assert(
      fc.property(name, name, (server, item) => {
        const table = new NameTable();
        const given = table.add({ server, item });
        expect(table.get(given ?? '')).toEqual({ server, item });
        const plain = { server, tool: item };
        expect(placeOfName(given ?? '') ?? plain).toEqual(plain);
      }),
      runs,
    );
  });

  test('differ where servers or items do', () => {
    const pairs = fc.tuple(odd, odd, odd, odd);
    fc.assert(
      fc.property(pairs, ([server, item, otherServer, otherItem]) => {
        fc.pre(server !== otherServer || item !== otherItem);
        expect(publicName(server, item)).not.toBe(publicName(otherServer, otherItem));
      }),
      runs,
    );
  });

  test.each([
    ['files', 'read', 'files__read'],
    ['my-files', '_read', 'my-files___read'],
    ['files', 'read__all', 'files__read__all'],
  ])('are plain where they can be: %s and %s', (server, item, expected) => {
    expect(publicName(server, item)).toBe(expected);
    expect(placeOfName(expected)).toEqual({ server, tool: item });
  });

  test.each([
    ['acme_', 'status'],
    ['a__b', 'c'],
    ['files', 'read.file'],
    ['my server', 'read'],
    ['files', 'x_0123456789'],
    ['files', 'x'.repeat(58)],
  ])('end with a digest where they cannot: %s and %s', (server, item) => {
    expect(publicName(server, item)).toMatch(/^[\w-]+_[0-9a-f]{10}$/);
  });

  test('are not given twice', () => {
    const table = new NameTable();
    expect(table.add({ server: 'a', item: 'b' })).toBe('a__b');
    expect(table.add({ server: 'a', item: 'b' })).toBeUndefined();
  });
});
