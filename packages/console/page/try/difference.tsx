import { useMemo } from 'react';
import { Lines } from '../parts/lines.tsx';
import { useWords } from '../words.ts';

/** What is not as it was before, line by line. */
export function Difference({
  before,
  after,
}: {
  readonly before: unknown;
  readonly after: unknown;
}) {
  const say = useWords();
  const lines = useMemo(() => compare(linesOf(before), linesOf(after)), [before, after]);
  const isSame = lines.every((line) => line.startsWith(' '));
  return (
    <>
      <p className="quiet">{isSame ? say('same') : say('compared')}</p>
      <Lines lines={lines} label={say('difference')} />
    </>
  );
}

function linesOf(value: unknown): readonly string[] {
  return (JSON.stringify(value, undefined, 2) ?? '').split('\n');
}

/** More lines than that are compared as a whole. */
const mostLines = 3000;

/** The shortest way from one list of lines to the other: each with a blank, a `-` or a `+` before it. */
function compare(one: readonly string[], other: readonly string[]): readonly string[] {
  if (one.length > mostLines || other.length > mostLines) {
    return [...one.map((line) => `- ${line}`), ...other.map((line) => `+ ${line}`)];
  }
  const common = commonOf(one, other);
  const found: string[] = [];
  let [left, right] = [0, 0];
  while (left < one.length || right < other.length) {
    if (left < one.length && one[left] === other[right]) {
      found.push(`  ${one[left]}`);
      [left, right] = [left + 1, right + 1];
    } else if (common(left + 1, right) >= common(left, right + 1) && left < one.length) {
      found.push(`- ${one[left]}`);
      left += 1;
    } else {
      found.push(`+ ${other[right]}`);
      right += 1;
    }
  }
  return found;
}

/** How many lines the rests of two lists have in common, from a pair of places on; less than none beyond their ends. */
function commonOf(
  one: readonly string[],
  other: readonly string[],
): (left: number, right: number) => number {
  const width = other.length + 1;
  const counts = new Uint16Array((one.length + 1) * width);
  const at = (left: number, right: number): number => counts[left * width + right] ?? 0;
  for (let left = one.length - 1; left >= 0; left -= 1) {
    for (let right = other.length - 1; right >= 0; right -= 1) {
      const isSame = one[left] === other[right];
      counts[left * width + right] = isSame
        ? at(left + 1, right + 1) + 1
        : Math.max(at(left + 1, right), at(left, right + 1));
    }
  }
  return (left, right) => (left > one.length || right > other.length ? -1 : at(left, right));
}
