import { isRecord } from '#jsonrpc';
import type { JsonSchema } from '../model/types.ts';

/** A schema as part of another, at the place a JSON pointer names: its references to itself follow it there. */
export function movedSchema(schema: JsonSchema, pointer: string): JsonSchema {
  const { $schema: _dialect, ...rest } = schema;
  // A record again: only members change.
  return move(rest, `#${pointer}`) as JsonSchema;
}

/** What the schema around a moved one must say of its dialect. */
export function dialectOf({ $schema }: JsonSchema): JsonSchema {
  return $schema === undefined ? {} : { $schema };
}

function move(schema: unknown, base: string): unknown {
  if (Array.isArray(schema)) return schema.map((item) => move(item, base));
  // Within a schema that has a name of its own, references start from that.
  if (!isRecord(schema) || '$id' in schema) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) =>
      key === '$ref' && typeof value === 'string' && (value === '#' || value.startsWith('#/'))
        ? [key, base + value.slice(1)]
        : [key, move(value, base)],
    ),
  );
}
