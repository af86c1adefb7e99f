import { isRecord } from '#jsonrpc';
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

type OfObject = (run: Run, schema: Part, value: Readonly<Record<string, unknown>>) => Fit;

/** Keywords about the properties of objects. */
export const objectKeywords: Readonly<Record<string, Keyword>> = {
  required: ofObject((run, schema, value) =>
    requires(run, { keyword: 'required', schema, value, names: schema['required'] }),
  ),
  minProperties: size('minProperties', (count, limit) => count >= limit),
  maxProperties: size('maxProperties', (count, limit) => count <= limit),
  properties: ofObject((run, { properties }, value) => {
    let fit: Fit = true;
    for (const name of namesOf(run, properties)) {
      if (!Object.hasOwn(value, name)) continue;
      const schema = Reflect.get(Object(properties), name);
      fit = both(fit, checkAt(run, name, { schema, value: value[name] }));
      if (fit === false) return false;
    }
    return fit;
  }),
  // Which names they are about is not known without running them.
  patternProperties: ofObject((run, { patternProperties }, value) =>
    namesOf(run, patternProperties).length > 0 && namesOf(run, value).length > 0 ? undefined : true,
  ),
  additionalProperties: ofObject((run, schema, value) => {
    const { properties = {}, patternProperties, additionalProperties: rest } = schema;
    if (rest === true) return true;
    const hasPatterns = namesOf(run, patternProperties).length > 0;
    let fit: Fit = true;
    for (const name of namesOf(run, value)) {
      if (Object.hasOwn(Object(properties), name)) continue;
      if (hasPatterns) return undefined;
      if (rest === false) {
        const params = { additionalProperty: name };
        return violated(run, { keyword: 'additionalProperties', schema, value, params });
      }
      fit = both(fit, checkAt(run, name, { schema: rest, value: value[name] }));
      if (fit === false) return false;
    }
    return fit;
  }),
  propertyNames: ofObject((run, schema, value) => {
    let fit: Fit = true;
    for (const name of namesOf(run, value)) {
      fit = both(fit, checkQuietly(run, schema['propertyNames'], name));
      if (fit !== false) continue;
      const params = { propertyName: name };
      return violated(run, { keyword: 'propertyNames', schema, value, params });
    }
    return fit;
  }),
  dependentRequired: dependentNames('dependentRequired'),
  dependentSchemas: dependentSchemas('dependentSchemas'),
  dependencies: (run, schema, value) => {
    const fit = dependentNames('dependencies')(run, schema, value);
    return fit && dependentSchemas('dependencies')(run, schema, value);
  },
};

function ofObject(check: OfObject): Keyword {
  return (run, schema, value) => (isRecord(value) ? check(run, schema, value) : true);
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
): Fit {
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
    let fit: Fit = true;
    for (const trigger of namesOf(run, schema[keyword])) {
      const wanted: unknown = Reflect.get(Object(schema[keyword]), trigger);
      if (Array.isArray(wanted) || !Object.hasOwn(value, trigger)) continue;
      fit = both(fit, run.check(wanted, value));
      if (fit === false) return false;
    }
    return fit;
  });
}
