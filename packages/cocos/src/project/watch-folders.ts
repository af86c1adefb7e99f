import { watch, type FSWatcher } from 'node:fs';

/** Tells when something changes in any of many folders, and in which. */
export class FolderWatch {
  readonly #onChange: (folder: string) => void;
  readonly #watchers = new Map<string, FSWatcher>();
  #failed = false;

  constructor(onChange: (folder: string) => void) {
    this.#onChange = onChange;
  }

  /** Whether every folder is watched; if not, changes may go unnoticed. */
  get reliable(): boolean {
    return !this.#failed && this.#watchers.size > 0;
  }

  /** Watches these folders, and no others any more. */
  follow(folders: readonly string[]): void {
    const wanted = new Set(folders);
    for (const [folder, watcher] of this.#watchers) {
      if (wanted.has(folder)) continue;
      watcher.close();
      this.#watchers.delete(folder);
    }
    this.#failed = false;
    for (const folder of wanted) this.add(folder);
  }

  /** Watches one folder more. */
  add(folder: string): void {
    if (this.#watchers.has(folder)) return;
    try {
      // One folder each: watching whole trees takes a watch per file on Linux.
      const watcher = watch(folder, { persistent: false }, () => {
        this.#onChange(folder);
      });
      watcher.on('error', () => {
        watcher.close();
        this.#watchers.delete(folder);
        this.#failed = true;
        this.#onChange(folder);
      });
      this.#watchers.set(folder, watcher);
    } catch {
      // Gone already, or too many: the caller has to look by itself.
      this.#failed = true;
    }
  }

  close(): void {
    this.follow([]);
  }
}
