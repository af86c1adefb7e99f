import { describe, expectTypeOf, test } from 'vitest';
import * as z from 'zod';
import type { JsonSchema } from '#protocol';
import { withJsonSchema, type AnySchema, type StandardSchema } from '#schema';
import type { Infer, InferInput } from './infer.ts';

/** Keeps the literal, as `tool` does. */
function literal<const Schema extends AnySchema>(schema: Schema): Schema {
  return schema;
}

describe('a JSON Schema literal gives the type of', () => {
  test('an object with required and optional properties', () => {
    const schema = literal({
      type: 'object',
      properties: {
        query: { type: 'string', description: 'what to look for' },
        limit: { type: 'integer', minimum: 1 },
        order: { enum: ['asc', 'desc'] },
        tags: { type: 'array', items: { type: 'string' } },
        nested: { type: 'object', properties: { on: { type: 'boolean' } }, required: ['on'] },
        maybe: { type: ['string', 'null'] },
        fixed: { const: 3 },
        either: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'number' } }] },
        anything: {},
      },
      required: ['query', 'nested', 'maybe'],
      additionalProperties: false,
    });
    expectTypeOf<Infer<typeof schema>>().toEqualTypeOf<{
      query: string;
      nested: { on: boolean };
      maybe: string | null;
      limit?: number;
      order?: 'asc' | 'desc';
      tags?: string[];
      fixed?: 3;
      either?: string | number[];
      anything?: unknown;
    }>();
    expectTypeOf<InferInput<typeof schema>>().toEqualTypeOf<Infer<typeof schema>>();
  });

  test('an object without declared properties', () => {
    const open = literal({ type: 'object' });
    const map = literal({ type: 'object', additionalProperties: { type: 'number' } });
    expectTypeOf<Infer<typeof open>>().toEqualTypeOf<Record<string, unknown>>();
    expectTypeOf<Infer<typeof map>>().toEqualTypeOf<Record<string, number>>();
  });

  test('scalars and lists', () => {
    const list = literal({ type: 'array' });
    const union = literal({ oneOf: [{ type: 'null' }, { const: 'x' }] });
    expectTypeOf<Infer<typeof list>>().toEqualTypeOf<unknown[]>();
    expectTypeOf<Infer<typeof union>>().toEqualTypeOf<'x' | null>();
  });

  test('nothing it does not say', () => {
    const reference = literal({ $ref: '#/$defs/a', $defs: { a: { type: 'string' } } });
    const odd = literal({ type: 'array', items: true });
    expectTypeOf<Infer<typeof reference>>().toBeUnknown();
    expectTypeOf<Infer<typeof odd>>().toEqualTypeOf<unknown[]>();
    expectTypeOf<Infer<JsonSchema>>().toBeUnknown();
    expectTypeOf<Infer<{ readonly type: string }>>().toBeUnknown();
  });

  test('something bounded, however deep or recursive it is', () => {
    interface Deep {
      readonly type: 'array';
      readonly items: Deep;
    }
    expectTypeOf<Infer<Deep>>().toExtend<unknown[][][]>();
  });
});

describe('a Standard Schema gives the types of', () => {
  const schema = z.object({ limit: z.number().default(10), at: z.string().transform(Number) });

  test('what goes in and what comes out', () => {
    expectTypeOf<Infer<typeof schema>>().toEqualTypeOf<{ limit: number; at: number }>();
    expectTypeOf<InferInput<typeof schema>>().toEqualTypeOf<{
      limit?: number | undefined;
      at: string;
    }>();
    expectTypeOf(schema).toExtend<AnySchema>();
    expectTypeOf(schema).toExtend<StandardSchema>();
  });

  test('the same with a JSON Schema beside it', () => {
    const paired = withJsonSchema(schema, { type: 'object' });
    expectTypeOf<Infer<typeof paired>>().toEqualTypeOf<{ limit: number; at: number }>();
    expectTypeOf<InferInput<typeof paired>>().toEqualTypeOf<InferInput<typeof schema>>();
  });
});
