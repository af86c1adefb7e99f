import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { demandOf, parseChallenges, unionOf } from './challenge.ts';

const numRuns = Number(process.env['PROPERTY_RUNS']);

const token = fc.stringMatching(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,12}$/);
const value = fc.string({
  unit: fc.constantFrom('a', 'b', ' ', ',', '=', '"', '\\', 'Bearer'),
  maxLength: 20,
});
const challenge = fc.record({
  scheme: token,
  parameters: fc.dictionary(token, value, { maxKeys: 4, noNullPrototype: false }),
});

const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&')}"`;

describe('challenges', () => {
  test('are read as they were written, whatever is in the quotes', () => {
    fc.assert(
      fc.property(fc.array(challenge, { maxLength: 4 }), (written) => {
        const distinct = written.map(({ scheme, parameters }) => ({
          scheme: scheme.toLowerCase(),
          parameters: Object.entries(parameters).filter(
            ([name], index, all) =>
              all.findIndex(([other]) => other.toLowerCase() === name.toLowerCase()) === index,
          ),
        }));
        const text = distinct
          .map(({ scheme, parameters }) => {
            const list = parameters.map(([name, said]) => `${name}=${quoted(said)}`).join(', ');
            return list === '' ? scheme : `${scheme} ${list}`;
          })
          .join(', ');
        const read = parseChallenges(text).map(({ scheme, parameters }) => ({
          scheme,
          parameters: Object.entries(parameters),
        }));
        const expected = distinct.map(({ scheme, parameters }) => ({
          scheme,
          parameters: Object.entries(
            Object.fromEntries(parameters.map(([name, said]) => [name.toLowerCase(), said])),
          ),
        }));
        expect(read).toEqual(expected);
      }),
      { numRuns },
    );
  });

  test('of any text are read without failing, and soon', () => {
    const text = fc.string({
      unit: fc.constantFrom(' ', ',', '=', '"', '\\', 'a', 'B', '1', '/', '+', '\n'),
      maxLength: 300,
    });
    fc.assert(
      fc.property(text, (header) => {
        for (const { scheme } of parseChallenges(header)) expect(scheme).not.toBe('');
      }),
      { numRuns },
    );
    const before = process.cpuUsage();
    parseChallenges(`Bearer ${'a="\\'.repeat(100_000)}`);
    parseChallenges(`Bearer ${' '.repeat(100_000)}=`);
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(1000);
  });
});

describe('a demand', () => {
  test('is what the challenge for tokens says, also beside others', () => {
    const header =
      'Negotiate abc==, Basic realm="x, y", Bearer error="insufficient_scope", scope="a  b a", resource_metadata="https://h/m"';
    expect(demandOf(header)).toEqual({
      error: 'insufficient_scope',
      scopes: ['a', 'b'],
      resourceMetadata: 'https://h/m',
    });
  });

  test('is of no interest when nobody speaks of tokens', () => {
    expect(demandOf('Basic realm="x"')).toBeUndefined();
    expect(demandOf(undefined)).toBeUndefined();
  });

  test('does not believe what is said a second time', () => {
    const header = 'Bearer resource_metadata="https://one", resource_metadata="https://two"';
    expect(demandOf(header)?.resourceMetadata).toBe('https://one');
  });

  test('for nothing is not one for no scopes', () => {
    expect(demandOf('Bearer scope=""')?.scopes).toBeUndefined();
    expect(unionOf(undefined, undefined)).toBeUndefined();
    expect(unionOf(['a'], undefined, ['b', 'a'])).toEqual(['a', 'b']);
  });
});
