import { isRecord } from '#jsonrpc';
import {
  both,
  judgeAt,
  judgeQuietly,
  namesOf,
  spend,
  violated,
  type Keyword,
  type Part,
  type Run,
  type Verdict,
} from './run.ts';

type OfObject = (run: Run, schema: Part, value: Readonly<Record<string, unknown>>) => Verdict;

/** Keywords about the properties of objects. */
export const objectKeywords: Readonly<Record<string, Keyword>> = {
  required: ofObject((run, schema, value) =>
    requires(run, { keyword: 'required', schema, value, names: schema['required'] }),
  ),
  minProperties: size('minProperties', (count, limit) => count >= limit),
  maxProperties: size('maxProperties', (count, limit) => count <= limit),
  properties: ofObject((run, { properties }, value) => {
    let verdict: Verdict = true;
    for (const name of namesOf(run, properties)) {
      if (!Object.hasOwn(value, name)) continue;
      const schema = Reflect.get(Object(properties), name);
      verdict = both(verdict, judgeAt(run, name, { schema, value: value[name] }));
      if (verdict === false) return false;
    }
    return verdict;
  }),
  // Which names they are about is not known without running them.
  patternProperties: ofObject((run, { patternProperties }, value) =>
    namesOf(run, patternProperties).length > 0 && namesOf(run, value).length > 0 ? undefined : true,
  ),
  additionalProperties: ofObject((run, schema, value) => {
    const { properties = {}, patternProperties, additionalProperties: rest } = schema;
    if (rest === true) return true;
    const hasPatterns = namesOf(run, patternProperties).length > 0;
    let verdict: Verdict = true;
    for (const name of namesOf(run, value)) {
      if (Object.hasOwn(Object(properties), name)) continue;
      if (hasPatterns) return undefined;
      if (rest === false) {
        const params = { additionalProperty: name };
        return violated(run, { keyword: 'additionalProperties', schema, value, params });
      }
      verdict = both(verdict, judgeAt(run, name, { schema: rest, value: value[name] }));
      if (verdict === false) return false;
    }
    return verdict;
  }),
  propertyNames: ofObject((run, schema, value) => {
    let verdict: Verdict = true;
    for (const name of namesOf(run, value)) {
      verdict = both(verdict, judgeQuietly(run, schema['propertyNames'], name));
      if (verdict !== false) continue;
      const params = { propertyName: name };
      return violated(run, { keyword: 'propertyNames', schema, value, params });
    }
    return verdict;
  }),
  dependentRequired: dependentNames('dependentRequired'),
  dependentSchemas: dependentSchemas('dependentSchemas'),
  dependencies: (run, schema, value) => {
    const verdict = dependentNames('dependencies')(run, schema, value);
    return verdict && dependentSchemas('dependencies')(run, schema, value);
  },
};

function ofObject(judge: OfObject): Keyword {
  return (run, schema, value) => (isRecord(value) ? judge(run, schema, value) : true);
}

function size(keyword: string, holds: (count: number, limit: number) => boolean): Keyword {
  return ofObject((run, schema, value) => {
    const count = namesOf(run, value).length;
    return holds(count, Number(schema[keyword])) || violated(run, { keyword, schema, value });
  });
}

/** Whether an object has all properties of a list. */
function requires(
  run: Run,
  place: {
    readonly keyword: string;
    readonly schema: Part;
    readonly value: Readonly<Record<string, unknown>>;
    readonly names: unknown;
  },
): Verdict {
  const { names, ...rest } = place;
  for (const name of Array.isArray(names) ? names : []) {
    spend(run, 1);
    if (Object.hasOwn(place.value, String(name))) continue;
    return violated(run, { ...rest, params: { missingProperty: name } });
  }
  return true;
}

/** Where one property wants others beside it. */
function dependentNames(keyword: string): Keyword {
  return ofObject((run, schema, value) => {
    for (const trigger of namesOf(run, schema[keyword])) {
      if (!Object.hasOwn(value, trigger)) continue;
      const names = Reflect.get(Object(schema[keyword]), trigger);
      if (requires(run, { keyword, schema, value, names }) === false) return false;
    }
    return true;
  });
}

/** Where one property wants the whole to fit another schema. */
function dependentSchemas(keyword: string): Keyword {
  return ofObject((run, schema, value) => {
    let verdict: Verdict = true;
    for (const trigger of namesOf(run, schema[keyword])) {
      const wanted: unknown = Reflect.get(Object(schema[keyword]), trigger);
      if (Array.isArray(wanted) || !Object.hasOwn(value, trigger)) continue;
      verdict = both(verdict, run.judge(wanted, value));
      if (verdict === false) return false;
    }
    return verdict;
  });
}
