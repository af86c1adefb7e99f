/** A line of a difference: kept, added or removed. */
export interface DifferenceLine {
  readonly mark: ' ' | '+' | '-' | '…';
  readonly text: string;
}

const context = 2;
/** Longer parts are shown as removed and added, without looking for what they have in common. */
const maxCompared = 1500;

/** What differs between two texts, line by line, with a few lines around it. */
export function differenceOf(before: string, after: string): readonly DifferenceLine[] {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < old.length && start < fresh.length && old[start] === fresh[start]) start += 1;
  let end = 0;
  const most = Math.min(old.length, fresh.length) - start;
  while (end < most && old.at(-1 - end) === fresh.at(-1 - end)) end += 1;
  const middle = compared(
    old.slice(start, old.length - end),
    fresh.slice(start, fresh.length - end),
  );
  const kept = (lines: readonly string[]): readonly DifferenceLine[] =>
    lines.map((text) => ({ mark: ' ', text }));
  return nearby([...kept(old.slice(0, start)), ...middle, ...kept(old.slice(old.length - end))]);
}

function linesOf(text: string): readonly string[] {
  if (text === '') return [];
  const lines = text.split(/\r?\n/);
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

const removed = (text: string): DifferenceLine => ({ mark: '-', text });
const added = (text: string): DifferenceLine => ({ mark: '+', text });

/** The longest row of lines that both have stays. */
function compared(old: readonly string[], fresh: readonly string[]): readonly DifferenceLine[] {
  if (old.length + fresh.length > maxCompared) return [...old.map(removed), ...fresh.map(added)];
  const lengths = lengthsOf(old, fresh);
  const common = (row: number, column: number): number => lengths[row]?.[column] ?? 0;
  const lines: DifferenceLine[] = [];
  let [row, column] = [0, 0];
  while (row < old.length && column < fresh.length) {
    const [text = '', other = ''] = [old[row], fresh[column]];
    if (text === other) {
      lines.push({ mark: ' ', text });
      row += 1;
      column += 1;
    } else if (common(row + 1, column) >= common(row, column + 1)) {
      lines.push(removed(text));
      row += 1;
    } else {
      lines.push(added(other));
      column += 1;
    }
  }
  return [...lines, ...old.slice(row).map(removed), ...fresh.slice(column).map(added)];
}

/** How many lines the ends of two texts have in common, from each pair of lines on. */
function lengthsOf(
  old: readonly string[],
  fresh: readonly string[],
): readonly (readonly number[])[] {
  const lengths = Array.from({ length: old.length + 1 }, () =>
    Array.from({ length: fresh.length + 1 }, () => 0),
  );
  for (let row = old.length - 1; row >= 0; row--) {
    for (let column = fresh.length - 1; column >= 0; column--) {
      const next = lengths[row + 1];
      const here = lengths[row];
      if (here === undefined || next === undefined) continue;
      here[column] =
        old[row] === fresh[column]
          ? (next[column + 1] ?? 0) + 1
          : Math.max(next[column] ?? 0, here[column + 1] ?? 0);
    }
  }
  return lengths;
}

/** Only what is near a change; the rest is left out. */
function nearby(lines: readonly DifferenceLine[]): readonly DifferenceLine[] {
  const changed = lines.flatMap(({ mark }, at) => (mark === ' ' ? [] : [at]));
  const near = new Set<number>();
  for (const at of changed) {
    for (let offset = -context; offset <= context; offset++) near.add(at + offset);
  }
  const shown: DifferenceLine[] = [];
  for (const [at, line] of lines.entries()) {
    if (near.has(at)) shown.push(line);
    else if (shown.at(-1)?.mark !== '…') shown.push({ mark: '…', text: '' });
  }
  return shown;
}
