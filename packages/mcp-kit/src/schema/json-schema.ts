import { KitError } from '#base';
import type { JsonSchema } from '#protocol';
import { SchemaWalk } from './json-schema-walk.ts';

/** The dialects that can be checked. */
export type Dialect = '2020-12' | '2019-09' | 'draft-07';

/** What the validator needs to know of a schema. */
export interface SchemaFacts {
  readonly dialect: Dialect;
  /** The schema, or a part of it, has a name of its own. */
  readonly hasIds: boolean;
  /** What the `$ref` of each schema leads to; those to the schema of schemas are left out. */
  readonly targets: ReadonlyMap<object, unknown>;
}

/** Where the schemas of a dialect itself are at home. */
const homes: Readonly<Record<Dialect, string>> = {
  '2020-12': '//json-schema.org/draft/2020-12/',
  '2019-09': '//json-schema.org/draft/2019-09/',
  'draft-07': '//json-schema.org/draft-07/',
};

/** Makes sure that a schema is well-formed, bounded and complete in itself; what is not is a `KitError` naming the place. */
export function inspectJsonSchema(schema: JsonSchema, subject: string): SchemaFacts {
  const dialect = dialectOf(schema['$schema']);
  if (dialect === undefined) {
    throw new KitError(
      'invalid_argument',
      `${subject}: $schema names a dialect that is not known`,
      {
        hint: 'Leave it out for 2020-12, or name 2020-12, 2019-09 or draft-07.',
      },
    );
  }
  const walk = new SchemaWalk(subject);
  walk.walk(schema);
  // The validator carries the schemas of its own dialect.
  walk.resolveReferences((uri) => withoutScheme(uri).startsWith(homes[dialect]));
  return { dialect, hasIds: walk.foundIds, targets: walk.targets };
}

function dialectOf(uri: unknown): Dialect | undefined {
  if (uri === undefined) return '2020-12';
  const name = typeof uri === 'string' ? withoutScheme(uri).replace(/#$/, '') : '';
  const all: readonly Dialect[] = ['2020-12', '2019-09', 'draft-07'];
  return all.find((dialect) => name === `${homes[dialect]}schema`);
}

function withoutScheme(uri: string): string {
  return uri.replace(/^https?:/, '');
}
