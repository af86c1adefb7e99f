const maxLength = 64;
const maxCandidates = 100;

/** The candidate that `name` is most likely a slip of, or undefined when none is near. */
export function nearMiss(name: string, candidates: Iterable<string>): string | undefined {
  return slipFinder(candidates)(name);
}

/** Says of one name after the other which candidate it is most likely a slip of. */
export function slipFinder(candidates: Iterable<string>): (name: string) => string | undefined {
  const known: { candidate: string; folded: string; letters: number }[] = [];
  for (const candidate of candidates) {
    if (known.length >= maxCandidates) break;
    if (candidate.length > maxLength) continue;
    const folded = fold(candidate);
    known.push({ candidate, folded, letters: lettersOf(folded) });
  }
  return (name) => {
    if (name.length > maxLength) return undefined;
    const slip = fold(name);
    const letters = lettersOf(slip);
    let best: string | undefined;
    let limit = Math.max(2, Math.ceil(name.length / 3));
    for (const { candidate, folded, letters: others } of known) {
      // A slip leaves more than it changes.
      const most = Math.min(limit, Math.floor(candidate.length / 2));
      // Each change takes away one letter at most.
      if (countBits(letters & ~others) > most) continue;
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

/** A bit for each letter that a text has; several letters may share one. */
function lettersOf(text: string): number {
  let letters = 0;
  for (let at = 0; at < text.length; at += 1) letters |= 1 << (text.charCodeAt(at) & 31);
  return letters;
}

function countBits(bits: number): number {
  let count = 0;
  for (let left = bits; left !== 0; left &= left - 1) count += 1;
  return count;
}

/** Two rows of distances, used again for each pair of names. */
let row = new Uint8Array(maxLength + 1);
let next = new Uint8Array(maxLength + 1);

/** Levenshtein distance, one row at a time, until it is clear that it is more than `most`. */
function editDistance(from: string, to: string, most: number): number {
  if (Math.abs(from.length - to.length) > most) return Infinity;
  for (let column = 0; column <= to.length; column += 1) row[column] = column;
  for (let line = 1; line <= from.length; line += 1) {
    const letter = from.charCodeAt(line - 1);
    next[0] = line;
    let left = line;
    let least = line;
    let above = line - 1;
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = above + (letter === to.charCodeAt(column - 1) ? 0 : 1);
      above = row[column] ?? 0;
      left = Math.min(replaced, above + 1, left + 1);
      next[column] = left;
      least = Math.min(least, left);
    }
    if (least > most) return Infinity;
    [row, next] = [next, row];
  }
  return row[to.length] ?? 0;
}
