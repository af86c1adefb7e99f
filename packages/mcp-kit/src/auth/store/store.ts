/** Keeps secrets for this user, across processes. */
export interface CredentialStore {
  /** Where, in words that can be shown: which file, and whether it is sealed. */
  readonly place: string;
  /** The names under which anything is kept. */
  names(): Promise<readonly string[]>;
  /** What is kept under a name. */
  read(name: string): Promise<unknown>;
  /** Changes what is kept under a name, while nobody else does; `undefined` removes it. Resolves to what is kept then. */
  update(name: string, change: (kept: unknown) => unknown): Promise<unknown>;
  /** Runs while no other process runs something under the same name; rejects when `signal` fires first. */
  exclusively<T>(name: string, run: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

/** Keeps secrets in this process only. */
export function memoryCredentials(): CredentialStore {
  const kept = new Map<string, unknown>();
  const turns = new Map<string, Promise<unknown>>();
  return {
    place: 'in memory',
    names: () => Promise.resolve([...kept.keys()]),
    read: (name) => Promise.resolve(structuredClone(kept.get(name))),
    update: (name, change) => {
      const value = structuredClone(change(structuredClone(kept.get(name))));
      if (value === undefined) kept.delete(name);
      else kept.set(name, value);
      return Promise.resolve(structuredClone(value));
    },
    exclusively: async (name, run, signal) => {
      const before = turns.get(name);
      const turn = (async () => {
        await before;
        signal?.throwIfAborted();
        return run();
      })();
      const settled = turn.then(
        () => {},
        () => {},
      );
      turns.set(name, settled);
      try {
        return await turn;
      } finally {
        if (turns.get(name) === settled) turns.delete(name);
      }
    },
  };
}
