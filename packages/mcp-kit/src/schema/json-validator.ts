import type { Ajv2020 } from 'ajv/dist/2020.js';
import type { ErrorObject, Options, ValidateFunction } from 'ajv/dist/core.js';
import { KitError } from '#base';
import { isRecord } from '#jsonrpc';
import type { JsonSchema } from '#protocol';
import { firstDuplicate } from './duplicates.ts';
import { hasAtLeast, hasAtMost } from './string-length.ts';
import type { Dialect, SchemaFacts } from './json-schema.ts';
import type { Violation } from './violation.ts';

type Ajv = Pick<Ajv2020, 'addKeyword' | 'compile' | 'removeKeyword' | 'removeSchema'>;
type AjvClass = new (options: Options) => Ajv;

/** Where each dialect is, which the manifest of whatever package this is part of says. */
const modules: Readonly<Record<Dialect, string>> = {
  '2020-12': '#ajv/2020',
  '2019-09': '#ajv/2019',
  'draft-07': '#ajv/ajv',
};

const options: Options = {
  strict: false,
  strictNumbers: true,
  // One error is enough for an answer, and a million wrong elements cost no more than one.
  allErrors: false,
  validateFormats: false,
  // Schemas are inspected when they are defined; ajv would first compile the schema of schemas.
  validateSchema: false,
  // `constructor` and the like are ordinary names.
  ownProperties: true,
  verbose: true,
  logger: false,
};

const shared = new Map<Dialect, Ajv>();
const compiled = new WeakMap<JsonSchema, ValidateFunction>();

/** Loads the validator of the default dialect ahead of the first check. */
export function warmValidator(): void {
  sharedAjv('2020-12');
}

/** The validator of an inspected schema, compiled once per schema object. */
export function validatorOf(
  schema: JsonSchema,
  { dialect, hasIds }: SchemaFacts,
): ValidateFunction {
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  // Names are global within an instance, and two schemas may use the same.
  const ajv = hasIds ? createAjv(dialect) : sharedAjv(dialect);
  const validate = compile(ajv, schema);
  // The instance would keep every schema it ever saw.
  ajv.removeSchema(schema);
  compiled.set(schema, validate);
  return validate;
}

function compile(ajv: Ajv, schema: JsonSchema): ValidateFunction {
  try {
    return ajv.compile(schema);
  } catch (cause) {
    if (!(cause instanceof EvalError)) throw cause;
    throw new KitError('invalid_argument', 'this runtime does not let JSON Schema be compiled', {
      hint: 'Define the tool with a Standard Schema, such as one of zod.',
      cause,
    });
  }
}

const maxErrors = 200;

/** What ajv found wrong with a value; the last is the outermost. */
export function violationsOf(errors: readonly ErrorObject[], value: unknown): readonly Violation[] {
  return errors
    .slice(-maxErrors)
    .map((error) => ({ ...error, steps: stepsOf(error.instancePath, value) }));
}

/** The names and indexes of a JSON pointer into `value`. */
function stepsOf(pointer: string, value: unknown): readonly PropertyKey[] {
  let holder = value;
  return pointer
    .split('/')
    .slice(1)
    .map((token) => {
      const name = token.replaceAll('~1', '/').replaceAll('~0', '~');
      const step = Array.isArray(holder) ? Number(name) : name;
      holder = isRecord(holder) || Array.isArray(holder) ? Reflect.get(holder, step) : undefined;
      return step;
    });
}

function sharedAjv(dialect: Dialect): Ajv {
  const ajv = shared.get(dialect) ?? createAjv(dialect);
  shared.set(dialect, ajv);
  return ajv;
}

function createAjv(dialect: Dialect): Ajv {
  // Loaded no earlier than needed, as it takes longer than all the rest; each of these modules is the class itself.
  const { createRequire } = process.getBuiltinModule('node:module');
  const AjvOfDialect = createRequire(import.meta.url)(modules[dialect]) as AjvClass;
  const ajv = new AjvOfDialect(options);
  // To ajv an error; to JSON Schema a keyword like any other it does not know.
  ajv.removeKeyword('id');
  // The built-in one compares each item with each other.
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    compile: (wanted: boolean) => (items: readonly unknown[]) =>
      !wanted || firstDuplicate(items) === undefined,
  });
  // The built-in ones walk the whole text, however long, to count pairs of units as one. A text that is too long is not
  // held against a pattern.
  addLimit(ajv, 'minLength', hasAtLeast);
  addLimit(ajv, 'maxLength', hasAtMost);
  return ajv;
}

function addLimit(
  ajv: Ajv,
  keyword: string,
  holds: (text: string, limit: number) => boolean,
): void {
  ajv.removeKeyword(keyword);
  ajv.addKeyword({
    keyword,
    before: 'pattern',
    type: 'string',
    schemaType: 'number',
    compile: (limit: number) => (text: string) => holds(text, limit),
  });
}
