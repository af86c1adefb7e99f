import { readPattern, type Pattern, type Range } from './pattern-syntax.ts';

/** The places of a pattern that stand for a character, and how many ways lead from one to the next. */
interface Places {
  readonly ranges: (readonly Range[])[];
  readonly next: Map<number, number>[];
}

/** Where a part may begin and end, and in how many ways it may be empty; more than two ways are two. */
interface Part {
  readonly empty: number;
  readonly first: ReadonlyMap<number, number>;
  readonly last: ReadonlyMap<number, number>;
}

/** Patterns with more places than this are not checked, and repetitions beyond this are taken for endless ones. */
const maxPlaces = 120;
const maxCopies = 5;
/** Nor are those with more steps between pairs of places. */
const maxSteps = 20_000;

/**
 * Whether an expression can take exponential time: whether some text leads from one of its places back to the same place
 * in two ways. A backtracking engine tries all of them, which doubles with each repetition of that text.
 */
export function isExplosive(source: string): boolean {
  const places: Places = { ranges: [], next: [] };
  walk(readPattern(source), places);
  if (places.ranges.length > maxPlaces) return false;
  return hasTwoWaysBack(places);
}

function walk(pattern: Pattern, places: Places): Part {
  if (places.ranges.length > maxPlaces) return none;
  switch (pattern.kind) {
    case 'character': {
      const place = places.ranges.push(pattern.ranges) - 1;
      places.next.push(new Map());
      const here = new Map([[place, 1]]);
      return { empty: 0, first: here, last: here };
    }
    case 'choice':
      return pattern.parts.map((part) => walk(part, places)).reduce(either);
    case 'sequence':
      return pattern.parts.reduce(
        (before, part) => after(before, walk(part, places), places),
        none,
      );
    case 'repeat':
      return repeat(pattern, places);
  }
}

const none: Part = { empty: 1, first: new Map(), last: new Map() };

function repeat({ part, min, max }: Pattern & { readonly kind: 'repeat' }, places: Places): Part {
  if (max <= maxCopies) {
    let whole = none;
    for (let copy = 0; copy < max; copy += 1) {
      const one = walk(part, places);
      whole = after(whole, copy < min ? one : { ...one, empty: 1 }, places);
    }
    return whole;
  }
  const one = walk(part, places);
  join(one.last, one.first, places);
  // An engine does not repeat what was empty.
  return min === 0 ? { ...one, empty: 1 } : one;
}

function either(one: Part, other: Part): Part {
  return {
    empty: Math.min(2, one.empty + other.empty),
    first: sum(one.first, other.first, 1),
    last: sum(one.last, other.last, 1),
  };
}

function after(one: Part, other: Part, places: Places): Part {
  join(one.last, other.first, places);
  return {
    empty: Math.min(2, one.empty * other.empty),
    first: sum(one.first, other.first, one.empty),
    last: sum(other.last, one.last, other.empty),
  };
}

function sum(
  one: ReadonlyMap<number, number>,
  other: ReadonlyMap<number, number>,
  times: number,
): ReadonlyMap<number, number> {
  if (times === 0) return one;
  const both = new Map(one);
  for (const [place, ways] of other) {
    both.set(place, Math.min(2, (both.get(place) ?? 0) + ways * times));
  }
  return both;
}

function join(
  ends: ReadonlyMap<number, number>,
  begins: ReadonlyMap<number, number>,
  { next }: Places,
): void {
  for (const [end, ways] of ends) {
    for (const [begin, more] of begins) {
      const known = next[end]?.get(begin) ?? 0;
      next[end]?.set(begin, Math.min(2, known + ways * more));
    }
  }
}

/** Two readers of one text, each at a place: whether they can start together, part, and meet again where they started. */
function hasTwoWaysBack({ ranges, next }: Places): boolean {
  const size = ranges.length;
  const overlap = ranges.map((one) => ranges.map((other) => overlaps(one, other)));
  const steps = (pair: number): readonly number[] => {
    const found: number[] = [];
    for (const one of next[Math.floor(pair / size)]?.keys() ?? []) {
      for (const other of next[pair % size]?.keys() ?? []) {
        if (overlap[one]?.[other] === true) found.push(one * size + other);
      }
    }
    return found;
  };
  const backwards = new Map<number, number[]>();
  const forwards = new Map<number, readonly number[]>();
  const waiting = ranges.map((_, place) => place * size + place);
  let taken = 0;
  for (let pair = waiting.pop(); pair !== undefined; pair = waiting.pop()) {
    if (forwards.has(pair)) continue;
    const to = steps(pair);
    taken += to.length;
    if (taken > maxSteps) return false;
    forwards.set(pair, to);
    for (const target of to) {
      const from = backwards.get(target);
      if (from === undefined) backwards.set(target, [pair]);
      else from.push(pair);
      waiting.push(target);
    }
  }
  return ranges.some((_, place) => {
    const start = place * size + place;
    const ahead = reached(start, forwards);
    const behind = reached(start, backwards);
    const isDouble = Array.from(next[place] ?? []).some(
      ([to, ways]) => ways > 1 && behind.has(to * size + to),
    );
    if (isDouble) return true;
    for (const pair of ahead) {
      if (Math.floor(pair / size) !== pair % size && behind.has(pair)) return true;
    }
    return false;
  });
}

function reached(
  start: number,
  edges: ReadonlyMap<number, readonly number[]>,
): ReadonlySet<number> {
  const found = new Set<number>();
  const waiting = Array.from(edges.get(start) ?? []);
  for (let pair = waiting.pop(); pair !== undefined; pair = waiting.pop()) {
    if (found.has(pair)) continue;
    found.add(pair);
    for (const target of edges.get(pair) ?? []) waiting.push(target);
  }
  return found;
}

function overlaps(one: readonly Range[], other: readonly Range[]): boolean {
  return one.some(([from, to]) => other.some(([low, high]) => from <= high && low <= to));
}
