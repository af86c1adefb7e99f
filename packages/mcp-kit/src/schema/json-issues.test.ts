import { describe, expect, test } from 'vitest';
import type { JsonSchema } from '#protocol';
import { compileSchema } from './schema.ts';

/** What the check says, as one line; `fits` when it says nothing. */
async function messageFor(schema: JsonSchema, value: unknown): Promise<string> {
  const checked = await compileSchema(schema, { subject: 'x', direction: 'output' }).check(value);
  return checked.ok ? 'fits' : checked.issues.map(({ message }) => message).join('; ');
}

const search = {
  type: 'object',
  properties: { query: { type: 'string' }, limit: { type: 'integer' }, maxItems: {} },
  required: ['query'],
  additionalProperties: false,
};
const shape = {
  oneOf: [
    { properties: { kind: { const: 'circle' }, radius: { type: 'number' } }, required: ['kind'] },
    { properties: { kind: { const: 'square' }, side: { type: 'number' } }, required: ['kind'] },
  ],
};

describe('an issue says where, what was expected and what came', () => {
  test.each<[JsonSchema, unknown, string]>([
    [{ type: 'integer' }, 'x', 'expected integer, received string'],
    [{ type: 'integer' }, 1.5, 'expected integer, received 1.5'],
    [{ type: ['string', 'null'] }, [], 'expected string or null, received array'],
    [{ type: 'object' }, null, 'expected object, received null'],
    [{ type: 'number' }, Number.NaN, 'expected number, received NaN'],
    [{ const: 'a' }, 'b', 'expected "a", received "b"'],
    [{ minimum: 1 }, 0, 'expected at least 1, received 0'],
    [{ exclusiveMaximum: 1 }, 1, 'expected less than 1, received 1'],
    [{ multipleOf: 5 }, 7, 'expected a multiple of 5, received 7'],
    [{ minLength: 3 }, 'ab', 'expected at least 3 characters, received 2'],
    [{ minProperties: 1 }, {}, 'expected at least 1 properties, received 0'],
    [{ anyOf: [{ required: ['a'] }, { required: ['b'] }] }, {}, 'needs a or b'],
    [{ maxItems: 1 }, [1, 2], 'expected at most 1 items, received 2'],
    [{ pattern: '^a' }, 'b', 'expected text that matches ^a, received "b"'],
    [{ uniqueItems: true }, [{ a: 1, b: 2 }, 3, { b: 2, a: 1 }], 'items 0 and 2 are equal'],
    [{ propertyNames: { maxLength: 2 } }, { abc: 1 }, 'name "abc" is not allowed'],
    [{ properties: { a: false } }, { a: 1 }, 'a: expected nothing, received number'],
    [{ items: { required: ['name'] } }, [{ name: 1 }, {}], '[1].name: required but missing'],
    [
      { properties: { items: { items: { properties: { name: { type: 'string' } } } } } },
      { items: [{}, {}, { name: 5 }] },
      'items[2].name: expected string, received number',
    ],
    [
      { additionalProperties: { properties: { '2': { type: 'string' } } } },
      { 'odd name/~': { '2': 5 } },
      '["odd name/~"].2: expected string, received number',
    ],
  ])('%o and %o', async (schema, value, message) => {
    await expect(messageFor(schema, value)).resolves.toBe(message);
  });
});

describe('a name', () => {
  test('that is missing is named', async () => {
    await expect(messageFor(search, {})).resolves.toBe('query: required but missing');
  });

  test('that is a slip is set right', async () => {
    await expect(messageFor(search, { query: '', limt: 1 })).resolves.toBe(
      'limt: unknown property; did you mean "limit"?',
    );
    await expect(messageFor(search, { query: '', max_items: 1 })).resolves.toBe(
      'max_items: unknown property; did you mean "maxItems"?',
    );
    await expect(messageFor(search, { qery: '' })).resolves.toBe(
      'query: required but missing; is it what you named "qery"?',
    );
  });

  test('that is another word for what is missing is told with it', async () => {
    const add = {
      properties: { node: { type: 'string' }, type: { type: 'string' }, values: {} },
      required: ['node', 'type'],
      additionalProperties: false,
    };
    await expect(messageFor(add, { node: 'a', component: 'b' })).resolves.toBe(
      'type: required but missing; is it what you named "component"?',
    );
    await expect(messageFor(add, { node: 'a', component: 'b', value: 1 })).resolves.toBe(
      'type: required but missing; is it what you named "component"?',
    );
    // Which of two it would be nobody knows, nor whether what may be there is meant for it.
    await expect(messageFor(add, { node: 'a', component: 'b', kind: 'c' })).resolves.toBe(
      'type: required but missing',
    );
    const open = { ...add, additionalProperties: true };
    await expect(messageFor(open, { node: 'a', component: 'b' })).resolves.toBe(
      'type: required but missing',
    );
  });

  test('that is unknown is answered with those that are known', async () => {
    await expect(messageFor(search, { query: '', verbose: true })).resolves.toBe(
      'verbose: unknown property; known are query, limit, maxItems',
    );
  });

  test('of what every object inherits is like any other', async () => {
    const schema = { properties: { constructor: { type: 'string' } }, required: ['toString'] };
    await expect(messageFor(schema, { toString: 1 })).resolves.toBe('fits');
    await expect(messageFor(schema, {})).resolves.toBe('toString: required but missing');
  });
});

describe('a choice', () => {
  test('lists what there is, and the one that was meant', async () => {
    await expect(messageFor({ enum: ['asc', 'desc', 1, null] }, 'decs')).resolves.toBe(
      'expected one of "asc", "desc", 1, null, received "decs"; did you mean "desc"?',
    );
    const many = { enum: Array.from({ length: 100 }, (_, n) => n) };
    await expect(messageFor(many, true)).resolves.toContain('11 and 88 more, received true');
  });

  test('of types names them all', async () => {
    const schema = { anyOf: [{ type: 'string' }, { type: 'number' }, { const: null }] };
    await expect(messageFor(schema, true)).resolves.toBe(
      'expected string or number or null, received boolean',
    );
  });

  test('of shapes is explained by the shape that was meant', async () => {
    await expect(messageFor(shape, { kind: 'square', side: 'long' })).resolves.toBe(
      'side: expected number, received string',
    );
    await expect(messageFor(shape, { kind: 'line' })).resolves.toBe(
      'kind: expected "circle" or "square", received "line"',
    );
    await expect(messageFor(shape, {})).resolves.toBe('kind: required but missing');
  });

  test('that fits twice says so', async () => {
    await expect(messageFor({ oneOf: [{ type: 'number' }, { minimum: 1 }] }, 5)).resolves.toBe(
      'fits more than one alternative',
    );
  });

  test('made by a condition is explained by what the condition asks for', async () => {
    const schema = { if: { required: ['a'] }, else: { required: ['b'] } };
    await expect(messageFor(schema, { c: 1 })).resolves.toBe('b: required but missing');
  });
});

describe('hostile values', () => {
  test('long names and texts are cut', async () => {
    const long = 'x'.repeat(1_000_000);
    for (const value of [{ query: '', [long]: 1 }, { [long]: 1 }]) {
      expect((await messageFor(search, value)).length).toBeLessThan(400);
    }
    expect((await messageFor({ const: 1 }, long)).length).toBeLessThan(400);
  });

  test('a hundred thousand objects are compared in linear time', async () => {
    const items = Array.from({ length: 100_000 }, (_, n) => ({ n }));
    const before = process.cpuUsage();
    await expect(messageFor({ uniqueItems: true, type: 'array' }, items)).resolves.toBe('fits');
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(2000);
  });

  test('long texts that begin alike are compared in linear time', async () => {
    const items = Array.from({ length: 950 }, (_, n) => `${'x'.repeat(17_000)}${1000 + n}`);
    const before = process.cpuUsage();
    await expect(messageFor({ uniqueItems: true, type: 'array' }, items)).resolves.toBe('fits');
    // Compared with each other they take 1.5 s.
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(400);
    await expect(messageFor({ uniqueItems: true }, [...items, items[7]])).resolves.toBe(
      'items 7 and 950 are equal',
    );
  });

  test('a text is not the object it looks like', async () => {
    await expect(messageFor({ uniqueItems: true }, ['{"a":1}', { a: 1 }, 1, '1'])).resolves.toBe(
      'fits',
    );
  });
});
