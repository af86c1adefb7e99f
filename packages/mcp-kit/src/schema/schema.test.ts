import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { KitError } from '#base';
import { compileSchema, withJsonSchema, type AnySchema, type Checked } from './schema.ts';
import type { StandardSchema } from './standard-schema.ts';

const input = { subject: 'input of tool search', direction: 'input' } as const;
const output = { subject: 'output of tool search', direction: 'output' } as const;

function check(schema: AnySchema, value: unknown): Checked | Promise<Checked> {
  return compileSchema(schema, output).check(value);
}

/** A schema of a library that knows nothing of JSON Schema. */
const trimmed: StandardSchema<string, string> = {
  '~standard': {
    version: 1,
    vendor: 'example',
    validate: (value) =>
      typeof value === 'string'
        ? { value: value.trim() }
        : { issues: [{ message: 'a text, please', path: [{ key: 'rows' }, 2, 'na me'] }] },
  },
};

describe('a plain JSON Schema', () => {
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: { address: { $anchor: 'address', type: 'object', 'x-note': [{ $ref: 'data' }] } },
    properties: { at: { $ref: '#address' }, limit: { type: 'integer', 'x-mcp-header': 'Limit' } },
    required: ['limit'],
    additionalProperties: false,
    unknownKeyword: { deep: [1, { id: 'x' }] },
  } as const;

  test('is published as it is', () => {
    const before = structuredClone(schema);
    const compiled = compileSchema(schema, input);
    void compiled.check({ limit: 1 });
    expect(compiled.json).toBe(schema);
    expect(schema).toEqual(before);
  });

  test('lets a fitting value through unchanged', () => {
    const value = { limit: 1, at: { street: 'x' } };
    const checked = compileSchema(schema, input).check(value);
    expect(checked).toEqual({ ok: true, value });
    expect(checked).toHaveProperty('value', value);
  });

  test('says what is wrong with any other', () => {
    expect(compileSchema(schema, input).check({ limit: 'many' })).toEqual({
      ok: false,
      issues: [
        {
          path: 'limit',
          message: 'limit: expected integer, received string',
          expected: 'integer',
          received: 'string',
        },
      ],
    });
  });
});

describe('a Standard Schema', () => {
  test('is published as the JSON Schema its library gives for the direction', () => {
    const schema = z.object({ limit: z.number().default(10), text: z.string() });
    expect(compileSchema(schema, input).json).toEqual({
      type: 'object',
      properties: { limit: { type: 'number', default: 10 }, text: { type: 'string' } },
      required: ['text'],
    });
    expect(compileSchema(schema, output).json).toMatchObject({ required: ['limit', 'text'] });
  });

  test('gives the value as it makes it', () => {
    const schema = z.object({ limit: z.number().default(10) });
    expect(compileSchema(schema, input).check({})).toEqual({ ok: true, value: { limit: 10 } });
  });

  test('says what is wrong in the words of its library, with the path', () => {
    const schema = z.object({ items: z.array(z.object({ name: z.string() })) });
    expect(compileSchema(schema, input).check({ items: [{ name: 'a' }, { name: 3 }] })).toEqual({
      ok: false,
      issues: [
        {
          path: 'items[1].name',
          message: 'items[1].name: Invalid input: expected string, received number',
        },
      ],
    });
  });

  test('may take its time', async () => {
    const schema = z.object({ name: z.string().refine(async (name) => name !== 'taken', 'taken') });
    const compiled = compileSchema(schema, input);
    await expect(compiled.check({ name: 'free' })).resolves.toMatchObject({ ok: true });
    await expect(compiled.check({ name: 'taken' })).resolves.toEqual({
      ok: false,
      issues: [{ path: 'name', message: 'name: taken' }],
    });
  });

  test('does not drown the reader', async () => {
    const many = Array.from({ length: 1000 }, () => 1);
    const checked = await check(z.array(z.string()), many);
    expect(checked.ok ? [] : checked.issues).toHaveLength(20);
  });

  test('without JSON Schema is refused with the way out', () => {
    expect(() => compileSchema(trimmed, output)).toThrow(
      expect.objectContaining({
        message: 'output of tool search: example does not give JSON Schema',
        hint: expect.stringContaining('withJsonSchema'),
      }),
    );
  });

  test('whose JSON Schema cannot be made is refused with the way out', () => {
    expect(() => compileSchema(z.object({ at: z.date() }), input)).toThrow(
      expect.objectContaining({ code: 'invalid_argument', cause: expect.any(Error) }),
    );
  });

  test('can be given a JSON Schema', () => {
    const json = { type: 'string', description: 'a name' };
    const compiled = compileSchema(withJsonSchema(trimmed, json), output);
    expect(compiled.json).toEqual(json);
    expect(compiled.check(' x ')).toEqual({ ok: true, value: 'x' });
    expect(compiled.check(3)).toEqual({
      ok: false,
      issues: [{ path: 'rows[2]["na me"]', message: 'rows[2]["na me"]: a text, please' }],
    });
  });
});

test.each<[string, AnySchema]>([
  ['no type', {}],
  ['another type', { type: 'string' }],
  ['several types', { type: ['object', 'null'] }],
  ['a union', z.union([z.object({ a: z.string() }), z.object({ b: z.string() })])],
])('an input schema with %s at its root is refused', (_what, schema) => {
  expect(() => compileSchema(schema, input)).toThrow(KitError);
  expect(() => compileSchema(schema, output)).not.toThrow();
});

test('checking a small value costs less than a third of a microsecond', () => {
  const schema = {
    type: 'object',
    properties: {
      query: { type: 'string' },
      limit: { type: 'integer', minimum: 1, maximum: 100 },
      tags: { type: 'array', items: { type: 'string' } },
    },
    required: ['query'],
    additionalProperties: false,
  };
  const compiled = compileSchema(schema, input);
  const value = { query: 'x', limit: 5, tags: ['a', 'b'] };
  const rounds = 50_000;
  const times = Array.from({ length: 24 }, () => {
    const before = process.cpuUsage();
    for (let round = 0; round < rounds; round += 1) void compiled.check(value);
    return (process.cpuUsage(before).user * 1000) / rounds;
  });
  expect(Math.min(...times)).toBeLessThan(300);
});

test('a million wrong elements cost no more than one', () => {
  const compiled = compileSchema({ type: 'array', items: { type: 'string' } }, output);
  void compiled.check([1]);
  const many = Array.from({ length: 1_000_000 }, () => 1);
  const times = Array.from({ length: 20 }, () => {
    const before = process.cpuUsage();
    expect(compiled.check(many)).toMatchObject({ issues: [{ path: '[0]' }] });
    return process.cpuUsage(before).user / 1000;
  });
  expect(Math.min(...times)).toBeLessThan(50);
});

test('a text that is too long is not held against the pattern beside the limit', async () => {
  const slow = { type: 'string', maxLength: 20, pattern: '^(a+)+$' };
  const schema = compileSchema(slow, { subject: 'x', direction: 'output' });
  expect(await schema.check(`${'a'.repeat(60)}!`)).toMatchObject({
    issues: [{ message: 'expected at most 20 characters, received 61' }],
  });
});

test('a schema that ajv makes unusable code of is interpreted', async () => {
  const never = { oneOf: [{ properties: { b: { type: 'integer' } } }, false], not: true };
  const schema = { oneOf: [never, { required: ['a'] }] };
  expect(await check(schema, { a: 1 })).toEqual({ ok: true, value: { a: 1 } });
  expect(await check(schema, { b: 1 })).toMatchObject({ ok: false });
});
