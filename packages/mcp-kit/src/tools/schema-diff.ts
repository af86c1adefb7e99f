import { canonicalJson } from '#base';
import { isRecord } from '#jsonrpc';
import type { JsonSchema } from '#protocol';

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

const textKeywords = new Set(['description', 'title', 'examples', '$comment', 'default']);

/** How two schemas of arguments, or of answers, differ to those who send or read them. */
export function schemaChanges(
  before: JsonSchema,
  after: JsonSchema,
  direction: Direction,
): readonly SchemaChange[] {
  return compare(before, after, { direction, path: direction });
}

interface Place {
  readonly direction: Direction;
  readonly path: string;
}

function compare(before: JsonSchema, after: JsonSchema, place: Place): readonly SchemaChange[] {
  if (canonicalJson(before) === canonicalJson(after)) return [];
  const inner = [
    ...properties(before, after, place),
    ...within('items', { before, after, place }),
    ...branches(before, after, place),
  ];
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  const own = [...names].flatMap((keyword) => {
    if (structural.has(keyword)) return [];
    const [was, is] = [before[keyword], after[keyword]];
    if (canonicalJson(was) === canonicalJson(is)) return [];
    const message = `${place.path}: ${keyword} ${show(was)} → ${show(is)}`;
    return [{ impact: impactOf(keyword, [was, is], place.direction), path: place.path, message }];
  });
  return [...own, ...inner];
}

const structural = new Set(['properties', 'required', 'items', 'anyOf', 'oneOf', 'allOf']);

/** Whether values that were allowed are allowed no more, and whether some are that were not. */
function impactOf(
  keyword: string,
  [was, is]: readonly [unknown, unknown],
  direction: Direction,
): Impact {
  if (textKeywords.has(keyword)) return 'cosmetic';
  const wider = isWider(keyword, was, is);
  if (wider === undefined) return 'breaking';
  return wider === (direction === 'input') ? 'compatible' : 'breaking';
}

/** True when more fits than before, false when less does; nothing when that cannot be told. */
function isWider(keyword: string, was: unknown, is: unknown): boolean | undefined {
  if (is === undefined) return true;
  if (was === undefined) return false;
  if (keyword === 'enum' || keyword === 'type') return subset(listOf(was), listOf(is));
  if (keyword === 'additionalProperties') return is !== false;
  if (/^min|^exclusiveMin/.test(keyword)) return Number(is) < Number(was);
  if (/^max|^exclusiveMax/.test(keyword)) return Number(is) > Number(was);
  return undefined;
}

/** True: all of the first are in the second. False: the other way round. Nothing: neither. */
function subset(some: readonly unknown[], all: readonly unknown[]): boolean | undefined {
  const holds = (few: readonly unknown[], many: readonly unknown[]): boolean =>
    few.every((value) => many.some((other) => canonicalJson(other) === canonicalJson(value)));
  if (holds(some, all)) return true;
  return holds(all, some) ? false : undefined;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

function properties(before: JsonSchema, after: JsonSchema, place: Place): readonly SchemaChange[] {
  const [was, is] = [propertiesOf(before), propertiesOf(after)];
  const [wasRequired, isRequired] = [requiredOf(before), requiredOf(after)];
  const isInput = place.direction === 'input';
  return [...new Set([...Object.keys(was), ...Object.keys(is)])].flatMap((name) => {
    const path = `${place.path}.${name}`;
    const at = (impact: Impact, what: string): SchemaChange => ({
      impact,
      path,
      message: `${path}: ${what}`,
    });
    const [old, present] = [was[name], is[name]];
    if (present === undefined) return [at('breaking', 'it is gone')];
    if (old === undefined) {
      const demanded = isInput && isRequired.has(name);
      return [at(demanded ? 'breaking' : 'compatible', demanded ? 'new, and required' : 'new')];
    }
    const demand =
      wasRequired.has(name) === isRequired.has(name)
        ? []
        : [
            at(
              isRequired.has(name) === isInput ? 'breaking' : 'compatible',
              isRequired.has(name) ? 'it is required now' : 'it is optional now',
            ),
          ];
    return [...demand, ...compareAny(old, present, { ...place, path })];
  });
}

function within(
  keyword: string,
  pair: { readonly before: JsonSchema; readonly after: JsonSchema; readonly place: Place },
): readonly SchemaChange[] {
  const { before, after, place } = pair;
  const [was, is] = [before[keyword], after[keyword]];
  return compareAny(was ?? {}, is ?? {}, { ...place, path: `${place.path}[]` });
}

/** Alternatives by their place; one more widens, one less narrows. */
function branches(before: JsonSchema, after: JsonSchema, place: Place): readonly SchemaChange[] {
  return ['anyOf', 'oneOf', 'allOf'].flatMap((keyword) => {
    const [was, is] = [before[keyword], after[keyword]];
    if (canonicalJson(was) === canonicalJson(is)) return [];
    if (!Array.isArray(was) || !Array.isArray(is) || was.length !== is.length) {
      return [
        { impact: 'breaking', path: place.path, message: `${place.path}: other alternatives` },
      ] as const;
    }
    return was.flatMap((each, index) => compareAny(each, is[index], place));
  });
}

function compareAny(before: unknown, after: unknown, place: Place): readonly SchemaChange[] {
  if (isRecord(before) && isRecord(after)) return compare(before, after, place);
  if (canonicalJson(before) === canonicalJson(after)) return [];
  return [{ impact: 'breaking', path: place.path, message: `${place.path}: it is another schema` }];
}

function propertiesOf({ properties: all }: JsonSchema): Readonly<Record<string, unknown>> {
  return isRecord(all) ? all : {};
}

function requiredOf({ required }: JsonSchema): ReadonlySet<unknown> {
  return new Set(Array.isArray(required) ? required : []);
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length <= 40 ? text : `${text.slice(0, 40)}…`;
}
