import { isRecord } from '#jsonrpc';
import { tupleLength } from './arrays.ts';
import {
  both,
  descend,
  checkAt,
  checkQuietly,
  namesOf,
  spend,
  violated,
  type Keyword,
  type Part,
  type Run,
  type Fit,
} from './run.ts';

/** Which properties or items of a value some schema has spoken of. */
interface Seen {
  readonly keys: Set<PropertyKey>;
  /** Items up to here. */
  upTo: number;
  all: boolean;
  /** It cannot be told whether there are more. */
  unsure: boolean;
}

/** What a schema itself, without those it refers to, speaks of. */
type Look = (
  run: Run,
  place: { readonly schema: Part; readonly value: unknown },
  seen: Seen,
) => void;

/** Keywords about what no other one has spoken of. */
export const unevaluatedKeywords: Readonly<Record<string, Keyword>> = {
  unevaluatedProperties: (run, schema, value) => {
    if (!isRecord(value)) return true;
    const seen = lookFrom(run, { schema, value }, lookAtProperties);
    const left = namesOf(run, value).filter((name) => !seen.all && !seen.keys.has(name));
    return checkLeft(run, { schema, value, left, seen, keyword: 'unevaluatedProperties' });
  },
  unevaluatedItems: (run, schema, value) => {
    if (!Array.isArray(value)) return true;
    const seen = lookFrom(run, { schema, value }, lookAtItems);
    spend(run, value.length);
    const left = seen.all
      ? []
      : [...value.keys()].filter((at) => at >= seen.upTo && !seen.keys.has(at));
    return checkLeft(run, { schema, value, left, seen, keyword: 'unevaluatedItems' });
  },
};

function checkLeft(
  run: Run,
  place: {
    readonly keyword: string;
    readonly schema: Part;
    readonly value: object;
    readonly left: readonly PropertyKey[];
    readonly seen: Seen;
  },
): Fit {
  const { keyword, schema, value, left, seen } = place;
  const [first] = left;
  if (first === undefined) return true;
  if (seen.unsure) return undefined;
  if (schema[keyword] === false) {
    return violated(run, { keyword, schema, value, params: { unevaluatedProperty: first } });
  }
  let fit: Fit = true;
  for (const key of left) {
    const part: unknown = Reflect.get(value, key);
    fit = both(fit, checkAt(run, key, { schema: schema[keyword], value: part }));
    if (fit === false) return false;
  }
  return fit;
}

const lookAtProperties: Look = (run, { schema, value }, seen) => {
  const { properties, patternProperties, additionalProperties } = schema;
  for (const name of namesOf(run, properties)) {
    if (Object.hasOwn(Object(value), name)) seen.keys.add(name);
  }
  if (namesOf(run, patternProperties).length > 0) seen.unsure = true;
  if (additionalProperties !== undefined) seen.all = true;
};

const lookAtItems: Look = (run, { schema, value }, seen) => {
  const { items, additionalItems, contains } = schema;
  const isTuple = Array.isArray(items);
  seen.upTo = Math.max(seen.upTo, isTuple ? items.length : tupleLength(run, schema));
  if (isTuple ? additionalItems !== undefined : items !== undefined) seen.all = true;
  if (contains === undefined || run.dialect !== '2020-12' || !Array.isArray(value)) return;
  for (const [at, item] of value.entries()) {
    const fits = checkQuietly(run, contains, item);
    if (fits === true) seen.keys.add(at);
    if (fits === undefined) seen.unsure = true;
  }
};

/** All that a schema, and those that it holds against the same value, speak of. */
function lookFrom(
  run: Run,
  place: { readonly schema: Part; readonly value: unknown },
  look: Look,
): Seen {
  const seen: Seen = { keys: new Set(), upTo: 0, all: false, unsure: false };
  const keyword = look === lookAtItems ? 'unevaluatedItems' : 'unevaluatedProperties';
  const { value } = place;
  const through = (schema: unknown): void => {
    if (!isRecord(schema)) return;
    if (schema[keyword] !== undefined) seen.all = true;
    else within(schema);
  };
  const within = (schema: Part): void => {
    spend(run, 25);
    descend(run);
    look(run, { schema, value }, seen);
    for (const inner of applied(run, { schema, value }, seen)) through(inner);
    run.depth -= 1;
  };
  within(place.schema);
  return seen;
}

/** The schemas that apply to the same value as this one. */
function applied(
  run: Run,
  { schema, value }: { readonly schema: Part; readonly value: unknown },
  seen: Seen,
): readonly unknown[] {
  const { allOf, anyOf, oneOf } = schema;
  const found: unknown[] = Array.isArray(allOf) ? [...allOf] : [];
  spend(run, found.length);
  const fits = (branch: unknown): boolean => {
    const fit = checkQuietly(run, branch, value);
    if (fit === undefined) seen.unsure = true;
    return fit === true;
  };
  for (const branches of [anyOf, oneOf]) {
    if (!Array.isArray(branches)) continue;
    for (const branch of branches) if (fits(branch)) found.push(branch);
  }
  for (const keyword of ['dependentSchemas', 'dependencies']) {
    for (const name of namesOf(run, schema[keyword])) {
      if (isRecord(value) && Object.hasOwn(value, name)) {
        found.push(Reflect.get(Object(schema[keyword]), name));
      }
    }
  }
  if (schema['if'] !== undefined) {
    if (fits(schema['if'])) found.push(schema['if'], schema['then']);
    else found.push(schema['else']);
  }
  found.push(run.targets.get(schema));
  if (leadsElsewhere(run, schema)) seen.unsure = true;
  return found;
}

/** Whether a schema refers to one that is not known here. */
function leadsElsewhere(run: Run, schema: Part): boolean {
  const { $ref, $dynamicRef, $recursiveRef } = schema;
  const isUnknown = $ref !== undefined && !run.targets.has(schema);
  return isUnknown || ($dynamicRef ?? $recursiveRef) !== undefined;
}
