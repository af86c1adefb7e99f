import { chain, KitError, type MaybePromise } from '#base';
import type { JsonSchema } from '#protocol';
import { interpreterOf } from './interpret/interpret.ts';
import { toIssue, type Issue } from './issue.ts';
import { toIssues } from './json-issues.ts';
import { inspectJsonSchema, type SchemaFacts } from './json-schema.ts';
import { validatorOf, violationsOf } from './json-validator.ts';
import {
  isStandardSchema,
  type StandardIssue,
  type StandardProperties,
  type StandardResult,
  type StandardSchema,
} from './standard-schema.ts';

/** What describes a value: a schema of any Standard Schema library (zod, arktype, …), or plain JSON Schema. */
export type AnySchema = StandardSchema | JsonSchema;

/** A schema made ready: what to publish, and how to check. */
export interface CompiledSchema {
  /** A plain JSON Schema is published as it is, whatever keywords it has. */
  readonly json: JsonSchema;
  check(value: unknown): MaybePromise<Checked>;
}

/** A value that fits, as the schema made it, or what is wrong with it. */
export type Checked =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/** What a schema is for. */
export interface CompileOptions {
  /** What the schema belongs to, for messages: `input of tool search`. */
  readonly subject: string;
  readonly direction: 'input' | 'output';
}

/** Makes a schema ready to publish and to check; one that cannot be is a `KitError`. */
export function compileSchema(schema: AnySchema, options: CompileOptions): CompiledSchema {
  if (!isStandardSchema(schema)) {
    return { json: schema, check: jsonCheck(schema, inspect(schema, options)) };
  }
  const standard = schema['~standard'];
  const json = publishable(standard, options);
  inspect(json, options);
  return { json, check: standardCheck(standard) };
}

/** Gives a Standard Schema without JSON Schema support (valibot, …) the JSON Schema to publish for it. */
export function withJsonSchema<Input, Output>(
  schema: StandardSchema<Input, Output>,
  json: JsonSchema,
): StandardSchema<Input, Output> {
  const standard = schema['~standard'];
  return {
    '~standard': {
      version: 1,
      vendor: standard.vendor,
      validate: (value) => standard.validate(value),
      jsonSchema: { input: () => json, output: () => json },
    },
  };
}

function inspect(json: JsonSchema, { subject, direction }: CompileOptions): SchemaFacts {
  if (direction === 'input' && json['type'] !== 'object') {
    throw new KitError('invalid_argument', `${subject}: must have type "object" at its root`, {
      hint: 'Arguments are named: make each value a property of an object.',
    });
  }
  return inspectJsonSchema(json, subject);
}

function jsonCheck(json: JsonSchema, facts: SchemaFacts): CompiledSchema['check'] {
  let validate: ReturnType<typeof validatorOf> | undefined;
  return (value) => {
    validate ??= validatorOf(json, facts);
    try {
      if (validate(value)) return { ok: true, value };
    } catch (error) {
      // Of a branch that nothing can pass, ajv drops code that declares what later code uses.
      if (error instanceof ReferenceError) return interpreted(json, facts, value);
      throw error;
    }
    const issues = toIssues(violationsOf(validate.errors ?? [], value));
    // The errors hold on to the value.
    validate.errors = null;
    return { ok: false, issues };
  };
}

/** A value held against a schema that compiles to code that cannot run; patterns are not tried. */
function interpreted(json: JsonSchema, facts: SchemaFacts, value: unknown): Checked {
  const result = interpreterOf(json, facts)(value);
  if (result === 'spent' || result.fit !== false) return { ok: true, value };
  return { ok: false, issues: toIssues(result.violations) };
}

function standardCheck(standard: StandardProperties): CompiledSchema['check'] {
  return (value) => chain(standard.validate(value), toChecked);
}

const maxIssues = 20;

function toChecked(result: StandardResult<unknown>): Checked {
  if (result.issues === undefined) return { ok: true, value: result.value };
  const issues = result.issues.slice(0, maxIssues).map(fromStandard);
  return { ok: false, issues };
}

function fromStandard({ message, path = [] }: StandardIssue): Issue {
  const steps = path.map((step) => (typeof step === 'object' ? step.key : step));
  return toIssue(steps, { text: message });
}

function publishable(standard: StandardProperties, options: CompileOptions): JsonSchema {
  const refuse = (what: string, cause?: unknown): KitError =>
    new KitError('invalid_argument', `${options.subject}: ${standard.vendor} ${what}`, {
      hint: 'Pass withJsonSchema(schema, jsonSchema) instead.',
      cause,
    });
  if (standard.jsonSchema === undefined) throw refuse('does not give JSON Schema');
  try {
    const json = standard.jsonSchema[options.direction]({ target: 'draft-2020-12' });
    const { $schema: dialect, ...rest } = json;
    // The default goes without saying; saying it costs tokens in every list.
    return dialect === 'https://json-schema.org/draft/2020-12/schema' ? rest : json;
  } catch (cause) {
    throw refuse('cannot express it as JSON Schema', cause);
  }
}
