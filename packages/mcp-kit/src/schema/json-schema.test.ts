import { describe, expect, test } from 'vitest';
import type { JsonSchema } from '#protocol';
import { inspectJsonSchema } from './json-schema.ts';
import { compileSchema } from './schema.ts';

const inspect = (schema: JsonSchema) => inspectJsonSchema(schema, 'a schema');
const check = (schema: JsonSchema, value: unknown) =>
  compileSchema(schema, { subject: 'a schema', direction: 'output' }).check(value);

const text = { type: 'string' };

/** A schema within a schema within … */
function nested(depth: number): JsonSchema {
  return depth <= 1 ? {} : { properties: { a: nested(depth - 1) } };
}

describe('a dialect', () => {
  test.each([
    [{}, '2020-12'],
    [{ $schema: 'https://json-schema.org/draft/2020-12/schema' }, '2020-12'],
    [{ $schema: 'https://json-schema.org/draft/2019-09/schema' }, '2019-09'],
    [{ $schema: 'http://json-schema.org/draft-07/schema#' }, 'draft-07'],
    [{ $schema: 'https://json-schema.org/draft-07/schema' }, 'draft-07'],
  ])('of %o is %s', (schema, dialect) => {
    expect(inspect(schema)).toMatchObject({ dialect, hasIds: false });
  });

  test.each(['http://json-schema.org/draft-04/schema#', 'https://example.com/mine', '', 7])(
    '%s is refused',
    ($schema) => {
      expect(() => inspect({ $schema })).toThrow('a schema: $schema names a dialect');
    },
  );

  test('decides what a keyword means', () => {
    const tuple = { items: [text] };
    const draft07 = { $schema: 'http://json-schema.org/draft-07/schema#', ...tuple };
    const later = { $schema: 'https://json-schema.org/draft/2019-09/schema', ...tuple };
    expect(check(draft07, [1])).toMatchObject({ ok: false });
    expect(check(later, ['x', 1])).toMatchObject({ ok: true });
    expect(check({ prefixItems: [text] }, [1])).toMatchObject({ ok: false });
  });
});

describe('a reference', () => {
  const named = { $id: 'https://example.com/a', $defs: { b: text } };

  test.each<[string, JsonSchema]>([
    ['to a definition', { $defs: { a: text }, $ref: '#/$defs/a' }],
    ['with escapes', { $defs: { 'a/b c': text }, $ref: '#/$defs/a~1b%20c' }],
    ['into a list', { $defs: { a: { allOf: [text] } }, $ref: '#/$defs/a/allOf/0' }],
    ['to an anchor', { $defs: { a: { $anchor: 'here', ...text } }, $ref: '#here' }],
    ['to a name', { $id: 'https://example.com/x', $defs: { a: { $id: 'y', ...text } }, $ref: 'y' }],
    ['into a named part', { $defs: { a: named }, $ref: 'https://example.com/a#/$defs/b' }],
    [
      'under an unknown keyword',
      { parts: { a: { $ref: '#/parts/b' }, b: text }, $ref: '#/parts/a' },
    ],
  ])('%s is followed', (_where, schema) => {
    expect(check(schema, 'x')).toMatchObject({ ok: true });
    expect(check(schema, 1)).toMatchObject({ ok: false });
  });

  test('to the root makes a schema recursive', () => {
    const tree = { type: 'object', properties: { next: { $ref: '#' } }, required: ['id'] };
    expect(check(tree, { id: 1, next: { id: 2 } })).toMatchObject({ ok: true });
    expect(check(tree, { id: 1, next: { id: 2, next: {} } })).toMatchObject({
      issues: [{ path: 'next.next.id' }],
    });
  });

  test('to the schema of schemas is followed', () => {
    const schema = { $ref: 'https://json-schema.org/draft/2020-12/schema' };
    expect(check(schema, { type: 'string' })).toMatchObject({ ok: true });
    expect(check(schema, { type: 'nonsense' })).toMatchObject({ ok: false });
  });

  test.each([
    'http://example.com/remote.json',
    'https://127.0.0.1:1/x#/$defs/a',
    'file:///etc/passwd',
    'other.json',
    '#/$defs/nothing',
    '#/$defs/a/type',
    '#nowhere',
    '#/constructor',
    '//[',
  ])('%s is refused when it is defined, and never fetched', (to) => {
    const schema = { $defs: { a: text }, properties: { x: { items: { $ref: to } } } };
    expect(() => inspect(schema)).toThrow(
      expect.objectContaining({
        code: 'invalid_argument',
        message: expect.stringContaining('a schema: '),
      }),
    );
  });

  test('that leads nowhere is named with its place', () => {
    expect(() => inspect({ properties: { x: { $ref: 'http://example.com/y' } } })).toThrow(
      'a schema: properties/x/$ref: "http://example.com/y" does not lead to a part of this schema',
    );
  });

  test('is not seen in data or in the name of a property', () => {
    const data = { $ref: 'http://example.com/x' };
    expect(() =>
      inspect({ const: data, enum: [data], default: data, examples: [data], 'x-note': data }),
    ).not.toThrow();
    expect(() => inspect({ properties: { $ref: text, $async: text, type: text } })).not.toThrow();
  });
});

test('two schemas may use the same name for different things', () => {
  const named = (type: string) => ({ $id: 'https://example.com/same', type });
  expect(check(named('string'), 'x')).toMatchObject({ ok: true });
  expect(check(named('number'), 1)).toMatchObject({ ok: true });
  expect(check(named('string'), 1)).toMatchObject({ ok: false });
});

describe('bounds', () => {
  test('a schema is at most 64 levels deep', () => {
    expect(() => inspect(nested(64))).not.toThrow();
    expect(() => inspect(nested(65))).toThrow('more than 64 levels deep');
  });

  test('data in a schema counts as well', () => {
    let data: unknown = {};
    for (let level = 0; level < 70; level += 1) data = [data];
    expect(() => inspect({ default: data })).toThrow('more than 64 levels deep');
  });

  test('a schema that contains itself is refused', () => {
    const schema: Record<string, unknown> = {};
    schema['not'] = schema;
    expect(() => inspect(schema)).toThrow('more than 64 levels deep');
  });

  test('a schema has at most 10 000 parts', () => {
    const parts = (count: number) => ({ allOf: Array.from({ length: count }, () => ({})) });
    expect(() => inspect(parts(9_000))).not.toThrow();
    expect(() => inspect(parts(10_001))).toThrow('more than 10000 parts');
  });

  test('a schema that doubles at each level is refused at once', () => {
    let schema: JsonSchema = {};
    for (let level = 0; level < 60; level += 1) schema = { properties: { a: schema, b: schema } };
    const before = process.cpuUsage();
    expect(() => inspect(schema)).toThrow('more than');
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(500);
  });
});

test.each<[string, JsonSchema]>([
  ['type', { type: 'strnig' }],
  ['type', { type: [] }],
  ['properties', { properties: [] }],
  ['properties', { properties: 'a' }],
  ['not', { not: 'a' }],
  ['anyOf', { anyOf: 'a' }],
  ['properties/a', { properties: { a: null } }],
  ['properties/a', { properties: { a: 'string' } }],
  ['items', { items: 3 }],
  ['anyOf', { anyOf: {} }],
  ['allOf/0', { allOf: [1] }],
  ['required', { required: 'a' }],
  ['enum', { enum: [] }],
  ['minimum', { minimum: '1' }],
  ['maxLength', { maxLength: -1 }],
  ['multipleOf', { multipleOf: 0 }],
  ['pattern', { pattern: '[' }],
  ['patternProperties/(', { patternProperties: { '(': {} } }],
  ['$async', { $async: true }],
  ['$id', { $id: 3 }],
])('a wrong %s is named when the schema is defined', (place, schema) => {
  expect(() => inspect(schema)).toThrow(`a schema: ${place}: `);
});

test('keywords of other tools are left alone', () => {
  const schema = { type: 'object', id: 'x', discriminator: { propertyName: 'a' }, format: 'wild' };
  expect(check(schema, {})).toMatchObject({ ok: true });
});
