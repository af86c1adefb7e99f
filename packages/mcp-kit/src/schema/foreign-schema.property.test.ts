import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonSchema } from '#protocol';
import { foreignSchema } from './foreign-schema.ts';
import { compileSchema } from './schema.ts';

const numRuns = Math.ceil(Number(process.env['PROPERTY_RUNS']) / 5);

const names = ['a', 'b', 'c'];
const name = fc.constantFrom(...names);

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    fc.constantFrom<unknown>(null, true, false, 0, 1, 2.5, -3, '', 'a', 'bc', '😀'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(name, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
}));

const count = fc.nat({ max: 3 });
const type = fc.constantFrom('null', 'boolean', 'integer', 'number', 'string', 'array', 'object');

const { schema } = fc.letrec<{ schema: JsonSchema | boolean }>((tie) => {
  const list = fc.array(tie('schema'), { minLength: 1, maxLength: 3 });
  const map = fc.dictionary(name, tie('schema'), { maxKeys: 3, noNullPrototype: true });
  const keywords = {
    type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })),
    enum: fc.array(value, { minLength: 1, maxLength: 3 }),
    const: value,
    minimum: fc.integer({ min: -3, max: 3 }),
    exclusiveMaximum: fc.integer({ min: -3, max: 3 }),
    multipleOf: fc.constantFrom(0.5, 1, 2),
    minLength: count,
    maxLength: count,
    minItems: count,
    maxItems: count,
    uniqueItems: fc.boolean(),
    minProperties: count,
    maxProperties: count,
    required: fc.uniqueArray(name, { maxLength: 2 }),
    dependentRequired: fc.dictionary(name, fc.uniqueArray(name, { maxLength: 2 }), {
      maxKeys: 2,
      noNullPrototype: true,
    }),
    dependentSchemas: map,
    properties: map,
    additionalProperties: tie('schema'),
    unevaluatedProperties: tie('schema'),
    propertyNames: tie('schema'),
    prefixItems: list,
    items: tie('schema'),
    allOf: list,
    anyOf: list,
    oneOf: list,
    not: tie('schema'),
    if: tie('schema'),
    // A plain `then` would look like a promise.
    ['then' as string]: tie('schema'),
    else: tie('schema'),
  };
  return {
    schema: fc.oneof(
      { maxDepth: 3, depthIdentifier: 'schema' },
      fc.boolean(),
      fc.constantFrom({ $ref: '#/$defs/a' }, { $ref: '#/$defs/b' }),
      ...Object.entries(keywords).map(([keyword, arbitrary]) =>
        fc.record({ [keyword]: arbitrary }, { noNullPrototype: true }),
      ),
      fc.record(keywords, { requiredKeys: [], noNullPrototype: true }),
    ),
  };
});

/** References lead to these, which lead nowhere else. */
const $defs = {
  a: { type: ['object', 'string'], properties: { b: { type: 'integer' } } },
  b: { anyOf: [{ required: ['a'] }, { type: 'array', maxItems: 1 }, { const: 1 }] },
};

test('interpreting a schema comes to the same as compiling it', () => {
  fc.assert(
    fc.property(schema, fc.array(value, { minLength: 1, maxLength: 4 }), (part, values) => {
      const whole = { allOf: [part], $defs };
      const check = foreignSchema(whole, 'x');
      const compiled = compileSchema(whole, { subject: 'x', direction: 'output' });
      for (const each of values) {
        expect(check(each)).toEqual({
          issues: expect.any(Array) as unknown,
        });
        expect(check(each).issues.length === 0).toBe(
          (compiled.check(each) as { readonly ok: boolean }).ok,
        );
      }
    }),
    { numRuns },
  );
}, 60_000);
