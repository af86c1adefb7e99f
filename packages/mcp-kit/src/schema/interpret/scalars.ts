import { isRecord } from '#jsonrpc';
import { hasAtLeast, hasAtMost } from '../string-length.ts';
import { namesOf, spend, violated, type Keyword, type Part, type Run, type Fit } from './run.ts';

/** Keywords about a value as a whole, about numbers and about texts. */
export const scalarKeywords: Readonly<Record<string, Keyword>> = {
  type: (run, schema, value) => {
    const { type, nullable } = schema;
    const names: readonly unknown[] = Array.isArray(type) ? type : [type];
    spend(run, names.length - 1);
    const fits =
      names.some((name) => isOfType(value, name)) || (nullable === true && value === null);
    return fits || violated(run, { keyword: 'type', schema, value });
  },
  const: (run, schema, value) =>
    isEqual(run, schema['const'], value) || violated(run, { keyword: 'const', schema, value }),
  enum: (run, schema, value) => {
    const values: readonly unknown[] = Array.isArray(schema['enum']) ? schema['enum'] : [];
    const listed = values.some((one) => isEqual(run, one, value));
    return listed || violated(run, { keyword: 'enum', schema, value });
  },
  minimum: number('minimum', (value, limit) => value >= limit),
  maximum: number('maximum', (value, limit) => value <= limit),
  exclusiveMinimum: number('exclusiveMinimum', (value, limit) => value > limit),
  exclusiveMaximum: number('exclusiveMaximum', (value, limit) => value < limit),
  multipleOf: number('multipleOf', (value, factor) => Number.isInteger(value / factor)),
  minLength: textLength('minLength', hasAtLeast),
  maxLength: textLength('maxLength', hasAtMost),
  // One that goes back and forth for ever would be run on a text that its author chose as well.
  pattern: (_run, _schema, value) => (typeof value === 'string' ? undefined : true),
};

function isOfType(value: unknown, name: unknown): boolean {
  switch (name) {
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isRecord(value);
    case 'null':
      return value === null;
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return Number.isFinite(value);
    default:
      return typeof value === name;
  }
}

function number(keyword: string, holds: (value: number, limit: number) => boolean): Keyword {
  return (run, schema, value) =>
    typeof value !== 'number' ||
    holds(value, Number(schema[keyword])) ||
    violated(run, { keyword, schema, value });
}

function textLength(keyword: string, holds: (text: string, limit: number) => boolean): Keyword {
  return (run: Run, schema: Part, value: unknown): Fit => {
    if (typeof value !== 'string') return true;
    const limit = Number(schema[keyword]);
    // Only then are the characters counted.
    if (value.length >= limit && value.length < 2 * limit) spend(run, value.length >> 3);
    return holds(value, limit) || violated(run, { keyword, schema, value });
  };
}

/** Whether two JSON values are the same. */
function isEqual(run: Run, one: unknown, other: unknown): boolean {
  spend(run, 1);
  if (typeof one === 'string' && typeof other === 'string') spend(run, one.length >> 9);
  if (one === other) return true;
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, at) => isEqual(run, item, other[at]));
  }
  if (!isRecord(one) || !isRecord(other)) return false;
  const names = namesOf(run, one);
  return (
    names.length === namesOf(run, other).length &&
    names.every((name) => Object.hasOwn(other, name) && isEqual(run, one[name], other[name]))
  );
}
