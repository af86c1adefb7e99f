/** Who is called back, by key. */
export interface Watchers {
  /** Calls back whenever this key is woken; the function returned ends that. */
  add(key: string, woken: () => void): () => void;
  /** Calls those of a key, after what is under way now. */
  wake(key: string): void;
  has(key: string): boolean;
  keys(): Iterable<string>;
}

export function createWatchers(): Watchers {
  const watchers = new Map<string, Set<() => void>>();
  const call = (key: string): void => {
    for (const woken of watchers.get(key) ?? []) woken();
  };
  return {
    add(key, woken) {
      const known = watchers.get(key);
      // One of its own: who watches twice is called twice, and ends each apart.
      const own = (): void => woken();
      if (known === undefined) watchers.set(key, new Set([own]));
      else known.add(own);
      return () => {
        const others = watchers.get(key);
        if (others?.delete(own) === true && others.size === 0) watchers.delete(key);
      };
    },
    wake(key) {
      if (watchers.has(key)) queueMicrotask(() => call(key));
    },
    has: (key) => watchers.has(key),
    keys: () => watchers.keys(),
  };
}
