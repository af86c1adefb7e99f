import { canonicalJson } from '#base';
import { isRecord } from '#jsonrpc';
import type { JsonSchema } from '#protocol';
import { show } from '../changes.ts';

/** What a change means to those who call the tool: they break, they gain, or they do not notice. */
export type Impact = 'breaking' | 'compatible' | 'cosmetic';

/** One difference between two schemas. */
export interface SchemaChange {
  readonly impact: Impact;
  readonly path: string;
  readonly message: string;
}

/** What callers send must not be narrowed; what they receive must not be widened. */
type Direction = 'input' | 'output';

/** How many values fit, compared with before; `other` when that cannot be told. */
type Fit = 'same' | 'wider' | 'narrower' | 'other';

interface Place {
  readonly direction: Direction;
  readonly path: string;
}

/** How two schemas of arguments, or of answers, differ to those who send or read them. */
export function schemaChanges(
  before: JsonSchema,
  after: JsonSchema,
  direction: Direction,
): readonly SchemaChange[] {
  return compareAny(before, after, { direction, path: direction });
}

function compareAny(before: unknown, after: unknown, place: Place): readonly SchemaChange[] {
  if (canonicalJson(before) === canonicalJson(after)) return [];
  const [was, is] = [normal(before), normal(after)];
  if (was !== undefined && is !== undefined) return compare(was, is, place);
  return [{ impact: 'breaking', path: place.path, message: `${place.path}: it is another schema` }];
}

/** The same schema without ways of saying nothing, and with one way of saying which values there are. */
function normal(schema: unknown): JsonSchema | undefined {
  if (schema === true) return {};
  if (!isRecord(schema)) return undefined;
  const { const: only, ...rest } = schema;
  const said = only === undefined ? schema : { enum: [only], ...rest };
  const telling = Object.entries(said).filter(
    ([keyword, value]) => !idle.has(`${keyword} ${canonicalJson(value)}`),
  );
  return Object.fromEntries(telling);
}

const idle = new Set([
  'additionalProperties true',
  'additionalProperties {}',
  'items true',
  'items {}',
  'uniqueItems false',
  'minItems 0',
  'minLength 0',
  'minProperties 0',
  'required []',
  'properties {}',
]);

/** What tells readers something, and changes nothing for values. */
const notes = new Set(
  '$comment $schema deprecated description examples readOnly title writeOnly'.split(' '),
);

/** What is looked into, instead of being compared as a whole. */
const structural = new Set(
  '$defs allOf anyOf definitions items oneOf properties required'.split(' '),
);

function compare(before: JsonSchema, after: JsonSchema, place: Place): readonly SchemaChange[] {
  if (alternativesOf(before) === undefined && alternativesOf(after) === undefined) {
    return [...keywords(before, after, place), ...parts(before, after, place)];
  }
  const [notesBefore, was] = split(before);
  const [notesAfter, is] = split(after);
  return [...keywords(notesBefore, notesAfter, place), ...alternatives([was, is], 'any', place)];
}

/** What is only noted, and the schemas of which a value must fit one; a schema without alternatives is the only one. */
function split(schema: JsonSchema): readonly [JsonSchema, readonly unknown[]] {
  const isNote = ([keyword]: readonly [string, unknown]): boolean =>
    notes.has(keyword) || keyword === 'default';
  const members = Object.entries(schema);
  const rest = Object.fromEntries(members.filter((member) => !isNote(member)));
  return [Object.fromEntries(members.filter(isNote)), alternativesOf(schema) ?? [rest]];
}

/** The alternatives of a schema that demands nothing else. */
function alternativesOf(schema: JsonSchema): readonly unknown[] | undefined {
  const demands = Object.keys(schema).filter((name) => !notes.has(name) && name !== 'default');
  const [only = ''] = demands;
  const list = demands.length === 1 && /^(?:any|one)Of$/.test(only) ? schema[only] : undefined;
  return Array.isArray(list) ? list : undefined;
}

function keywords(before: JsonSchema, after: JsonSchema, place: Place): readonly SchemaChange[] {
  const { direction, path } = place;
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((keyword) => {
    const [was, is] = [before[keyword], after[keyword]];
    if (structural.has(keyword) || canonicalJson(was) === canonicalJson(is)) return [];
    if (keyword === 'additionalProperties' && isRecord(was) && isRecord(is)) {
      return compareAny(was, is, { direction, path: `${path}.*` });
    }
    const message = `${path}: ${keyword} ${show(was, 40)} → ${show(is, 40)}`;
    return [{ impact: keywordImpact(keyword, [was, is], direction), path, message }];
  });
}

function keywordImpact(
  keyword: string,
  [was, is]: readonly [unknown, unknown],
  direction: Direction,
): Impact {
  if (notes.has(keyword)) return 'cosmetic';
  if (keyword !== 'default') return impactOf(fitOf(keyword, was, is), direction);
  // Whoever leaves the argument out is given something else now.
  if (direction === 'input') return was === undefined ? 'compatible' : 'breaking';
  return 'cosmetic';
}

function impactOf(fit: Fit, direction: Direction): Impact {
  if (fit === 'same') return 'cosmetic';
  return fit === (direction === 'input' ? 'wider' : 'narrower') ? 'compatible' : 'breaking';
}

function fitOf(keyword: string, was: unknown, is: unknown): Fit {
  if (is === undefined) return 'wider';
  if (was === undefined) return 'narrower';
  if (keyword === 'enum') return fitOfLists(listOf(was), listOf(is), isListed);
  if (keyword === 'type') return fitOfLists(listOf(was), listOf(is), isTypeIn);
  if (keyword === 'additionalProperties') return was === false ? 'wider' : 'narrower';
  if (/^min|^exclusiveMin/.test(keyword)) return Number(is) < Number(was) ? 'wider' : 'narrower';
  if (/^max|^exclusiveMax/.test(keyword)) return Number(is) > Number(was) ? 'wider' : 'narrower';
  return 'other';
}

/** Tells whether what a value stands for is part of what a list does; both are as canonical JSON. */
type Covers = (value: string, list: ReadonlySet<string>) => boolean;

/** In time linear in the lists, which servers may make long. */
function fitOfLists(was: readonly unknown[], is: readonly unknown[], covers: Covers): Fit {
  const [before, after] = [textsOf(was), textsOf(is)];
  const grows = [...before].every((value) => covers(value, after));
  const shrinks = [...after].every((value) => covers(value, before));
  if (grows) return shrinks ? 'same' : 'wider';
  return shrinks ? 'narrower' : 'other';
}

function textsOf(values: readonly unknown[]): ReadonlySet<string> {
  return new Set(values.map(canonicalJson));
}

const isListed: Covers = (value, list) => list.has(value);

const isTypeIn: Covers = (value, list) =>
  list.has(value) || (value === '"integer"' && list.has('"number"'));

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

/** The differences within what a schema is made of. */
function parts(before: JsonSchema, after: JsonSchema, place: Place): readonly SchemaChange[] {
  const items = { ...place, path: `${place.path}[]` };
  return [
    ...properties(before, after, place),
    ...compareAny(before['items'] ?? {}, after['items'] ?? {}, items),
    ...definitions(before, after, place),
    ...(['anyOf', 'oneOf', 'allOf'] as const).flatMap((keyword) => {
      const [was, is] = [before[keyword] ?? [], after[keyword] ?? []];
      if (keyword === 'allOf') return alternatives([listOf(was), listOf(is)], 'all', place);
      if (before[keyword] !== undefined && after[keyword] !== undefined) {
        return alternatives([listOf(was), listOf(is)], 'any', place);
      }
      if (before[keyword] === after[keyword]) return [];
      return [otherAlternatives(before[keyword] === undefined ? 'narrower' : 'wider', place)];
    }),
  ];
}

/** Schemas that others refer to; one that is new or gone shows where it is referred to. */
function definitions(before: JsonSchema, after: JsonSchema, place: Place): readonly SchemaChange[] {
  return ['$defs', 'definitions'].flatMap((keyword) => {
    const [was, is] = [recordOf(before[keyword]), recordOf(after[keyword])];
    return Object.keys(was).flatMap((name) =>
      Object.hasOwn(is, name)
        ? compareAny(was[name], is[name], { ...place, path: `${place.path}.${keyword}.${name}` })
        : [],
    );
  });
}

/** Lists of schemas of which a value must fit any, or all. In what order they are makes no difference. */
function alternatives(
  [was, is]: readonly [readonly unknown[], readonly unknown[]],
  must: 'any' | 'all',
  place: Place,
): readonly SchemaChange[] {
  const without = (some: readonly unknown[], others: readonly unknown[]): readonly unknown[] => {
    const texts = textsOf(others);
    return some.filter((schema) => !texts.has(canonicalJson(schema)));
  };
  const [gone, added] = [without(was, is), without(is, was)];
  if (gone.length === added.length) {
    return gone.flatMap((schema, index) => compareAny(schema, added[index], place));
  }
  if (gone.length > 0 && added.length > 0) return [otherAlternatives('other', place)];
  return [otherAlternatives(added.length > 0 === (must === 'any') ? 'wider' : 'narrower', place)];
}

function otherAlternatives(fit: Fit, { direction, path }: Place): SchemaChange {
  return { impact: impactOf(fit, direction), path, message: `${path}: other alternatives` };
}

function properties(before: JsonSchema, after: JsonSchema, place: Place): readonly SchemaChange[] {
  const [was, is] = [propertiesOf(before), propertiesOf(after)];
  const [wasRequired, isRequired] = [requiredOf(before), requiredOf(after)];
  const isInput = place.direction === 'input';
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((name) => {
    const path = `${place.path}.${name}`;
    const at = (impact: Impact, what: string): SchemaChange => ({
      impact,
      path,
      message: `${path}: ${what}`,
    });
    const demanded = isRequired.has(name);
    if (!is.has(name)) return [at('breaking', 'it is gone')];
    if (!was.has(name)) {
      const breaks = isInput && demanded;
      return [at(breaks ? 'breaking' : 'compatible', breaks ? 'new, and required' : 'new')];
    }
    const inner = compareAny(was.get(name), is.get(name), { ...place, path });
    if (wasRequired.has(name) === demanded) return inner;
    const what = demanded ? 'it is required now' : 'it is optional now';
    return [at(demanded === isInput ? 'breaking' : 'compatible', what), ...inner];
  });
}

/** Properties by name, also those that are only demanded. */
function propertiesOf(schema: JsonSchema): ReadonlyMap<string, unknown> {
  const demanded = [...requiredOf(schema)].map((name) => [name, {}] as const);
  return new Map<string, unknown>([...demanded, ...Object.entries(recordOf(schema['properties']))]);
}

function requiredOf({ required }: JsonSchema): ReadonlySet<string> {
  return new Set(Array.isArray(required) ? required.map(String) : []);
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}
