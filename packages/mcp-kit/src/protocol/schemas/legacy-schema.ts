import type { JsonSchema } from '../model/types.ts';
import { dialectOf, movedSchema } from './moved-schema.ts';

/** Legacy clients know only objects as structured content: whatever may be something else is wrapped as `{ result }`. */
export function legacyOutputSchema(schema: JsonSchema): JsonSchema {
  if (isObject(schema)) return schema;
  return {
    ...dialectOf(schema),
    type: 'object',
    properties: { result: movedSchema(schema, '/properties/result') },
    required: ['result'],
  };
}

/** A value that the schema describes, as legacy clients see it. */
export function legacyStructured(value: unknown, schema: JsonSchema): unknown {
  return isObject(schema) ? value : { result: value };
}

const isObject = (schema: JsonSchema): boolean => schema['type'] === 'object';
