import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isQualified, partsOfUri, qualifiedUri } from './uris.ts';

const runs = { numRuns: Number(process.env['PROPERTY_RUNS']) };
const server = fc.string({ minLength: 1, unit: 'grapheme' });
const uri = fc.oneof(
  fc.string(),
  fc
    .tuple(
      fc.constantFrom('skill://', 'ui://', 'mcp-kit:', 'note://', 'Skill://', 'UI://'),
      fc.string(),
    )
    .map((parts) => parts.join('')),
);

test('A URI that names its server leads back to server and URI, and to no other', () => {
  fc.assert(
    fc.property(server, uri, (name, own) => {
      const qualified = qualifiedUri(name, own);
      expect(isQualified(qualified)).toBe(true);
      expect(partsOfUri(qualified)).toEqual({ server: name, uri: own });
    }),
    runs,
  );
});

test('The URI of a skill stays one, and ends as before', () => {
  expect(qualifiedUri('a b', 'skill://x/pdf/SKILL.md')).toBe('skill://a%20b/x/pdf/SKILL.md');
  expect(partsOfUri('skill://only')).toBeUndefined();
  expect(partsOfUri('skill://%ZZ/x')).toBeUndefined();
});
