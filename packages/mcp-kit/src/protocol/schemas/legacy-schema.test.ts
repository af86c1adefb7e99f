import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { structured } from './legacy-schema.ts';
import { movedSchema } from './moved-schema.ts';

const accepts = (schema: object, value: unknown): boolean =>
  new Ajv2020({ strict: false }).validate(schema, value);

describe('an output schema', () => {
  test('of an object is the same in both eras', () => {
    const schema = { type: 'object', properties: { a: { $ref: '#/$defs/b' } }, $defs: { b: {} } };
    expect(structured.legacy.schema(schema)).toBe(schema);
    expect(structured.modern.schema(schema)).toBe(schema);
    expect(structured.legacy.value({ a: 1 }, schema)).toEqual({ a: 1 });
  });

  test('of anything else is wrapped for legacy clients', () => {
    const schema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'array',
      items: { type: 'string' },
    };
    expect(structured.modern.schema(schema)).toBe(schema);
    expect(structured.legacy.schema(schema)).toEqual({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: { result: { type: 'array', items: { type: 'string' } } },
      required: ['result'],
    });
    expect(structured.legacy.value(['a'], schema)).toEqual({ result: ['a'] });
    expect(structured.modern.value(['a'], schema)).toEqual(['a']);
  });

  const tree = {
    $ref: '#/$defs/tree',
    $defs: {
      tree: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          children: { type: 'array', items: { $ref: '#/$defs/tree' } },
        },
        required: ['name'],
      },
    },
  };
  test.each([
    ['definitions', tree, { name: 'a', children: [{ name: 'b' }] }, { name: 'a', children: [{}] }],
    ['itself', { type: 'array', items: { $ref: '#' } }, [[], [[]]], [[], ['x']]],
    [
      'an anchor',
      { type: 'array', items: { $ref: '#n' }, $defs: { n: { $anchor: 'n', type: 'number' } } },
      [1],
      ['x'],
    ],
    [
      'a part with a name of its own',
      {
        type: 'array',
        items: {
          $id: 'https://example.org/item',
          type: 'object',
          properties: { n: { $ref: '#/$defs/n' } },
          $defs: { n: { type: 'number' } },
        },
      },
      [{ n: 1 }],
      [{ n: 'x' }],
    ],
  ])('that refers to %s means the same when wrapped', (...[, schema, good, bad]) => {
    const wrapped = structured.legacy.schema(schema);
    expect([accepts(schema, good), accepts(schema, bad)]).toEqual([true, false]);
    expect(accepts(wrapped, structured.legacy.value(good, schema))).toBe(true);
    expect(accepts(wrapped, structured.legacy.value(bad, schema))).toBe(false);
    expect(accepts(wrapped, good)).toBe(false);
  });
});

test('a property named $ref is not a reference', () => {
  const schema = { properties: { $ref: { type: 'string' } } };
  expect(movedSchema(schema, '/a')).toEqual(schema);
});
