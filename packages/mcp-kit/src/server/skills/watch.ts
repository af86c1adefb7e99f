import { watch, type FSWatcher } from 'node:fs';

/** Watches folders, whichever are named last; keeps no process alive. */
export interface FolderWatch {
  /** Watches these from now on, and says whether any of them is new. */
  follow(folders: readonly string[]): boolean;
  close(): void;
}

/** What of a thousand folders changes is heard; of more, what is asked for is still as it is then. */
const maxWatched = 1000;

/** Tells when something in the folders may have changed. */
export function watchFolders(changed: () => void): FolderWatch {
  const watchers = new Map<string, FSWatcher>();
  const drop = (folder: string): void => {
    watchers.get(folder)?.close();
    watchers.delete(folder);
  };
  return {
    follow(folders) {
      const wanted = new Set(folders.slice(0, maxWatched));
      for (const folder of watchers.keys()) if (!wanted.has(folder)) drop(folder);
      let isAny = false;
      for (const folder of wanted) {
        if (watchers.has(folder)) continue;
        try {
          const watcher = watch(folder, { persistent: false }, changed);
          // A folder that is gone has been told of by the one it was in.
          watcher.on('error', () => drop(folder));
          watchers.set(folder, watcher);
          isAny = true;
        } catch {
          // It is gone again, or the system watches no more: it is looked at when it is asked for.
        }
      }
      return isAny;
    },
    close() {
      for (const folder of watchers.keys()) drop(folder);
    },
  };
}
