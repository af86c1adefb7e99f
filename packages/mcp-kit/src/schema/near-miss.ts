const maxLength = 64;
const maxCandidates = 100;

/** The candidate that `name` is most likely a slip of, or undefined when none is near. */
export function nearMiss(name: string, candidates: Iterable<string>): string | undefined {
  if (name.length > maxLength) return undefined;
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.ceil(name.length / 3)) + 1;
  let left = maxCandidates;
  for (const candidate of candidates) {
    left -= 1;
    if (left < 0) break;
    if (candidate.length > maxLength) continue;
    const distance = editDistance(fold(name), fold(candidate));
    // A slip leaves more than it changes.
    if (distance < bestDistance && distance * 2 <= candidate.length) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Spelling conventions are no distance: `maxItems`, `max_items` and `max-items` are one name. */
function fold(name: string): string {
  return name.replaceAll(/[_\-\s]/g, '').toLowerCase();
}

/** Levenshtein distance, one row at a time. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let line = 1; line <= from.length; line += 1) {
    const next = [line];
    for (let column = 1; column <= to.length; column += 1) {
      const same = from[line - 1] === to[column - 1];
      const replaced = (row[column - 1] ?? 0) + (same ? 0 : 1);
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
