import { ShortLivedMap } from './short-lived-map.ts';

/**
 * What memory is held for: what has not come whole, what is being done, who is connected, who wants to be told, who is there,
 * what nobody reads.
 */
export const heldKinds = [
  'bodies',
  'calls',
  'connections',
  'listens',
  'sessions',
  'unread',
] as const;

export type HeldKind = (typeof heldKinds)[number];

/** Something that holds memory for a client, and that can be ended early. */
export interface Holder {
  /** Ends it, unless somebody is at it; whether it did. */
  letGo(): boolean;
}

/** Bytes that are held for a client until they are given back. */
export interface Hold {
  readonly bytes: number;
  /** So many from now on; 0 gives all back. */
  resize(bytes: number): void;
}

/**
 * How much clients may make this process hold. Holding is counted, never refused: whoever is about to begin something for a
 * client asks `admits`, and refuses the client when there is no room. No kind may take more than half, so that whoever fills one
 * does not stop the others. Room is made by letting go what nobody is at: the largest first, of about equal size the one that came
 * first, and nothing for what is larger than itself.
 */
export interface Budget {
  /** In bytes. */
  readonly limit: number;
  /** Bytes held now. */
  readonly used: number;
  /** The same by what they are held for. */
  readonly held: Readonly<Record<HeldKind, number>>;
  /** How many of each kind were let go to make room. */
  readonly letGo: Readonly<Record<HeldKind, number>>;
  /** Whether so much may be held from now on, by something new or by what has a hold; makes room where that is possible. */
  admits(kind: HeldKind, bytes: number, hold?: Hold): boolean;
  /** Counts bytes until they are given back; what has a holder can be let go. */
  hold(kind: HeldKind, bytes: number, holder?: Holder): Hold;
}

/** Nobody is at what was not used for this long. */
export const idleMs = 1000;

const shareOfHeap = 1 / 4;
const shareOfKind = 1 / 2;
/** Calls take a moment to end when they are let go: from this part on room for them is made before it is needed. */
const early = 7 / 8;
/** Of each size so many are asked to go at a time: making room must not cost more than what it is needed for. */
const asked = 8;

/** By default the limit is a quarter of what the heap may grow to. */
export function createBudget(limit: number = defaultLimit()): Budget {
  const held = none();
  let used = 0;
  const ofKind = limit * shareOfKind;
  const candidates = createCandidates();

  /** Makes room for more of something that has so much, within a part of what may be held. */
  const find = (kind: HeldKind, more: number, { has = 0, part = 1 }): boolean => {
    const lackingOfKind = (): number => held[kind] + more - part * ofKind;
    const lacking = (): number => used + more - part * limit;
    const size = sizeOf(has + more);
    if (lackingOfKind() > 0) candidates.ask([kind], size, lackingOfKind);
    if (lacking() > 0) candidates.ask(heldKinds, size, lacking);
    return lackingOfKind() <= 0 && lacking() <= 0;
  };

  const count: Count = (counted, bytes) => {
    const { bytes: before, kind } = counted;
    if (bytes === before) return;
    const isMoved = before === 0 || bytes === 0 || sizeOf(bytes) !== sizeOf(before);
    if (isMoved) candidates.remove(counted);
    counted.bytes = bytes;
    held[kind] += bytes - before;
    used += bytes - before;
    const part = kind === 'calls' ? early : 1;
    if (bytes > before && (held[kind] > part * ofKind || used > part * limit)) {
      find(kind, 0, { has: bytes, part });
    }
    // Only now: nothing is let go for itself when it begins.
    if (isMoved) candidates.add(counted);
  };

  return {
    limit,
    held,
    letGo: candidates.letGo,
    get used() {
      return used;
    },
    admits: (kind, bytes, hold) =>
      (held[kind] + bytes <= ofKind && used + bytes <= limit) ||
      find(kind, bytes, { has: hold?.bytes }),
    hold(kind, bytes, holder) {
      const counted = new Counted(count, kind, holder);
      count(counted, bytes);
      return counted;
    },
  };
}

/** What can be let go. */
interface Candidates {
  /** How many were. */
  readonly letGo: Readonly<Record<HeldKind, number>>;
  add(counted: Counted): void;
  remove(counted: Counted): void;
  /** Asks the largest of these kinds first, down to a size, for as long as something is lacking. */
  ask(kinds: readonly HeldKind[], smallest: number, lacking: () => number): void;
}

function createCandidates(): Candidates {
  const letGo = none();
  /** By the power of two of their size; what came first is first. */
  const bySize = ofEachKind((): ShortLivedMap<number, Counted>[] => []);
  let isAsking = false;

  const alike = ({ kind, bytes }: Counted): ShortLivedMap<number, Counted> =>
    (bySize[kind][sizeOf(bytes)] ??= new ShortLivedMap());
  const add = (counted: Counted): void => {
    const isFree = counted.holder !== undefined && !counted.isLetGo;
    if (isFree && counted.bytes > 0) alike(counted).set(counted.number, counted);
  };
  const remove = (counted: Counted): void => void alike(counted).take(counted.number);

  const askSome = (group: ShortLivedMap<number, Counted>, lacking: () => number): void => {
    for (let left = Math.min(asked, group.size); left > 0 && lacking() > 0; left -= 1) {
      const [first] = group.values();
      if (first === undefined) return;
      remove(first);
      first.isLetGo = first.holder?.letGo() === true;
      if (first.isLetGo) letGo[first.kind] += 1;
      // It may have changed on its way out. If it stays, others are asked before it the next time.
      remove(first);
      add(first);
    }
  };

  return {
    letGo,
    add,
    remove,
    ask(kinds, smallest, lacking) {
      // What is let go may hold more for a moment, or less.
      if (isAsking) return;
      isAsking = true;
      try {
        for (let size = largestSize; size >= smallest && lacking() > 0; size -= 1) {
          for (const kind of kinds) {
            const group = bySize[kind][size];
            if (group !== undefined) askSome(group, lacking);
          }
        }
      } finally {
        isAsking = false;
      }
    },
  };
}

type Count = (counted: Counted, bytes: number) => void;

/** A class, because there is one for each of many thousand sessions. */
class Counted implements Hold {
  static #last = 0;
  /** What tables know it by: they would keep its holder. */
  readonly number = (Counted.#last += 1);
  readonly #count: Count;
  readonly kind: HeldKind;
  readonly holder: Holder | undefined;
  bytes = 0;
  isLetGo = false;

  constructor(count: Count, kind: HeldKind, holder: Holder | undefined) {
    this.#count = count;
    this.kind = kind;
    this.holder = holder;
  }

  resize(bytes: number): void {
    this.#count(this, bytes);
  }
}

function none(): Record<HeldKind, number> {
  return ofEachKind(() => 0);
}

function ofEachKind<T>(make: () => T): Record<HeldKind, T> {
  return {
    bodies: make(),
    calls: make(),
    connections: make(),
    listens: make(),
    sessions: make(),
    unread: make(),
  };
}

const largestSize = 32;

/** Which power of two of kibibytes it is below. */
function sizeOf(bytes: number): number {
  return 32 - Math.clz32(bytes / 1024);
}

function defaultLimit(): number {
  const { heap_size_limit: heapBytes } = process.getBuiltinModule('node:v8').getHeapStatistics();
  return Math.floor(heapBytes * shareOfHeap);
}

let ofProcess: Budget | undefined;

/** The budget of everything in this process that is not given another. */
export function processBudget(): Budget {
  ofProcess ??= createBudget();
  return ofProcess;
}

/** Where something is written that a reader takes away. */
interface Output {
  /** Bytes that were written and not taken. */
  readonly waiting: number;
  /** Breaks it off; absent where it must stay. */
  readonly cut?: (() => void) | undefined;
}

/** Less is on its way most of the time, and not worth counting. */
export const countedFrom: number = 16 * 1024;

/** Counts what is waiting at one output; when there is no room, a reader that takes nothing is cut off. */
export class Unread implements Holder {
  readonly #budget: Budget | undefined;
  readonly #output: Output;
  #held: Hold | undefined;
  #movedMs = 0;

  constructor(budget: Budget | undefined, output: Output) {
    this.#budget = budget;
    this.#output = output;
  }

  /** Counts what is waiting now; to be called when something was written or taken. */
  look(): void {
    const { waiting } = this.#output;
    const before = this.#held?.bytes ?? 0;
    const counted = waiting > countedFrom ? waiting : 0;
    if (counted === before) return;
    if (before === 0 || counted < before) this.#movedMs = performance.now();
    const holder = this.#output.cut === undefined ? undefined : this;
    this.#held ??= this.#budget?.hold('unread', 0, holder);
    this.#held?.resize(counted);
  }

  /** Nothing waits any more. */
  end(): void {
    this.#held?.resize(0);
  }

  letGo(): boolean {
    this.look();
    if (performance.now() - this.#movedMs < idleMs) return false;
    this.#output.cut?.();
    this.end();
    return true;
  }
}
