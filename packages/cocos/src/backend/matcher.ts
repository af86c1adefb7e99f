/** Tells whether a text has a part, in any case; a pattern with `*` must fit the whole text. Without a pattern all do. */
export function matcher(pattern: string | undefined): (text: string) => boolean {
  if (pattern === undefined || pattern === '') return () => true;
  const wanted = pattern.toLowerCase();
  if (!wanted.includes('*')) return (text) => text.toLowerCase().includes(wanted);
  const parts = wanted.split('*');
  const [first = ''] = parts;
  const last = parts.at(-1) ?? '';
  return (text) => {
    const lower = text.toLowerCase();
    if (!lower.startsWith(first) || !lower.endsWith(last)) return false;
    let at = first.length;
    for (const part of parts.slice(1, -1)) {
      const found = lower.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return at <= lower.length - last.length;
  };
}
