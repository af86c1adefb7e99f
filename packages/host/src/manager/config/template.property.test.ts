import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { describe, test } from 'vitest';
import { dialects } from './dialects/index.ts';
import { parseTemplate, translate } from './template.ts';

const numRuns = Number(process.env['PROPERTY_RUNS']);

describe('a text with references', () => {
  const piece = fc.oneof(
    fc.string(),
    fc.constantFrom('${A}', '${A:-b}', '${env:A}', '$A', '$env:A', '%A%', '{env:A}', '${input:a}'),
    fc.constantFrom(
      '${workspaceFolder}',
      '${/}',
      '${env:A | value:b}',
      '${',
      '}',
      '$',
      '{env:',
      '|',
    ),
  );
  const text = fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join(''));
  const syntax = fc.constantFrom(...dialects).map((dialect) => dialect.syntax);

  test('is the sum of its parts', () => {
    fc.assert(
      fc.property(text, syntax, (whole, host) => {
        const parts = parseTemplate(whole, host);
        const joined = parts.map((part) => (typeof part === 'string' ? part : part.text)).join('');
        assert.equal(joined, whole);
      }),
      { numRuns },
    );
  });

  test('means the same after a translation, or is not translated', () => {
    const meaning = (whole: string, host: Parameters<typeof parseTemplate>[1]): unknown =>
      parseTemplate(whole, host).map((part) => (typeof part === 'string' ? part : part.choices));
    fc.assert(
      fc.property(text, syntax, syntax, (whole, from, to) => {
        const result = translate(whole, from, to);
        if (result !== undefined) assert.deepEqual(meaning(result, to), meaning(whole, from));
      }),
      { numRuns },
    );
  });
});
