import { describe, expect, test } from 'vitest';
import type { JsonSchema } from '#protocol';
import { foreignSchema } from './foreign-schema.ts';

const check = (schema: JsonSchema, value: unknown) => foreignSchema(schema, 'a schema')(value);

/** What a check of many plain objects costs, just now on this machine: a check of anything may cost so many times that. */
const mostChecks = 20;

function mostMs(): number {
  return mostChecks * cpuMsOf(() => check({ type: 'array', items: item }, items));
}

function cpuMsOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const item = {
  type: 'object',
  properties: { id: { type: 'integer' }, name: { type: 'string', minLength: 1 } },
  required: ['id', 'name'],
  additionalProperties: false,
};
const items = Array.from({ length: 10_000 }, (_, id) => ({ id, name: `item ${id}` }));

/** An object within an object within … */
function nested(depth: number): object {
  let value = {};
  for (let level = 0; level < depth; level += 1) value = { a: value };
  return value;
}

const twice = [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/a' }];
const recursive = (inner: object): JsonSchema => ({
  $ref: '#/$defs/a',
  $defs: { a: { type: 'object', properties: { a: inner } } },
});
const manyTimes = (schema: object): JsonSchema => ({ allOf: Array(4000).fill(schema) });

describe('a check costs a bounded number of steps', () => {
  test.each<[string, JsonSchema, unknown]>([
    ['allOf doubles at each level', recursive({ allOf: twice }), nested(60)],
    [
      'anyOf fails on all ways',
      recursive({ anyOf: [{ allOf: [...twice, { minProperties: 1 }] }, ...twice.slice(1)] }),
      nested(60),
    ],
    ['oneOf tries all ways', recursive({ oneOf: twice }), nested(60)],
    ['if and not double', recursive({ if: { not: twice[0] }, else: twice[0] }), nested(60)],
    [
      'what is left over is looked for at each level',
      recursive({ anyOf: twice, unevaluatedProperties: false }),
      nested(60),
    ],
    ['a schema is itself', { $ref: '#' }, {}],
    ['a schema is two of itself', { anyOf: [{ $ref: '#' }, { $ref: '#' }] }, {}],
    ['a schema looks into itself', { $ref: '#', unevaluatedProperties: false }, { a: 1 }],
    ['a list is compared many times', manyTimes({ uniqueItems: true }), [...Array(20_000).keys()]],
    [
      'a long text is compared many times',
      manyTimes({ enum: [`${'x'.repeat(4e6)}y`] }),
      `${'x'.repeat(4e6)}z`,
    ],
    ['a long text is counted many times', manyTimes({ minLength: 3e6 }), 'x'.repeat(4e6)],
    [
      'many names are looked at many times',
      manyTimes({ minProperties: 1 }),
      Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`name${at}`, at])),
    ],
  ])('where %s', (_, schema, value) => {
    let found: unknown;
    const ms = cpuMsOf(() => {
      found = check(schema, value);
    });
    expect(ms).toBeLessThan(mostMs());
    expect(found).toEqual(
      expect.objectContaining({ issues: expect.any(Array) as unknown }) as unknown,
    );
  });

  test('and says that it was not finished', () => {
    expect(check(recursive({ allOf: twice }), nested(60))).toEqual({
      issues: [],
      unchecked: 'its schema takes too many steps',
    });
  });

  test('which is enough for thousands of objects and of properties', () => {
    expect(check({ type: 'array', items: item }, items)).toEqual({ issues: [] });
    const wrong = [...items, { id: 'x', name: 'y' }];
    expect(check({ type: 'array', items: item }, wrong).issues).toMatchObject([
      { message: '[10000].id: expected integer, received string' },
    ]);
    const names = Array.from({ length: 5000 }, (_, at) => `property${at}`);
    const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
    const value = Object.fromEntries(names.map((name) => [name, 'x']));
    expect(check({ properties, required: names }, value)).toEqual({ issues: [] });
    expect(check({ properties }, { ...value, property4999: 1 }).issues).toHaveLength(1);
  });

  test('however long the names of schemas are', () => {
    const ids = Array.from({ length: 2000 }, (_, at) => [`d${at}`, { $id: `${at}` }]);
    const schema = {
      $id: `https://example.com/${'x'.repeat(1e6)}/`,
      $defs: Object.fromEntries(ids),
    };
    expect(cpuMsOf(() => expect(() => check(schema, 1)).toThrow('is not a URI'))).toBeLessThan(
      mostMs(),
    );
  });
});

describe('where it cannot be told whether a value fits, nothing is held against it', () => {
  const pattern = { pattern: '^(a+)+$' };
  const text = `${'a'.repeat(40)}!`;

  test.each<[string, JsonSchema, unknown]>([
    ['a pattern', pattern, text],
    ['not a pattern', { not: pattern }, text],
    ['a pattern or else', { anyOf: [{ type: 'number' }, pattern] }, text],
    ['one of two patterns', { oneOf: [pattern, pattern] }, text],
    ['if a pattern', { if: pattern, ['then' as string]: false, else: false }, text],
    ['contains a pattern', { contains: pattern }, [text]],
    ['names by patterns', { patternProperties: { '^(a+)+$': false } }, { [text]: 1 }],
    [
      'others than names by patterns',
      { patternProperties: { '^(a+)+$': {} }, additionalProperties: false },
      { [text]: 1 },
    ],
    [
      'left over by patterns',
      { patternProperties: { '^(a+)+$': {} }, unevaluatedProperties: false },
      { [text]: 1 },
    ],
    ['names that fit a pattern', { propertyNames: pattern }, { [text]: 1 }],
    ['the schema of schemas', { $ref: 'https://json-schema.org/draft/2020-12/schema' }, 1],
    ['a dynamic reference', { $dynamicAnchor: 'a', $dynamicRef: '#a', type: 'string' }, 'x'],
  ])('%s', (_, schema, value) => {
    expect(check(schema, value)).toEqual({ issues: [] });
  });

  test('and what can be told is', () => {
    const schema = { properties: { a: { type: 'string', ...pattern } }, required: ['a'] };
    expect(check(schema, { a: 1 }).issues).toMatchObject([{ path: 'a' }]);
    expect(check({ anyOf: [pattern, {}] }, text)).toEqual({ issues: [] });
    expect(check({ allOf: [pattern, { maxLength: 3 }] }, text).issues).toHaveLength(1);
  });
});
