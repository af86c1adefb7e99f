import { describeError, type Logger } from 'mcp-kit/internal';
import type { ManagerOptions, ManagerWatcher } from './options.ts';

/** All who hear what happens to the servers of a manager. What they do with it is not the manager's trouble. */
export class Watchers {
  readonly #all = new Set<ManagerWatcher>();
  readonly #logger: Logger;

  constructor({ onChange }: ManagerOptions, logger: Logger) {
    this.#logger = logger;
    if (onChange !== undefined) this.#all.add({ changed: onChange });
  }

  /** Tells it from now on; the function that is given back ends that. */
  add(watcher: ManagerWatcher): () => void {
    this.#all.add(watcher);
    return () => this.#all.delete(watcher);
  }

  tell(one: (watcher: ManagerWatcher) => void): void {
    for (const watcher of this.#all) {
      try {
        one(watcher);
      } catch (error) {
        this.#logger.error('onChange: a handler failed', { error: describeError(error) });
      }
    }
  }
}
