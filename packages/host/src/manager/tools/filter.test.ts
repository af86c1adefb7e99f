import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toolFilter } from './filter.ts';

describe('the globs of an entry', () => {
  test.each<readonly [string, string, boolean]>([
    ['read', 'read', true],
    ['read', 'reads', false],
    ['Read', 'read', false],
    ['*', '', true],
    ['*', 'anything at all', true],
    ['get_*', 'get_time', true],
    ['get_*', 'get_', true],
    ['get_*', 'forget_time', false],
    ['*_file', 'read_file', true],
    ['*_file', 'read_files', false],
    ['a*b*c', 'a.b.b.c', true],
    ['a*b*c', 'a.c.b', false],
    ['?at', 'cat', true],
    ['?at', 'at', false],
    ['**', 'x', true],
    ['a.c', 'abc', false],
    ['[ab]', 'a', false],
    ['(x|y)+', 'x', false],
    ['', 'x', false],
  ])('%j and %j: %s', (glob, name, passes) => {
    expect(toolFilter({ allow: [glob] })(name)).toBe(passes);
    expect(toolFilter({ deny: [glob] })(name)).toBe(!passes);
  });

  test('let everything pass when there are none, and nothing when none is allowed', () => {
    expect(toolFilter({})('x')).toBe(true);
    expect(toolFilter({ allow: [] })('x')).toBe(false);
  });

  test('deny before they allow, in whatever order they are written', () => {
    const passes = toolFilter({ allow: ['*', 'delete_file'], deny: ['delete_*'] });
    expect([passes('read_file'), passes('delete_file')]).toEqual([true, false]);
  });

  test('mean what the same pattern means to a regular expression', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '*', '?'), maxLength: 8 });
    fc.assert(
      fc.property(
        text,
        fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 8 }),
        (glob, name) => {
          const pattern = new RegExp(`^${glob.replaceAll('*', '.*').replaceAll('?', '.')}$`, 's');
          return toolFilter({ allow: [glob] })(name) === pattern.test(name);
        },
      ),
      { numRuns: Number(process.env['PROPERTY_RUNS']) },
    );
  });

  test('take a time that grows with the length of the name, not with what could match', () => {
    const glob = `${'*a'.repeat(50)}*b`;
    const passes = toolFilter({ allow: [glob] });
    const before = process.cpuUsage();
    expect(passes('a'.repeat(20_000))).toBe(false);
    // Backtracking into every star would take longer than there is time.
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(2000);
  });
});
