import type { Dialect } from '../json-schema.ts';
import type { Violation } from '../violation.ts';

/** Whether a value fits; undefined where that cannot be told, as where a pattern would have to be run. */
export type Fit = boolean | undefined;

/** A schema with keywords. */
export type Part = Readonly<Record<string, unknown>>;

/** What a keyword of a schema says about a value. */
export type Keyword = (run: Run, schema: Part, value: unknown) => Fit;

/** One check of a value: what it may still cost, and what it has found. */
export interface Run {
  readonly dialect: Dialect;
  /** What the `$ref` of a schema leads to. */
  readonly targets: ReadonlyMap<object, unknown>;
  readonly violations: Violation[];
  /** Names and indexes that lead to the value that is looked at. */
  readonly path: PropertyKey[];
  stepsLeft: number;
  depth: number;
  check(schema: unknown, value: unknown): Fit;
}

/** The check has cost what it may cost. */
export class Spent extends Error {}

/** Counts work that is about to be done; what is a loop elsewhere is bounded by this. */
export function spend(run: Run, steps: number): void {
  run.stepsLeft -= steps;
  if (run.stepsLeft < 0) throw new Spent();
}

/** The names of the properties of an object; none where it is no object. */
export function namesOf(run: Run, value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  const names = Object.keys(value);
  // Of very many, the engine first has to find the order.
  spend(run, names.length > 1000 ? names.length * 4 : names.length);
  return names;
}

/** Schemas within schemas; references may lead round in circles. */
const maxDepth = 1000;

/** Goes one schema deeper. */
export function descend(run: Run): void {
  run.depth += 1;
  if (run.depth > maxDepth) throw new Spent();
}

/** Checks what is found in the value under a name or an index. */
export function checkAt(
  run: Run,
  step: PropertyKey,
  { schema, value }: { readonly schema: unknown; readonly value: unknown },
): Fit {
  run.path.push(step);
  const fit = run.check(schema, value);
  run.path.pop();
  return fit;
}

/** Checks without keeping what is wrong: an alternative that was not meant is no fault. */
export function checkQuietly(run: Run, schema: unknown, value: unknown): Fit {
  const kept = run.violations.length;
  const fit = run.check(schema, value);
  run.violations.length = Math.min(run.violations.length, kept);
  return fit;
}

const maxViolations = 200;

/** Keeps what is wrong, and says so. */
export function violated(
  run: Run,
  {
    schema,
    value,
    ...rest
  }: Pick<Violation, 'keyword'> & {
    readonly schema: Part;
    readonly value: unknown;
    readonly params?: Violation['params'] | undefined;
  },
): false {
  const { keyword, params = {} } = rest;
  const { violations } = run;
  const found: Violation = {
    keyword,
    steps: [...run.path],
    schema: schema[keyword],
    parentSchema: schema,
    data: value,
    params,
    message: `does not fit "${keyword}"`,
  };
  // The outermost is the last one, and always kept.
  if (violations.length < maxViolations) violations.push(found);
  else violations[violations.length - 1] = found;
  return false;
}

/** Whether a whole fits whose parts must all fit. */
export function both(one: Fit, other: Fit): Fit {
  if (one === false || other === false) return false;
  return one === undefined || other === undefined ? undefined : true;
}
