import { KitError } from '#base';

/** One thing in a table; `older`, `newer` and `dueTick` belong to the table alone. */
export interface Slot<T> {
  readonly key: string;
  readonly content: T;
  bytes: number;
  count: number;
  expiresAt: number;
  dueTick: number;
  older: Slot<T> | undefined;
  newer: Slot<T> | undefined;
}

/** What the tables of one store hold together, and what they may hold. */
export interface Space {
  bytes: number;
  count: number;
  readonly maxBytes: number;
  readonly maxEntries: number;
}

/** True when the store holds more than it may. */
export function isOver(space: Space): boolean {
  return space.bytes > space.maxBytes || space.count > space.maxEntries;
}

/** What a text costs in memory, never less: up to two bytes per character, and the objects around it. */
export function weightOf(text: string): number {
  return text.length * 2 + 64;
}

/** A slot that is in no table yet, and weighs what its key does. */
export function newSlot<T>(key: string, content: T): Slot<T> {
  return {
    key,
    content,
    bytes: weightOf(key),
    count: 1,
    expiresAt: Infinity,
    dueTick: Infinity,
    older: undefined,
    newer: undefined,
  };
}

const tickMs = 1000;

/** Things by key, in order of last write, which expire by themselves and are counted in a shared space. */
export class Table<T> {
  readonly #space: Space;
  readonly #now: () => number;
  readonly #slots = new Map<string, Slot<T>>();
  /** Slots by the second after which they may have expired; a slot whose life was prolonged is filed anew when looked at. */
  readonly #due = new Map<number, Set<Slot<T>>>();
  #sweptTick = 0;
  #oldest: Slot<T> | undefined;
  #newest: Slot<T> | undefined;

  constructor(space: Space, now: () => number) {
    this.#space = space;
    this.#now = now;
  }

  /** The slot, unless it has expired. */
  get(key: string): Slot<T> | undefined {
    const slot = this.#slots.get(key);
    if (slot === undefined || slot.expiresAt === Infinity || slot.expiresAt > this.#now()) {
      return slot;
    }
    this.drop(slot);
    return undefined;
  }

  /** Takes in a slot whose key is not there. */
  add(slot: Slot<T>): void {
    this.#slots.set(slot.key, slot);
    this.#space.bytes += slot.bytes;
    this.#space.count += slot.count;
    this.#link(slot);
    this.sweep();
  }

  /** Makes the slot the most recently written one. */
  touch(slot: Slot<T>): void {
    if (this.#newest === slot) return;
    this.#unlink(slot);
    this.#link(slot);
  }

  /** Changes what the slot weighs. */
  weigh(slot: Slot<T>, bytes: number, count: number): void {
    slot.bytes += bytes;
    slot.count += count;
    this.#space.bytes += bytes;
    this.#space.count += count;
  }

  /** Gives the slot a lifetime from this moment, before or after it is added. */
  expireAfter(slot: Slot<T>, ttlMs: number): void {
    if (!(ttlMs > 0)) {
      throw new KitError('invalid_argument', `ttlMs must be positive, not ${ttlMs}`);
    }
    slot.expiresAt = this.#now() + ttlMs;
    // A later tick is left as it is: the sweep files the slot again when that one comes.
    if (tickOf(slot.expiresAt) < slot.dueTick) this.#file(slot);
  }

  /** Takes the slot away and gives its room back. */
  drop(slot: Slot<T>): void {
    this.#slots.delete(slot.key);
    this.#space.bytes -= slot.bytes;
    this.#space.count -= slot.count;
    this.#unlink(slot);
    this.#unfile(slot);
  }

  /** Drops the least recently written slot that is not `kept`; false when there is none. */
  dropOldest(kept?: Slot<T>): boolean {
    const victim = this.#oldest === kept ? kept?.newer : this.#oldest;
    if (victim === undefined) return false;
    this.drop(victim);
    return true;
  }

  /** What has not expired, in order. */
  keys(): string[] {
    const keys = [...this.#slots.keys()].filter((key) => this.get(key) !== undefined);
    return keys.toSorted();
  }

  /** Drops what expired before the current second; costs nothing when called again within it. */
  sweep(): void {
    const tick = Math.floor(this.#now() / tickMs);
    if (tick <= this.#sweptTick) return;
    this.#sweptTick = tick;
    for (const [dueTick, slots] of this.#due) {
      if (dueTick > tick) continue;
      for (const slot of slots) {
        if (tickOf(slot.expiresAt) <= tick) this.drop(slot);
        else this.#file(slot);
      }
    }
  }

  clear(): void {
    while (this.#oldest !== undefined) this.drop(this.#oldest);
  }

  #file(slot: Slot<T>): void {
    this.#unfile(slot);
    slot.dueTick = tickOf(slot.expiresAt);
    const slots = this.#due.get(slot.dueTick);
    if (slots === undefined) this.#due.set(slot.dueTick, new Set([slot]));
    else slots.add(slot);
  }

  #unfile(slot: Slot<T>): void {
    if (slot.dueTick === Infinity) return;
    const slots = this.#due.get(slot.dueTick);
    slots?.delete(slot);
    if (slots?.size === 0) this.#due.delete(slot.dueTick);
    slot.dueTick = Infinity;
  }

  #link(slot: Slot<T>): void {
    slot.older = this.#newest;
    if (this.#newest === undefined) this.#oldest = slot;
    else this.#newest.newer = slot;
    this.#newest = slot;
  }

  #unlink(slot: Slot<T>): void {
    if (slot.older === undefined) this.#oldest = slot.newer;
    else slot.older.newer = slot.newer;
    if (slot.newer === undefined) this.#newest = slot.older;
    else slot.newer.older = slot.older;
    slot.older = undefined;
    slot.newer = undefined;
  }
}

/** The first whole second at which something due at `time` has expired. */
function tickOf(time: number): number {
  return Math.ceil(time / tickMs);
}
