import { dialectOf, movedSchema } from './moved-schema.ts';
import type { Era } from '../model/revisions.ts';
import type { JsonSchema } from '../model/types.ts';

/** The handshake era knows only objects as structured content: what may be anything else is wrapped as `{ result }`. */
function isWrapped(schema: JsonSchema, era: Era): boolean {
  return era === 'legacy' && schema['type'] !== 'object';
}

/** The output schema that clients of an era see. */
export function outputSchemaFor(schema: JsonSchema, era: Era): JsonSchema {
  if (!isWrapped(schema, era)) return schema;
  return {
    ...dialectOf(schema),
    type: 'object',
    properties: { result: movedSchema(schema, '/properties/result') },
    required: ['result'],
  };
}

/** A value described by the schema, as clients of an era see it. */
export function structuredFor(value: unknown, schema: JsonSchema, era: Era): unknown {
  return isWrapped(schema, era) ? { result: value } : value;
}
