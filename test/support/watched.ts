/** Something to look at again whenever it changes. */
export class Watched {
  readonly #watchers = new Set<() => void>();

  changed(): void {
    for (const watcher of this.#watchers) watcher();
  }

  /** Settles when `find` gives something. */
  async until<T>(find: () => T | undefined): Promise<T> {
    for (;;) {
      const found = find();
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => {
        const watcher = (): void => {
          this.#watchers.delete(watcher);
          resolve();
        };
        this.#watchers.add(watcher);
      });
    }
  }
}
