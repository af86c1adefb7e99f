import type { Entry, Heard } from './entry.ts';

/** The last of what was heard, in order; whoever reads it has a place in it. */
export interface Feed {
  /** Tells one run of a program from the next: places of one mean nothing in another. */
  readonly run: string;
  add(heard: Heard): Entry;
  /** What came after a place, the oldest first. */
  after(seq: number, most: number): readonly Entry[];
  /** What came before a place, the oldest first. */
  before(seq: number, most: number): readonly Entry[];
  get(seq: number): Entry | undefined;
  /** The place of the first one that is kept; one more than that of the last, where nothing is. */
  readonly first: number;
  readonly last: number;
  /** Calls back for each that comes, until the function that is given back is called. */
  watch(heard: () => void): () => void;
}

/** How much is kept. */
export interface FeedOptions {
  /** About how much memory it may take; 64 MiB. */
  readonly maxBytes?: number | undefined;
  readonly maxEntries?: number | undefined;
}

/** What an entry takes beside its message. */
const entryBytes = 400;
/** What was let go of is cut off once there is so much of it. */
const slack = 4096;

/** Makes a feed that holds so much and no more. */
export function createFeed(options: FeedOptions = {}): Feed {
  const { maxBytes = 64 * 1024 * 1024, maxEntries = 200_000 } = options;
  const origin = performance.timeOrigin;
  const watchers = new Set<() => void>();
  /** From `start` on; what is before that was let go of. */
  let entries: (Entry | undefined)[] = [];
  let start = 0;
  let bytes = 0;
  let last = 0;
  const first = (): number => last - (entries.length - start) + 1;
  const isTooMuch = (): boolean => {
    const count = entries.length - start;
    return count > 1 && (bytes > maxBytes || count > maxEntries);
  };
  const letGo = (): void => {
    bytes -= entries[start]?.weight ?? 0;
    entries[start] = undefined;
    start += 1;
    if (start < slack || start * 2 < entries.length) return;
    entries = entries.slice(start);
    start = 0;
  };
  const slice = (from: number, to: number): readonly Entry[] => {
    const at = (seq: number): number =>
      Math.min(Math.max(start + seq - first(), start), entries.length);
    return entries.slice(at(from), at(to)).filter((entry) => entry !== undefined);
  };
  return {
    run: `${process.pid}-${Math.round(origin)}`,
    get first() {
      return first();
    },
    get last() {
      return last;
    },
    add({ wire, direction, message, server, peer, call, answers, method, outcome }) {
      last += 1;
      const seq = last;
      const atMs = origin + performance.now();
      const weight = entryBytes + weightOf(message);
      const entry: Entry = {
        seq,
        atMs,
        weight,
        wire,
        direction,
        message,
        server,
        peer,
        call,
        answers,
        method,
        outcome,
      };
      entries.push(entry);
      bytes += weight;
      while (isTooMuch()) letGo();
      for (const tell of watchers) tell();
      return entry;
    },
    after(seq, most) {
      const from = Math.max(seq + 1, first());
      return slice(from, from + most);
    },
    before(seq, most) {
      const to = Math.min(seq, last + 1);
      return slice(to - most, to);
    },
    get: (seq) => slice(seq, seq + 1)[0],
    watch(heard) {
      watchers.add(heard);
      return () => watchers.delete(heard);
    },
  };
}

/** About how much memory a value takes. */
function weightOf(value: unknown): number {
  if (typeof value === 'string') return 16 + 2 * value.length;
  if (typeof value !== 'object' || value === null) return 8;
  let weight = 32;
  // Messages are values of JSON: nothing is inherited.
  for (const name in value) weight += weightOf((value as Readonly<Record<string, unknown>>)[name]);
  return weight;
}
