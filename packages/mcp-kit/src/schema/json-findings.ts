import { isRecord } from '#jsonrpc';
import { firstDuplicate } from './duplicates.ts';
import { excerpt, type Finding } from './issue.ts';
import { nearMiss } from './near-miss.ts';
import type { Violation } from './violation.ts';

/** What a violation means, in words that say how to put it right. */
export function explain(error: Violation): Finding {
  const finding = findings.get(error.keyword)?.(error);
  return finding ?? { text: error.message ?? 'not valid' };
}

/** One value in place of another. */
export function mismatch(expected: string, received: string): Finding {
  return { text: `expected ${expected}, received ${received}`, expected, received };
}

/** The property that is missing or too much, which is reported at the object around it. */
export function namedProperty({ params }: Violation): string | undefined {
  const name: unknown =
    params['missingProperty'] ?? params['additionalProperty'] ?? params['unevaluatedProperty'];
  return typeof name === 'string' ? name : undefined;
}

type Explain = (error: Violation) => Finding | undefined;

const findings: ReadonlyMap<string, Explain> = new Map<string, Explain>([
  ['additionalProperties', unknownProperty],
  ['const', ({ schema, data }) => mismatch(show(schema), show(data))],
  ['dependencies', missingProperty],
  ['dependentRequired', missingProperty],
  ['enum', ({ schema, data }) => notListed(Array.isArray(schema) ? schema : [], data)],
  ['exclusiveMaximum', ({ schema, data }) => mismatch(`less than ${show(schema)}`, show(data))],
  ['exclusiveMinimum', ({ schema, data }) => mismatch(`more than ${show(schema)}`, show(data))],
  ['false schema', ({ data }) => mismatch('nothing', typeName(data))],
  ['maximum', ({ schema, data }) => mismatch(`at most ${show(schema)}`, show(data))],
  ['maxItems', ({ schema, data }) => mismatch(`at most ${show(schema)} items`, sizeOf(data))],
  ['maxLength', ({ schema, data }) => mismatch(`at most ${show(schema)} characters`, sizeOf(data))],
  ['minimum', ({ schema, data }) => mismatch(`at least ${show(schema)}`, show(data))],
  ['minItems', ({ schema, data }) => mismatch(`at least ${show(schema)} items`, sizeOf(data))],
  [
    'minLength',
    ({ schema, data }) => mismatch(`at least ${show(schema)} characters`, sizeOf(data)),
  ],
  [
    'minProperties',
    ({ schema, data }) =>
      mismatch(`at least ${show(schema)} properties`, String(Object.keys(Object(data)).length)),
  ],
  ['multipleOf', ({ schema, data }) => mismatch(`a multiple of ${show(schema)}`, show(data))],
  [
    'oneOf',
    ({ params }) =>
      params['passingSchemas'] ? { text: 'fits more than one alternative' } : undefined,
  ],
  ['pattern', ({ schema, data }) => mismatch(`text that matches ${String(schema)}`, show(data))],
  [
    'propertyNames',
    ({ params }) => ({ text: `name ${show(params['propertyName'])} is not allowed` }),
  ],
  ['required', missingProperty],
  ['type', wrongType],
  ['unevaluatedProperties', unknownProperty],
  ['uniqueItems', ({ data }) => ({ text: `items ${duplicates(data)} are equal` })],
]);

function wrongType({ schema, data }: Violation): Finding {
  const types: readonly unknown[] = Array.isArray(schema) ? schema : [schema];
  // The type alone would not tell a number from the number that was expected.
  const isOdd =
    typeof data === 'number' && types.some((type) => type === 'integer' || type === 'number');
  return mismatch(types.join(' or '), isOdd ? String(data) : typeName(data));
}

function notListed(values: readonly unknown[], data: unknown): Finding {
  const texts = values.filter((value) => typeof value === 'string');
  const meant = typeof data === 'string' ? nearMiss(data, texts) : undefined;
  const finding = mismatch(`one of ${list(values.map(show))}`, show(data));
  return meant === undefined
    ? finding
    : { ...finding, text: `${finding.text}; did you mean ${show(meant)}?` };
}

function missingProperty(error: Violation): Finding {
  const name = namedProperty(error) ?? '';
  const known = propertiesOf(error);
  const strangers = Object.keys(Object(error.data)).filter((key) => !Object.hasOwn(known, key));
  const slip = nearMiss(name, strangers) ?? onlyStranger(error, strangers);
  const text = `required but missing${slip === undefined ? '' : `; is it what you named ${show(slip)}?`}`;
  const schema = Object.hasOwn(known, name) ? known[name] : undefined;
  const type = isRecord(schema) ? schema['type'] : undefined;
  return { text, received: 'nothing', expected: typeof type === 'string' ? type : undefined };
}

/** The one name that nothing is called by, where that is refused: most likely another word for what is missing. */
function onlyStranger(error: Violation, strangers: readonly string[]): string | undefined {
  if (error.parentSchema?.['additionalProperties'] !== false) return undefined;
  const known = Object.keys(propertiesOf(error));
  const [only, ...others] = strangers.filter((key) => nearMiss(key, known) === undefined);
  return others.length === 0 ? only : undefined;
}

function unknownProperty(error: Violation): Finding {
  const names = Object.keys(propertiesOf(error));
  const meant = nearMiss(namedProperty(error) ?? '', names);
  if (meant !== undefined) return { text: `unknown property; did you mean ${show(meant)}?` };
  return { text: `unknown property${names.length === 0 ? '' : `; known are ${list(names)}`}` };
}

function propertiesOf({ parentSchema }: Violation): Readonly<Record<string, unknown>> {
  const properties: unknown = parentSchema?.['properties'];
  return isRecord(properties) ? properties : {};
}

function duplicates(data: unknown): string {
  return (Array.isArray(data) ? (firstDuplicate(data) ?? []) : []).join(' and ');
}

function sizeOf(data: unknown): string {
  return Array.isArray(data) || typeof data === 'string' ? String(data.length) : typeName(data);
}

function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(excerpt(value));
  return typeof value === 'object' && value !== null ? typeName(value) : String(value);
}

function list(names: readonly string[]): string {
  const shown = names.slice(0, 12).join(', ');
  return names.length > 12 ? `${shown} and ${names.length - 12} more` : shown;
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
