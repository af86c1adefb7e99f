import { isRecord } from '#jsonrpc';
import type { Dialect, SchemaFacts } from '../json-schema.ts';
import type { Violation } from '../violation.ts';
import { arrayKeywords } from './arrays.ts';
import { branchKeywords } from './branches.ts';
import { objectKeywords } from './objects.ts';
import { descend, spend, Spent, violated, type Keyword, type Run, type Fit } from './run.ts';
import { scalarKeywords } from './scalars.ts';
import { unevaluatedKeywords } from './unevaluated.ts';

/** What came of a check; `spent`: it would have cost more than it may. */
export type Interpreted =
  | { readonly fit: Fit; readonly violations: readonly Violation[] }
  | 'spent';

/**
 * A check is one turn of the event loop, and a step is up to 100 ns before the engine has made the code fast. Results of
 * thousands of objects are checked to the end.
 */
const maxSteps = 400_000;

/** In the order in which a value is held against them: what says most about it comes first, what needs the others last. */
const keywords: ReadonlyMap<string, Keyword> = new Map(
  Object.entries({
    ...scalarKeywords,
    ...branchKeywords,
    ...arrayKeywords,
    ...objectKeywords,
    ...unevaluatedKeywords,
  }),
);
const order: readonly string[] = [...keywords.keys()];

/** Keywords that a dialect does not have. */
const unknownTo: Readonly<Record<Dialect, ReadonlySet<string>>> = {
  '2020-12': new Set(['additionalItems', '$recursiveRef']),
  '2019-09': new Set(['prefixItems', '$dynamicRef']),
  'draft-07': new Set([
    'prefixItems',
    'dependentRequired',
    'dependentSchemas',
    'unevaluatedItems',
    'unevaluatedProperties',
    '$dynamicRef',
    '$recursiveRef',
  ]),
};

/** Checks values against a schema that was inspected, keyword by keyword, in a bounded number of steps. */
export function interpreterOf(
  schema: unknown,
  { dialect, targets }: SchemaFacts,
): (value: unknown) => Interpreted {
  const plans = new Map<object, readonly Keyword[]>();
  const planOf = (part: Readonly<Record<string, unknown>>): readonly Keyword[] => {
    const known = plans.get(part);
    if (known !== undefined) return known;
    // In the oldest dialect a reference stands for the whole schema.
    const names = dialect === 'draft-07' && '$ref' in part ? ['$ref'] : Object.keys(part);
    const plan = names
      .filter((name) => keywords.has(name) && !unknownTo[dialect].has(name))
      .toSorted((a, b) => order.indexOf(a) - order.indexOf(b))
      .flatMap((name) => keywords.get(name) ?? []);
    plans.set(part, plan);
    return plan;
  };
  return (value) => {
    const run: Run = {
      dialect,
      targets,
      violations: [],
      path: [],
      stepsLeft: maxSteps,
      depth: 0,
      check: (part, of) => {
        spend(run, 2);
        if (part === false) {
          return violated(run, { keyword: 'false schema', schema: {}, value: of });
        }
        if (!isRecord(part)) return true;
        descend(run);
        let fit: Fit = true;
        for (const keyword of planOf(part)) {
          spend(run, 1);
          const fits = keyword(run, part, of);
          if (fits === true) continue;
          fit = fits;
          if (fits === false) break;
        }
        run.depth -= 1;
        return fit;
      },
    };
    try {
      return { fit: run.check(schema, value), violations: run.violations };
    } catch (error) {
      if (error instanceof Spent) return 'spent';
      throw error;
    }
  };
}
