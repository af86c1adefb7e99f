import { foreignSchema, isRecord, type JsonSchema } from 'mcp-kit/internal';
import { tokensOf, wholePairs } from './size.ts';

/** From the fullest to the barest: elements of lists, characters of texts. */
const measures = [
  { items: 3, characters: 100 },
  { items: 1, characters: 40 },
  { items: 0, characters: 0 },
] as const;
const maxTokens = 500;
const maxDepth = 8;

/** Where a shortened value says that it is one. */
const noteKey = 'mcp-kit/shortened';

/**
 * A shorter value that is right by the same schema and says of itself that it is shortened; nothing where no such value was found.
 * Without that note whoever reads it would take it for all there is.
 */
export function shortened(value: unknown, schema: JsonSchema, note: string): unknown {
  const check = checkOf(schema);
  if (check === undefined || !isRecord(value)) return undefined;
  for (const measure of measures) {
    const short = { ...Object(cut(value, measure, 0)), [noteKey]: note };
    if (tokensOf(short, maxTokens) <= maxTokens && check(short)) return short;
  }
  return undefined;
}

function checkOf(schema: JsonSchema): ((value: unknown) => boolean) | undefined {
  try {
    const verdict = foreignSchema(schema, 'The output schema');
    return (value) => {
      const { issues, unchecked } = verdict(value);
      return issues.length === 0 && unchecked === undefined;
    };
  } catch {
    return undefined;
  }
}

function cut(value: unknown, measure: (typeof measures)[number], depth: number): unknown {
  if (typeof value === 'string') return wholePairs(value.slice(0, measure.characters));
  if (depth > maxDepth) return value;
  if (Array.isArray(value)) {
    return value.slice(0, measure.items).map((item) => cut(item, measure, depth + 1));
  }
  if (!isRecord(value)) return value;
  const members = Object.entries(value).map(([key, one]) => [key, cut(one, measure, depth + 1)]);
  return Object.fromEntries(members);
}
