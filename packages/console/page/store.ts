import { useSyncExternalStore } from 'react';

/** A value that parts of the page look at, and are drawn anew with. */
export interface Store<T> {
  get(): T;
  set(value: T): void;
  subscribe(changed: () => void): () => void;
}

export function createStore<T>(value: T): Store<T> {
  let now = value;
  const watchers = new Set<() => void>();
  return {
    get: () => now,
    set(next) {
      if (Object.is(now, next)) return;
      now = next;
      for (const changed of watchers) changed();
    },
    subscribe(changed) {
      watchers.add(changed);
      return () => watchers.delete(changed);
    },
  };
}

/** The value of a store as it is now. */
export function useStore<T>(store: Store<T>): T {
  return useSyncExternalStore(store.subscribe, store.get);
}

/** What went wrong last with the page itself. */
export const trouble = createStore('');

/** The same, kept in this browser; what cannot be kept counts until the page is closed. */
export function createKept<T>(name: string, usual: T): Store<T> {
  const key = `mcp-console.${name}`;
  const store = createStore((read(key) as T | undefined) ?? usual);
  store.subscribe(() => {
    try {
      localStorage.setItem(key, JSON.stringify(store.get()));
    } catch (error) {
      trouble.set(`${name}: ${String(error)}`);
    }
  });
  return store;
}

function read(key: string): unknown {
  try {
    const text = localStorage.getItem(key);
    return text === null ? undefined : JSON.parse(text);
  } catch (error) {
    trouble.set(`${key}: ${String(error)}`);
    return undefined;
  }
}
