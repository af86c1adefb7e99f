const maxLength = 64;
const maxCandidates = 100;

/** The candidate that `name` is most likely a slip of, or undefined when none is near. */
export function nearMiss(name: string, candidates: Iterable<string>): string | undefined {
  return slipFinder(candidates)(name);
}

/** Says of one name after the other which candidate it is most likely a slip of. */
export function slipFinder(candidates: Iterable<string>): (name: string) => string | undefined {
  const known: { readonly candidate: string; readonly folded: string }[] = [];
  for (const candidate of candidates) {
    if (known.length >= maxCandidates) break;
    if (candidate.length <= maxLength) known.push({ candidate, folded: fold(candidate) });
  }
  return (name) => {
    if (name.length > maxLength) return undefined;
    const slip = fold(name);
    let best: string | undefined;
    let limit = Math.max(2, Math.ceil(name.length / 3));
    for (const { candidate, folded } of known) {
      // A slip leaves more than it changes.
      const most = Math.min(limit, Math.floor(candidate.length / 2));
      const distance = editDistance(slip, folded, most);
      if (distance > most) continue;
      best = candidate;
      limit = distance - 1;
    }
    return best;
  };
}

/** Spelling conventions are no distance: `maxItems`, `max_items` and `max-items` are one name. */
function fold(name: string): string {
  return name.replaceAll(/[_\-\s]/g, '').toLowerCase();
}

/** Levenshtein distance, one row at a time, until it is clear that it is more than `most`. */
function editDistance(from: string, to: string, most: number): number {
  if (Math.abs(from.length - to.length) > most) return Infinity;
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let line = 1; line <= from.length; line += 1) {
    const next = [line];
    let least = line;
    for (let column = 1; column <= to.length; column += 1) {
      const same = from[line - 1] === to[column - 1];
      const replaced = (row[column - 1] ?? 0) + (same ? 0 : 1);
      const distance = Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1);
      next.push(distance);
      least = Math.min(least, distance);
    }
    if (least > most) return Infinity;
    row = next;
  }
  return row.at(-1) ?? 0;
}
