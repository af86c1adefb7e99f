/** What a map may have of its own before it is put together with what it shares. */
const mostOwn = 1000;

/** A map of which copies are cheap: they share what neither has changed since. */
export class LayeredMap<Key, Value extends object | number> {
  #shared: ReadonlyMap<Key, Value>;
  /** What is other than there; undefined for what is gone. */
  #own: Map<Key, Value | undefined>;

  constructor(
    shared: ReadonlyMap<Key, Value> = new Map(),
    own?: ReadonlyMap<Key, Value | undefined>,
  ) {
    this.#shared = shared;
    this.#own = new Map(own);
  }

  get(key: Key): Value | undefined {
    const isOwn = this.#own.size > 0 && this.#own.has(key);
    return isOwn ? this.#own.get(key) : this.#shared.get(key);
  }

  has(key: Key): boolean {
    return this.get(key) !== undefined;
  }

  set(key: Key, value: Value): void {
    this.#own.set(key, value);
  }

  delete(key: Key): void {
    this.#own.set(key, undefined);
  }

  copy(): LayeredMap<Key, Value> {
    if (this.#own.size > mostOwn) this.#settle();
    return new LayeredMap(this.#shared, this.#own);
  }

  *[Symbol.iterator](): Generator<[Key, Value]> {
    for (const entry of this.#shared) if (!this.#own.has(entry[0])) yield entry;
    for (const [key, value] of this.#own) if (value !== undefined) yield [key, value];
  }

  #settle(): void {
    this.#shared = new Map(this);
    this.#own = new Map();
  }
}
