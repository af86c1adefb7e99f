import type { StandardSchema } from '#schema';

/** The type of a checked value: the output of a Standard Schema, or what a JSON Schema literal describes. */
export type Infer<Schema> = Schema extends StandardSchema
  ? NonNullable<Schema['~standard']['types']>['output']
  : FromJson<Schema>;

/** The type of a value that passes the check: the input of a Standard Schema, or what a JSON Schema literal describes. */
export type InferInput<Schema> = Schema extends StandardSchema
  ? NonNullable<Schema['~standard']['types']>['input']
  : FromJson<Schema>;

/** Deeper than this, and for what the keywords below do not tell, a value is `unknown`. */
type MaxDepth = 12;

type FromJson<Schema, Depth extends readonly unknown[] = []> = Depth['length'] extends MaxDepth
  ? unknown
  : Schema extends { readonly const: infer Value }
    ? Value
    : Schema extends { readonly enum: readonly (infer Value)[] }
      ? Value
      : Schema extends { readonly type: readonly (infer Type)[] }
        ? FromType<Type, Schema, [...Depth, 0]>
        : Schema extends { readonly type: infer Type }
          ? FromType<Type, Schema, [...Depth, 0]>
          : Schema extends { readonly anyOf: readonly (infer Branch)[] }
            ? FromBranch<Branch, [...Depth, 0]>
            : Schema extends { readonly oneOf: readonly (infer Branch)[] }
              ? FromBranch<Branch, [...Depth, 0]>
              : unknown;

type FromBranch<Branch, Depth extends readonly unknown[]> = Branch extends unknown
  ? FromJson<Branch, Depth>
  : never;

interface ScalarTypes {
  readonly string: string;
  readonly number: number;
  readonly integer: number;
  readonly boolean: boolean;
  readonly null: null;
}

type FromType<Type, Schema, Depth extends readonly unknown[]> = Type extends keyof ScalarTypes
  ? ScalarTypes[Type]
  : Type extends 'array'
    ? FromArray<Schema, Depth>
    : Type extends 'object'
      ? FromObject<Schema, Depth>
      : unknown;

type FromArray<Schema, Depth extends readonly unknown[]> = Schema extends {
  readonly items: infer Items;
}
  ? FromJson<Items, Depth>[]
  : unknown[];

type FromObject<Schema, Depth extends readonly unknown[]> = Schema extends {
  readonly properties: infer Properties;
}
  ? FromProperties<Properties, RequiredOf<Schema>, Depth>
  : Schema extends { readonly additionalProperties: infer Values extends object }
    ? Record<string, FromJson<Values, Depth>>
    : Record<string, unknown>;

type RequiredOf<Schema> = Schema extends { readonly required: readonly (infer Name)[] }
  ? Name
  : never;

type FromProperties<Properties, Required, Depth extends readonly unknown[]> = Flat<
  {
    -readonly [Name in keyof Properties as Name extends Required ? Name : never]: FromJson<
      Properties[Name],
      Depth
    >;
  } & {
    -readonly [Name in keyof Properties as Name extends Required ? never : Name]?: FromJson<
      Properties[Name],
      Depth
    >;
  }
>;

type Flat<Type> = { [Name in keyof Type]: Type[Name] };
