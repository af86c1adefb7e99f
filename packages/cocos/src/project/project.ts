import { dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { uuidsInText } from '#cocos/document';
import { isScriptPath, type ScriptCatalog } from '#cocos/scripts';
import { baseUuid, type Asset } from './asset.ts';
import { AssetIndex, type AssetChange, type AssetProblem } from './asset-index.ts';
import { Draft } from './draft.ts';
import { readEditorState, type EditorState } from './editor-state.ts';
import { decode, FileStore } from './file-store.ts';
import { findProject, type FoundProject, type Mount, type ProjectInfo } from './find-project.ts';
import { fileOf, folderGone, resolvePath, urlOf } from './paths.ts';
import { matching, ReferenceIndex, type AssetUse } from './references.ts';
import { type ScriptPlace, Scripts } from './scripts.ts';
import { entryOf } from './own-folder.ts';
import type { Note } from './keys.ts';
import {
  Transactions,
  type CommitOptions,
  type Transaction,
  type ProjectOptions,
} from './transactions.ts';
import { FolderWatch } from './watch-folders.ts';

/** After the first of several changes, how long to wait for the others. */
const settleMs = 100;

/** How a project is opened. */
interface OpenOptions extends ProjectOptions {
  /** Whether the disk is followed from the start, for whoever will watch it. */
  readonly follow?: boolean | undefined;
}

/** Opens the project that a folder belongs to: takes back what was interrupted, and looks at its assets. */
export async function openProject(folder: string, options: OpenOptions = {}): Promise<Project> {
  const project = new Project(findProject(folder), options);
  try {
    await project.start();
    return project;
  } catch (error) {
    project[Symbol.dispose]();
    throw error;
  }
}

/** A Cocos Creator project on the disk: what is in it, and the one way to change it. */
export class Project implements Disposable {
  readonly root: string;
  readonly info: ProjectInfo;
  readonly mounts: readonly Mount[];
  readonly #found: FoundProject;
  readonly #store: FileStore;
  readonly #index: AssetIndex;
  readonly #references: ReferenceIndex;
  readonly #transactions: Transactions;
  readonly #listeners = new Set<(changes: AssetChange[]) => void>();
  readonly #scripts: Scripts;
  readonly #watch = new FolderWatch((folder) => {
    this.#stale.add(folder);
    this.#scripts.changedIn(folder);
    this.#settle();
  });
  /** Folders in which something changed. */
  readonly #stale = new Set<string>();
  #refreshing: Promise<AssetChange[]> | undefined;
  #isDirty = true;
  #isFollowed: boolean;
  #settling: NodeJS.Timeout | undefined;

  constructor(found: FoundProject, options: OpenOptions) {
    this.#found = found;
    this.root = found.root;
    this.info = found.info;
    this.mounts = found.mounts;
    this.#store = new FileStore(found.root);
    this.#index = new AssetIndex(found);
    this.#references = new ReferenceIndex(found.root);
    this.#transactions = new Transactions(found, this.#store, options);
    this.#isFollowed = options.follow ?? false;
    this.#scripts = new Scripts((path) => this.file(path), found.root);
  }

  /** Takes back what was interrupted, and looks at the assets for the first time. */
  async start(): Promise<void> {
    await this.#transactions.recover();
    await this.refresh();
  }

  /** Looks for changes on the disk; reads only what changed. */
  refresh(): Promise<AssetChange[]> {
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  /** Looks for changes unless it is watched and none was seen. */
  async current(): Promise<void> {
    if (entryOf(this.root)?.isDirectory() !== true) throw folderGone(this.root);
    await this.#refreshing?.catch(() => {
      this.#isDirty = true;
    });
    // What was written before the call is known to the system; after a whole turn of the event loop it has told us.
    await setImmediate();
    await setImmediate();
    if (this.#isDirty || !this.#watch.reliable) await this.refresh();
    if (this.#stale.size === 0) return;
    const changes = this.#index.refreshIn([...this.#stale]);
    this.#stale.clear();
    if (changes === undefined) await this.refresh();
    else this.#tell(changes);
  }

  /** Follows the disk from now on; the listener hears what changed, also by our own transactions. */
  watch(listener: (changes: AssetChange[]) => void): Disposable {
    this.#listeners.add(listener);
    if (!this.#isFollowed) {
      this.#isFollowed = true;
      // Something may have happened before the first watch.
      this.#isDirty = true;
      this.#settle();
    }
    return {
      [Symbol.dispose]: () => {
        this.#listeners.delete(listener);
        if (this.#listeners.size === 0) this[Symbol.dispose]();
      },
    };
  }

  assets(): Iterable<Asset> {
    return this.#index.assets;
  }

  /** The paths of files and folders that have no meta yet: no editor has seen them. */
  unimported(): Iterable<string> {
    return this.#index.unimported;
  }

  /** The asset of a uuid, also of one of its sub-assets. */
  asset(uuid: string): Asset | undefined {
    return this.#index.byUuid(uuid);
  }

  /** The asset at a path or `db://` address. */
  assetAt(input: string): Asset | undefined {
    return this.#index.byPath(this.resolve(input));
  }

  /** Metas that cannot be read, and assets that share a uuid. */
  problems(): Iterable<AssetProblem> {
    return this.#index.problems();
  }

  /** The path in the project of a `db://` address, a relative or an absolute path; refuses what leads out. */
  resolve(input: string): string {
    return resolvePath(this.#found, input);
  }

  /** The `db://` address of a path; undefined for what is no asset. */
  url(input: string): string | undefined {
    return urlOf(this.#found, this.resolve(input));
  }

  /** The absolute path of a file, with symbolic links resolved. */
  file(input: string): string {
    return fileOf(this.#found, this.resolve(input));
  }

  /** The classes of all scripts, also of those that have no meta yet; reads only those that changed. */
  scripts(): Promise<ScriptCatalog> {
    if (!this.#watch.reliable) this.#scripts.changed();
    return this.#scripts.catalog(() => this.#scriptPlaces());
  }

  /** The files that refer to an asset, or to just a part of it; with a draft, as it would be. */
  async usersOf(uuid: string, draft?: Draft): Promise<AssetUse[]> {
    await this.#references.refresh(this.assets(), this.#index.mentions());
    const users = this.#references.usersOf(uuid);
    if (draft === undefined) return users;
    const changed = new Map(draft.files().map((file) => [file.path, file.after]));
    const others = users.filter((use) => !changed.has(use.path));
    for (const [path, after] of changed) {
      const found = after === undefined ? [] : matching(uuidsInText(decode(after)), uuid);
      const own = draft.assetAt(path.replace(/\.meta$/, ''))?.uuid;
      if (found.length > 0 && own !== baseUuid(uuid)) others.push({ path, uuids: found });
    }
    return others;
  }

  /** The files that refer to an asset, and the uuids of the assets that its own file refers to. */
  async referencesOf({ uuid, path }: Pick<Asset, 'uuid' | 'path'>): Promise<{
    readonly usedBy: readonly AssetUse[];
    readonly uses: readonly string[];
  }> {
    await this.#references.refresh(this.assets(), this.#index.mentions());
    const usedBy = this.#references.usersOf(uuid);
    return { usedBy, uses: this.#references.referencesOf(path) };
  }

  /** A copy of the project to plan on. */
  draft(): Draft {
    return new Draft({
      root: this.root,
      mounts: this.mounts,
      store: this.#store,
      asset: (uuid) => this.#index.byUuid(uuid),
      assetAt: (path) => this.#index.byPath(path),
      assets: () => this.#index.assets,
    });
  }

  /** Writes all of a draft, or nothing of it; undefined where it changes nothing. */
  async commit(
    draft: Draft,
    label: string,
    options?: CommitOptions,
  ): Promise<Transaction | undefined> {
    const done = await this.#transactions.commit(draft, label, options);
    if (done !== undefined) this.#wrote(done);
    return done;
  }

  /** Takes back the last transaction; with an id, only if that is the last. */
  async undo(id?: string, options?: CommitOptions): Promise<Transaction> {
    const done = await this.#transactions.undo(id, options);
    this.#wrote(done);
    return done;
  }

  /** What is remembered of a call under the name that its caller gave it. */
  known(key: string): Promise<string | undefined> {
    return this.#transactions.known(key);
  }

  /** Remembers something if its key has the value that is expected; false where it has another. */
  remember(note: Note): Promise<boolean> {
    return this.#transactions.remember(note);
  }

  /** Remembers nothing under a key any more if it has the value that is expected; false where it has another. */
  forget(key: string, expected: string | undefined): Promise<boolean> {
    return this.#transactions.forget(key, expected);
  }

  /** What can be undone, the last first. */
  history(): Promise<Transaction[]> {
    return this.#transactions.history();
  }

  /** Whether the editor has the project open. */
  editor(): EditorState {
    return readEditorState(this.root);
  }

  /** Settles when nothing is being written any more, and nothing waits to be. */
  settled(): Promise<void> {
    return this.#transactions.settled();
  }

  /** Stops watching. */
  [Symbol.dispose](): void {
    this.#listeners.clear();
    this.#isFollowed = false;
    clearTimeout(this.#settling);
    this.#settling = undefined;
    this.#watch.close();
  }

  async #refresh(): Promise<AssetChange[]> {
    this.#isDirty = false;
    this.#stale.clear();
    this.#scripts.changed();
    // Watched before it is looked at, so that nothing happens in between.
    const changes = await this.#index.refresh((folder) => {
      if (this.#isFollowed) this.#watch.add(folder);
    });
    if (this.#isFollowed) this.#watch.follow(this.#index.folders);
    this.#tell(changes);
    return changes;
  }

  #wrote({ files }: Transaction): void {
    for (const { path } of files) this.#scripts.changedIn(dirname(join(this.root, path)));
    this.#tell(this.#index.update(files.map(({ path }) => path)));
  }

  #tell(changes: AssetChange[]): void {
    if (changes.length > 0) for (const listener of this.#listeners) listener(changes);
  }

  #settle(): void {
    this.#settling ??= setTimeout(() => {
      this.#settling = undefined;
      // What cannot be listed now is looked for again by the next one who asks.
      this.current().catch(() => {
        this.#isDirty = true;
      });
    }, settleMs).unref();
  }

  *#scriptPlaces(): Generator<ScriptPlace> {
    for (const { importer, path, uuid } of this.assets()) {
      if (importer === 'typescript' || importer === 'javascript') yield { path, uuid };
    }
    for (const path of this.unimported()) {
      if (isScriptPath(path)) yield { path, uuid: undefined };
    }
  }
}
