/** Where a keyword keeps schemas: it is one, a list of them, or a map to them. */
export const schemaKeywords: ReadonlyMap<string, 'one' | 'list' | 'map'> = new Map([
  ['$defs', 'map'],
  ['additionalItems', 'one'],
  ['additionalProperties', 'one'],
  ['allOf', 'list'],
  ['anyOf', 'list'],
  ['contains', 'one'],
  ['contentSchema', 'one'],
  ['definitions', 'map'],
  ['dependencies', 'map'],
  ['dependentSchemas', 'map'],
  ['else', 'one'],
  ['if', 'one'],
  ['items', 'one'],
  ['not', 'one'],
  ['oneOf', 'list'],
  ['patternProperties', 'map'],
  ['prefixItems', 'list'],
  ['properties', 'map'],
  ['propertyNames', 'one'],
  ['then', 'one'],
  ['unevaluatedItems', 'one'],
  ['unevaluatedProperties', 'one'],
]);

/** Keywords that point to another schema. */
export const refKeywords: readonly string[] = ['$ref', '$dynamicRef', '$recursiveRef'];

interface Shape {
  readonly expected: string;
  readonly fits: (value: unknown) => boolean;
}

const typeNames = new Set(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']);

const text: Shape = { expected: 'a string', fits: (value) => typeof value === 'string' };
const number: Shape = { expected: 'a number', fits: (value) => typeof value === 'number' };
const flag: Shape = { expected: 'true or false', fits: (value) => typeof value === 'boolean' };
const count: Shape = {
  expected: 'a whole number from 0 on',
  fits: (value) => Number.isInteger(value) && Number(value) >= 0,
};
const names: Shape = {
  expected: 'a list of strings',
  fits: (value) => Array.isArray(value) && value.every((each) => typeof each === 'string'),
};

/** What the value of a keyword must look like, for the keywords that would otherwise fail at the first call. */
export const keywordShapes: ReadonlyMap<string, Shape> = new Map([
  ['$anchor', text],
  // ajv would answer with a promise, which reads as a pass.
  ['$async', { expected: 'nothing: it is not JSON Schema', fits: () => false }],
  ['$dynamicAnchor', text],
  ['$dynamicRef', text],
  ['$id', text],
  ['$ref', text],
  [
    'enum',
    { expected: 'a list with values', fits: (value) => Array.isArray(value) && value.length > 0 },
  ],
  ['exclusiveMaximum', number],
  ['exclusiveMinimum', number],
  ['maxContains', count],
  ['maximum', number],
  ['maxItems', count],
  ['maxLength', count],
  ['maxProperties', count],
  ['minContains', count],
  ['minimum', number],
  ['minItems', count],
  ['minLength', count],
  ['minProperties', count],
  ['multipleOf', { expected: 'a number above 0', fits: (value) => Number(value) > 0 }],
  ['pattern', { expected: 'a regular expression', fits: isPattern }],
  ['required', names],
  ['type', { expected: 'a type name or a list of them', fits: isType }],
  ['uniqueItems', flag],
]);

/** True for a text that compiles as a regular expression the way the validator compiles it. */
export function isPattern(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  try {
    return new RegExp(value, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

function isType(value: unknown): boolean {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.length > 0 && list.every((name) => typeof name === 'string' && typeNames.has(name));
}
