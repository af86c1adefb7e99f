import { describe, expect, test } from 'vitest';
import {
  expectation,
  readAnswer,
  readForm,
  type Field,
} from '../../packages/mcpctl/src/terminal/fields.ts';

/** The one field of a form with this property. */
function field(property: object, required = false): Field {
  const { fields } = readForm({
    type: 'object',
    properties: { it: property },
    ...(required && { required: ['it'] }),
  });
  const [only] = fields;
  if (only === undefined) throw new Error('no field was read');
  return only;
}

const colours = { type: 'string', enum: ['r', 'g'], enumNames: ['Red', 'Green'] };
const titled = {
  type: 'string',
  oneOf: [
    { const: 'r', title: 'Red' },
    { const: 'g', title: 'Green' },
  ],
};
const several = { type: 'array', items: { type: 'string', enum: ['a', 'b', 'c'] }, minItems: 1 };

describe('an answer', () => {
  test.each([
    { property: { type: 'string' }, typed: ' as it is ', value: ' as it is ' },
    { property: { type: 'string', format: 'email' }, typed: 'a@b.example', value: 'a@b.example' },
    { property: { type: 'string', format: 'date' }, typed: '2024-02-29', value: '2024-02-29' },
    { property: { type: 'string', format: 'unheard-of' }, typed: 'x', value: 'x' },
    { property: { type: 'number' }, typed: ' 1.5 ', value: 1.5 },
    { property: { type: 'integer', minimum: 0 }, typed: '12', value: 12 },
    { property: { type: 'boolean' }, typed: 'Y', value: true },
    { property: { type: 'boolean' }, typed: 'false', value: false },
    { property: colours, typed: '2', value: 'g' },
    { property: colours, typed: 'r', value: 'r' },
    { property: titled, typed: 'green', value: 'g' },
    { property: several, typed: 'a, 3,a', value: ['a', 'c'] },
    { property: { enum: [10, 20] }, typed: '20', value: 20 },
  ])('to $property that is $typed is understood', ({ property, typed, value }) => {
    expect(readAnswer(field(property), typed)).toEqual({ value });
  });

  test('is not held against a pattern, which could take for ever', () => {
    const typed = `${'a'.repeat(40)}!`;
    const hostile = field({ type: 'string', pattern: '^(a+)+$' });
    expect(readAnswer(hostile, typed)).toEqual({ value: typed });
  });

  test.each([
    [{ type: 'string', minLength: 3 }, 'ab', 'at least 3 characters'],
    [{ type: 'string', maxLength: 2 }, 'abc', 'at most 2 characters'],
    [{ type: 'string', format: 'email' }, 'ann', 'ann@example.com'],
    [{ type: 'string', format: 'uri' }, 'example', 'https://'],
    [{ type: 'string', format: 'date' }, '2023-02-29', '2026-07-28'],
    [{ type: 'string', format: 'date-time' }, '2026-07-28', 'T12:00:00Z'],
    [{ type: 'number' }, 'twelve', 'write a number'],
    [{ type: 'number' }, 'Infinity', 'write a number'],
    [{ type: 'integer' }, '1.5', 'whole number'],
    [{ type: 'integer', minimum: 5 }, '4', '5 or more'],
    [{ type: 'integer', maximum: 5 }, '6', '5 or less'],
    [{ type: 'boolean' }, 'maybe', 'yes or no'],
    [colours, '3', '1 to 2'],
    [several, 'a,z', '1 to 3'],
    [several, ',', 'at least 1'],
    [{ ...several, maxItems: 1 }, '1,2', 'at most 1'],
  ])('to %j that is %j is told what to do', (property, typed, problem) => {
    expect(readAnswer(field(property), typed)).toEqual({
      problem: expect.stringContaining(problem),
    });
  });
});

describe('a form', () => {
  test('says of each field what it is', () => {
    expect(field({ type: 'integer', title: 'Age', default: 30 }, true)).toMatchObject({
      name: 'it',
      title: 'Age',
      kind: 'integer',
      required: true,
      preset: 30,
      secret: false,
    });
    expect(field({ type: 'string', title: '' }).title).toBe('it');
    expect(expectation(field({ type: 'integer', minimum: 1, maximum: 9 }))).toBe(
      'a whole number from 1 up to 9',
    );
  });

  test('has secrets where the schema says so', () => {
    expect(field({ type: 'string', format: 'password' }).secret).toBe(true);
    expect(field({ type: 'string', writeOnly: true }).secret).toBe(true);
  });

  test('names what a terminal cannot ask', () => {
    const properties = { deep: { type: 'object' }, list: { type: 'array' }, odd: true };
    expect(readForm({ properties, required: ['deep'] })).toEqual({
      fields: [],
      strange: [
        { name: 'deep', required: true },
        { name: 'list', required: false },
        { name: 'odd', required: false },
      ],
    });
  });

  test('of no form at all is empty', () => {
    expect(readForm({ properties: 5, required: 'x' })).toEqual({ fields: [], strange: [] });
  });
});
