/** Where an entry is kept until it leaves. */
interface Place<Value> {
  value: Value | undefined;
}

/**
 * A map for entries that come and go by the thousand. When V8 makes a new table for an old map it leaves the last one as it
 * was, with all that was in it, until the next full collection; and every table after that one is kept by it. So the tables
 * of this map know only small places, which are empty once an entry has left. Keys stay: they must refer to nothing.
 */
export class ShortLivedMap<Key, Value extends object> {
  readonly #places = new Map<Key, Place<Value>>();

  get size(): number {
    return this.#places.size;
  }

  get(key: Key): Value | undefined {
    return this.#places.get(key)?.value;
  }

  set(key: Key, value: Value): void {
    const place = this.#places.get(key);
    if (place === undefined) this.#places.set(key, { value });
    else place.value = value;
  }

  /** Takes an entry out; nothing where there is none. */
  take(key: Key): Value | undefined {
    const place = this.#places.get(key);
    if (place === undefined) return undefined;
    const { value } = place;
    place.value = undefined;
    this.#places.delete(key);
    return value;
  }

  /** In the order in which they came. */
  *values(): Generator<Value, void> {
    for (const { value } of this.#places.values()) if (value !== undefined) yield value;
  }

  clear(): void {
    for (const key of this.#places.keys()) this.take(key);
  }
}
