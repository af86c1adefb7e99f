import { firstDuplicate } from '../duplicates.ts';
import {
  both,
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

type OfArray = (run: Run, schema: Part, value: readonly unknown[]) => Fit;

/** Keywords about the items of arrays. */
export const arrayKeywords: Readonly<Record<string, Keyword>> = {
  minItems: size('minItems', (count, limit) => count >= limit),
  maxItems: size('maxItems', (count, limit) => count <= limit),
  uniqueItems: ofArray((run, schema, value) => {
    if (schema['uniqueItems'] !== true) return true;
    spendWhole(run, value);
    const isUnique = firstDuplicate(value) === undefined;
    return isUnique || violated(run, { keyword: 'uniqueItems', schema, value });
  }),
  prefixItems: ofArray((run, schema, value) => tuple(run, schema['prefixItems'], value)),
  items: ofArray((run, schema, value) => {
    const { items } = schema;
    if (Array.isArray(items)) return tuple(run, items, value);
    return rest(run, { schema: items, from: tupleLength(run, schema) }, value);
  }),
  // Without a tuple before them there are no further items.
  additionalItems: ofArray((run, { items, additionalItems }, value) =>
    Array.isArray(items) ? rest(run, { schema: additionalItems, from: items.length }, value) : true,
  ),
  contains: ofArray((run, schema, value) => {
    const { minContains = 1, maxContains = Infinity } = run.dialect === 'draft-07' ? {} : schema;
    let sure = 0;
    let possible = 0;
    for (const item of value) {
      const fit = checkQuietly(run, schema['contains'], item);
      if (fit === true) sure += 1;
      if (fit !== false) possible += 1;
    }
    if (possible < Number(minContains) || sure > Number(maxContains)) {
      return violated(run, { keyword: 'contains', schema, value });
    }
    return sure >= Number(minContains) && possible <= Number(maxContains) ? true : undefined;
  }),
};

/** How many items have a schema of their own before those that share one. */
export function tupleLength({ dialect }: Run, { prefixItems }: Part): number {
  return dialect === '2020-12' && Array.isArray(prefixItems) ? prefixItems.length : 0;
}

function ofArray(check: OfArray): Keyword {
  return (run, schema, value) => (Array.isArray(value) ? check(run, schema, value) : true);
}

function size(keyword: string, holds: (count: number, limit: number) => boolean): Keyword {
  return ofArray(
    (run, schema, value) =>
      holds(value.length, Number(schema[keyword])) || violated(run, { keyword, schema, value }),
  );
}

function tuple(run: Run, schemas: unknown, value: readonly unknown[]): Fit {
  const list: readonly unknown[] = Array.isArray(schemas) ? schemas : [];
  let fit: Fit = true;
  for (let at = 0; at < Math.min(list.length, value.length); at += 1) {
    fit = both(fit, checkAt(run, at, { schema: list[at], value: value[at] }));
    if (fit === false) return false;
  }
  return fit;
}

function rest(
  run: Run,
  { schema, from }: { readonly schema: unknown; readonly from: number },
  value: readonly unknown[],
): Fit {
  let fit: Fit = true;
  for (let at = from; at < value.length; at += 1) {
    fit = both(fit, checkAt(run, at, { schema, value: value[at] }));
    if (fit === false) return false;
  }
  return fit;
}

/** Pays for writing down all of a value. */
function spendWhole(run: Run, value: unknown): void {
  spend(run, typeof value === 'string' ? 2 + (value.length >> 4) : 2);
  for (const name of namesOf(run, value)) {
    spend(run, 2 + (name.length >> 4));
    spendWhole(run, Reflect.get(Object(value), name));
  }
}
