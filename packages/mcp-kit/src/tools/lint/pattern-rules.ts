import { isRecord } from '#jsonrpc';
import { isExplosive } from './ambiguity.ts';
import type { Remark, Rule } from './rule.ts';

/** What is looked at of one schema: those of others may be made to cost time. */
const maxDepth = 64;
const maxParts = 10_000;
const maxPatterns = 100;
const maxPatternLength = 1000;

/** Keywords whose value is data, not a schema. */
const data: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples', 'required']);

/** The patterns of a schema, wherever they stand. */
function patternsIn(schema: unknown): ReadonlySet<string> {
  const found = new Set<string>();
  let parts = 0;
  const look = (part: unknown, depth: number): void => {
    parts += 1;
    if (typeof part !== 'object' || part === null || depth > maxDepth || parts > maxParts) return;
    for (const [keyword, value] of Object.entries(part)) {
      if (keyword === 'pattern' && typeof value === 'string') found.add(value);
      if (keyword === 'patternProperties' && isRecord(value)) {
        for (const pattern of Object.keys(value)) found.add(pattern);
      }
      if (!data.has(keyword) || isRecord(value)) look(value, depth + 1);
      if (found.size > maxPatterns) return;
    }
  };
  look(schema, 0);
  return found;
}

function explosiveIn(schema: unknown): readonly Remark[] {
  return [...patternsIn(schema)]
    .filter((pattern) => pattern.length <= maxPatternLength && compiles(pattern))
    .filter(isExplosive)
    .map((pattern) => ({
      message: `the pattern ${pattern} can take exponential time`,
      hint: 'Let each text fit in one way only: no repetition within a repetition, no alternatives that begin alike.',
    }));
}

function compiles(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

/** The name of the rule below. */
export type PatternRule = 'pattern-bounded';

export const patternRules: Readonly<Record<PatternRule, Rule>> = {
  'pattern-bounded': {
    level: 'error',
    protocol: true,
    demand: 'No pattern of a schema can take exponential time.',
    check: ({ inputSchema, outputSchema }) => [
      ...explosiveIn(inputSchema),
      ...explosiveIn(outputSchema),
    ],
  },
};
