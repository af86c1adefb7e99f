import { KitError } from '#base';
import { isRecord } from '#jsonrpc';
import type { JsonSchema } from '#protocol';

/** Keywords whose value holds schemas by name. */
const named: ReadonlySet<string> = new Set([
  'properties',
  '$defs',
  'definitions',
  'dependentSchemas',
]);
/** Keywords whose value is data, not a schema. */
const data: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples']);

/** A server's schema without its patterns: one that backtracks for ever would be run on text that the server chose as well. */
export function withoutPatterns(schema: JsonSchema): JsonSchema {
  const copy: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === 'patternProperties') {
      throw new KitError('invalid_answer', 'its schema has patternProperties, which are not run');
    }
    if (keyword === 'pattern') continue;
    if (data.has(keyword)) copy[keyword] = value;
    else if (named.has(keyword) && isRecord(value)) copy[keyword] = eachWithout(value);
    else copy[keyword] = anyWithout(value);
  }
  return copy;
}

function eachWithout(schemas: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, anyWithout(schema)]),
  );
}

function anyWithout(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(anyWithout);
  return isRecord(value) ? withoutPatterns(value) : value;
}
