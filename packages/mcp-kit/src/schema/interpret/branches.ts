import {
  both,
  checkQuietly,
  spend,
  violated,
  type Keyword,
  type Part,
  type Run,
  type Fit,
} from './run.ts';

/** Keywords that hold a value against other schemas. */
export const branchKeywords: Readonly<Record<string, Keyword>> = {
  // What is not a part of the whole is not known.
  $ref: (run, schema, value) => {
    spend(run, 3);
    const target = run.targets.get(schema);
    return target === undefined ? undefined : run.check(target, value);
  },
  // Where it leads depends on how one came there.
  $dynamicRef: () => undefined,
  $recursiveRef: () => undefined,
  allOf: (run, { allOf }, value) => {
    let fit: Fit = true;
    for (const schema of listOf(allOf)) {
      fit = both(fit, run.check(schema, value));
      if (fit === false) return false;
    }
    return fit;
  },
  anyOf: (run, schema, value) => {
    const kept = run.violations.length;
    let fit: Fit = false;
    for (const branch of listOf(schema['anyOf'])) {
      const fits = run.check(branch, value);
      if (fits !== false) fit = fits;
      if (fits === true) break;
    }
    return summedUp(run, { keyword: 'anyOf', schema, value, kept }, fit);
  },
  oneOf: (run, schema, value) => {
    const kept = run.violations.length;
    let sure = 0;
    let possible = 0;
    for (const branch of listOf(schema['oneOf'])) {
      const fits = run.check(branch, value);
      if (fits === true) sure += 1;
      if (fits !== false) possible += 1;
      if (sure <= 1) continue;
      forget(run, kept);
      const params = { passingSchemas: true };
      return violated(run, { keyword: 'oneOf', schema, value, params });
    }
    const fit = possible === 0 ? false : possible === 1 && sure === 1 ? true : undefined;
    return summedUp(run, { keyword: 'oneOf', schema, value, kept }, fit);
  },
  not: (run, schema, value) => {
    const fits = checkQuietly(run, schema['not'], value);
    if (fits === undefined) return undefined;
    return !fits || violated(run, { keyword: 'not', schema, value });
  },
  if: (run, schema, value) => {
    const holds = checkQuietly(run, schema['if'], value);
    if (holds === undefined) return undefined;
    const next = schema[holds ? 'then' : 'else'];
    return next === undefined ? true : run.check(next, value);
  },
};

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function forget(run: Run, kept: number): void {
  run.violations.length = Math.min(run.violations.length, kept);
}

/** A union's faults are worth telling only where no branch fits. */
function summedUp(
  run: Run,
  place: {
    readonly keyword: string;
    readonly schema: Part;
    readonly value: unknown;
    readonly kept: number;
  },
  fit: Fit,
): Fit {
  const { kept, ...violation } = place;
  if (fit === false) return violated(run, violation);
  forget(run, kept);
  return fit;
}
