import { KitError } from '#base';
import type { Synchronous, Values, WriteOptions } from '#store';
import { nobody, ownerOf, withoutAnswer } from './idempotency-record.ts';

interface KeyMemoryOptions {
  /** What is kept for all callers together, in characters. */
  readonly maxCharacters: number;
  /** Milliseconds on a clock that never goes back. */
  readonly now?: (() => number) | undefined;
}

interface Slot {
  readonly value: string;
  readonly untilMs: number;
}

/** What is kept for one caller. */
interface Share {
  readonly owner: string;
  readonly slots: Map<string, Slot>;
  /** The keys whose values could be shorter, the one that was written first before all others. */
  readonly long: Set<string>;
  characters: number;
}

/** What a slot takes besides its texts. */
const slotCharacters = 100;
const longCharacters = 500;
/** Where callers are told apart, none may have more than this part of all. */
const partOfOne = 1 / 4;
const sweepEveryMs = 10 * 60_000;
const leastSweepMs = 1000;

/**
 * The memory of this process, which forgets no key before its time. When a caller has little room left, its oldest answers are
 * left out; that something was done stays known. Where that is not enough, a new key is refused as `overloaded`.
 */
export class KeyMemory implements Synchronous<Values> {
  readonly #maxCharacters: number;
  readonly #now: () => number;
  readonly #shares = new Map<string, Share>();
  #characters = 0;
  #sweptMs: number;

  constructor({ maxCharacters, now = () => performance.now() }: KeyMemoryOptions) {
    this.#maxCharacters = maxCharacters;
    this.#now = now;
    this.#sweptMs = now();
  }

  get(key: string): string | undefined {
    const share = this.#shares.get(ownerOf(key));
    const slot = share?.slots.get(key);
    if (share === undefined || slot === undefined) return undefined;
    if (slot.untilMs > this.#now()) return slot.value;
    this.#drop(share, key);
    return undefined;
  }

  cas(...[key, expected, value, options]: Parameters<Values['cas']>): boolean {
    if (this.get(key) !== expected) return false;
    if (value !== undefined) this.#put(key, value, options);
    else if (expected !== undefined) this.#drop(this.#shareOf(key), key);
    return true;
  }

  #put(key: string, value: string, { ttlMs = Infinity }: WriteOptions = {}): void {
    const isNew = this.get(key) === undefined;
    const share = this.#shareOf(key);
    this.#set(share, key, { value, untilMs: this.#now() + ttlMs });
    const sinceMs = this.#now() - this.#sweptMs;
    const isOver = this.#isOver(share);
    if (sinceMs > sweepEveryMs || (isOver && sinceMs > leastSweepMs)) this.#sweep();
    if (isOver) this.#shorten(share);
    // What is known of a call that has begun is kept in any case.
    if (!isNew || !this.#isOver(share)) return;
    this.#drop(share, key);
    throw new KitError('overloaded', 'there is no room for another key', {
      hint: 'Give governed() a store of its own, or more room: idempotency.maxKept.',
    });
  }

  #shareOf(key: string): Share {
    const owner = ownerOf(key);
    const known = this.#shares.get(owner);
    if (known !== undefined) return known;
    const share: Share = { owner, slots: new Map(), long: new Set(), characters: 0 };
    this.#shares.set(owner, share);
    return share;
  }

  #isOver({ owner, characters }: Share): boolean {
    const most = this.#maxCharacters * (owner === nobody ? 1 : partOfOne);
    return characters > most || this.#characters > this.#maxCharacters;
  }

  #set(share: Share, key: string, slot: Slot): void {
    this.#drop(share, key);
    // Dropping the last of a caller forgets the caller.
    this.#shares.set(share.owner, share);
    share.slots.set(key, slot);
    if (slot.value.length > longCharacters) share.long.add(key);
    this.#weigh(share, weightOf(key, slot));
  }

  #drop(share: Share, key: string): boolean {
    const slot = share.slots.get(key);
    if (slot === undefined) return false;
    share.slots.delete(key);
    share.long.delete(key);
    this.#weigh(share, -weightOf(key, slot));
    if (share.slots.size === 0) this.#shares.delete(share.owner);
    return true;
  }

  #weigh(share: Share, characters: number): void {
    share.characters += characters;
    this.#characters += characters;
  }

  #sweep(): void {
    const nowMs = this.#now();
    this.#sweptMs = nowMs;
    for (const share of this.#shares.values()) {
      for (const [key, { untilMs }] of share.slots) if (untilMs <= nowMs) this.#drop(share, key);
    }
  }

  /** Leaves answers out until there is room. */
  #shorten(share: Share): void {
    for (const key of share.long) {
      if (!this.#isOver(share)) return;
      const slot = share.slots.get(key);
      share.long.delete(key);
      if (slot === undefined) continue;
      const shorter = { ...slot, value: withoutAnswer(slot.value) };
      share.slots.set(key, shorter);
      this.#weigh(share, shorter.value.length - slot.value.length);
    }
  }
}

function weightOf(key: string, { value }: Slot): number {
  return key.length + value.length + slotCharacters;
}
