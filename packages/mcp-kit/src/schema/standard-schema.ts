import type { MaybePromise } from '#base';
import type { JsonSchema } from '#protocol';

/** A schema of any library that implements Standard Schema (https://standardschema.dev), as far as we use it. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': StandardProperties<Input, Output>;
}

/** What a library promises about one schema. */
export interface StandardProperties<Input = unknown, Output = Input> {
  readonly version: 1;
  readonly vendor: string;
  readonly validate: (value: unknown) => MaybePromise<StandardResult<Output>>;
  /** Never there at run time. */
  readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  /** Only libraries that implement Standard JSON Schema have it. */
  readonly jsonSchema?: StandardJsonSchema | undefined;
}

/** Makes the JSON Schema of what goes in or comes out; throws for what JSON Schema cannot express. */
interface StandardJsonSchema {
  readonly input: (options: { readonly target: 'draft-2020-12' }) => JsonSchema;
  readonly output: (options: { readonly target: 'draft-2020-12' }) => JsonSchema;
}

/** The value as the schema makes it, or what is wrong. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** One thing that is wrong, in the words of the library. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** True for objects and functions that carry the Standard Schema property. */
export function isStandardSchema(schema: object): schema is StandardSchema {
  return '~standard' in schema;
}
