import { insideBase } from './expansion.ts';

/** What a map may have of its own before it is put together with what it shares. */
const mostOwn = 1000;

const gone: unique symbol = Symbol('gone');

/** A map of which copies are cheap: they share what neither has changed since. */
export class LayeredMap<Key, Value extends object | number> {
  #shared: ReadonlyMap<Key, Value>;
  /** What is other than there. */
  #own: Map<Key, Value | typeof gone>;

  constructor(
    shared: ReadonlyMap<Key, Value> = new Map(),
    own?: ReadonlyMap<Key, Value | typeof gone>,
  ) {
    this.#shared = shared;
    this.#own = new Map(own);
  }

  get(key: Key): Value | undefined {
    const own = this.#own.get(key) ?? this.#shared.get(key);
    return own === gone ? undefined : own;
  }

  has(key: Key): boolean {
    return this.get(key) !== undefined;
  }

  set(key: Key, value: Value): void {
    this.#own.set(key, value);
  }

  delete(key: Key): void {
    this.#own.set(key, gone);
  }

  copy(): LayeredMap<Key, Value> {
    if (this.#own.size > mostOwn) this.#settle();
    return new LayeredMap(this.#shared, this.#own);
  }

  *[Symbol.iterator](): Generator<[Key, Value]> {
    for (const entry of this.#shared) if (!this.#own.has(entry[0])) yield entry;
    for (const [key, value] of this.#own) if (value !== gone) yield [key, value];
  }

  #settle(): void {
    this.#shared = new Map(this);
    this.#own = new Map();
  }
}

/** Values by the numbers of objects: those of the file, and those that exist only inside instances. */
export class ByNumber<Value extends object> {
  readonly #own: (Value | undefined)[];
  readonly #inside: (Value | undefined)[];

  constructor(own: (Value | undefined)[] = [], inside: (Value | undefined)[] = []) {
    this.#own = own;
    this.#inside = inside;
  }

  get(index: number): Value | undefined {
    return index < insideBase ? this.#own[index] : this.#inside[index - insideBase];
  }

  has(index: number): boolean {
    return this.get(index) !== undefined;
  }

  set(index: number, value: Value | undefined): void {
    const list = index < insideBase ? this.#own : this.#inside;
    const at = index < insideBase ? index : index - insideBase;
    // Without holes: the engine keeps a list that has many as a table.
    while (list.length < at) list.push(undefined);
    list[at] = value;
  }

  /** As cheap as a copy of memory. */
  copy(): ByNumber<Value> {
    return new ByNumber([...this.#own], [...this.#inside]);
  }
}
