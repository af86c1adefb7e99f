import type { JsonSchema } from '#protocol';
import { interpreterOf } from './interpret/interpret.ts';
import type { Issue } from './issue.ts';
import { toIssues } from './json-issues.ts';
import { inspectJsonSchema } from './json-schema.ts';

/** What a check against somebody else's schema says; it costs no more than a fixed amount. */
export interface ForeignVerdict {
  /** What is wrong; empty when nothing was found. */
  readonly issues: readonly Issue[];
  /** Why the value was not checked to the end. */
  readonly unchecked?: string | undefined;
}

/**
 * Makes ready a schema that somebody else wrote, who may mean harm. It is interpreted, never compiled, in a bounded number
 * of steps, and its patterns are not run. One that is malformed is a `KitError`.
 */
export function foreignSchema(
  schema: JsonSchema,
  subject: string,
): (value: unknown) => ForeignVerdict {
  const interpret = interpreterOf(schema, inspectJsonSchema(schema, subject));
  return (value) => {
    const result = interpret(value);
    if (result === 'spent') return { issues: [], unchecked: 'its schema takes too many steps' };
    return { issues: result.fit === false ? toIssues(result.violations) : [] };
  };
}
