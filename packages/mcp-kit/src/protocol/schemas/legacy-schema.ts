import type { Era } from '../model/revisions.ts';
import type { JsonSchema } from '../model/types.ts';
import { dialectOf, movedSchema } from './moved-schema.ts';

/** How clients see what a tool returns. */
interface Structured {
  /** The output schema that they are told. */
  schema(schema: JsonSchema): JsonSchema;
  /** A value that the schema describes. */
  value(value: unknown, schema: JsonSchema): unknown;
}

const isObject = (schema: JsonSchema): boolean => schema['type'] === 'object';

/** Legacy clients know only objects as structured content: whatever may be something else is wrapped as `{ result }`. */
export const structured: Readonly<Record<Era, Structured>> = {
  legacy: {
    schema(schema) {
      if (isObject(schema)) return schema;
      return {
        ...dialectOf(schema),
        type: 'object',
        properties: { result: movedSchema(schema, '/properties/result') },
        required: ['result'],
      };
    },
    value: (value, schema) => (isObject(schema) ? value : { result: value }),
  },
  modern: { schema: (schema) => schema, value: (value) => value },
};
