/** Puts other texts in the place of texts, wherever they are in a value. */
export function renamed<Value>(value: Value, rename: (text: string) => string): Value {
  const visit = (part: unknown): unknown => {
    if (typeof part === 'string') return rename(part);
    if (Array.isArray(part)) return part.map(visit);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([key, each]) => [key, visit(each)]));
  };
  // Only texts are other ones.
  return visit(value) as Value;
}
