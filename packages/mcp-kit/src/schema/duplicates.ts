import { canonicalJson, crypto } from '#base';

/** V8 tells longer texts from each other by comparing them. */
const hashed = 16_383;

/** The indexes of the first two equal items, in time linear in their size. */
export function firstDuplicate(items: readonly unknown[]): readonly [number, number] | undefined {
  const scalars = new Map<unknown, number>();
  const structures = new Map<string, number>();
  for (const [index, item] of items.entries()) {
    const isStructure = typeof item === 'object' && item !== null;
    const seen: Map<unknown, number> = isStructure ? structures : scalars;
    const key = digestOfLong(isStructure ? canonicalJson(item) : item);
    const earlier = seen.get(key);
    if (earlier !== undefined) return [earlier, index];
    seen.set(key, index);
  }
  return undefined;
}

function digestOfLong(key: unknown): unknown {
  if (typeof key !== 'string' || key.length <= hashed) return key;
  const digest = crypto().createHash('sha256').update(key, 'utf16le').digest('base64');
  return `${key.length} ${digest}`;
}
