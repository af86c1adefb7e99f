import { readdirSync } from 'node:fs';
import path from 'node:path';
import {
  CocosError,
  editTable,
  heldSource,
  parseMeta,
  parseTable,
  print,
  printMeta,
  type Meta,
  type Printed,
  type Table,
} from '#cocos/document';
import { assetOf, baseUuid, type Asset } from './asset.ts';
import { subAssetOf } from './asset-index.ts';
import { decode, type FileStore, type KnownFile } from './file-store.ts';
import type { Mount } from './find-project.ts';
import { fileOf, refuseUnwritable, resolvePath, urlOf } from './paths.ts';
import { hashOf, statOf } from './stamp.ts';

/** What a draft stands on. */
export interface DraftBase {
  readonly root: string;
  readonly mounts: readonly Mount[];
  readonly store: FileStore;
  readonly asset: (uuid: string) => Asset | undefined;
  readonly assetAt: (path: string) => Asset | undefined;
  readonly assets: () => Iterable<Asset>;
}

/** What committing a draft would do to a file. */
export interface FileChange {
  readonly path: string;
  readonly change: 'create' | 'update' | 'delete';
}

/** A file of a draft that differs from the one on the disk. */
export interface DraftFile {
  readonly path: string;
  /** The fingerprint of the file when the draft first looked at it; undefined where there was none. */
  readonly base: string | undefined;
  readonly after: Uint8Array | undefined;
  /** The same as text, with the table that is read from it. */
  readonly printed: Printed | undefined;
}

const removed = Symbol('removed');

/** A project as it would be: reads see what was written here, and nothing is on the disk until the draft is committed. */
export class Draft {
  readonly #base: DraftBase;
  /** Every file looked at, as it was. */
  readonly #seen = new Map<string, KnownFile | undefined>();
  readonly #files = new Map<string, Uint8Array | typeof removed>();
  readonly #tables = new Map<string, Table>();
  /** Parsed scenes and prefabs that were written as text. */
  readonly #parsed = new Map<Uint8Array, Table>();
  readonly #folders = new Map<string, 'created' | typeof removed>();
  readonly #assets = new Map<string, Asset>();
  readonly #gone = new Set<string>();

  constructor(base: DraftBase) {
    this.#base = base;
  }

  /** The path in the project of a `db://` address, a relative or an absolute path. */
  resolve(input: string): string {
    return resolvePath(this.#base, input);
  }

  /** The bytes of a file; undefined where there is none. */
  read(input: string): Uint8Array | undefined {
    const file = this.resolve(input);
    const table = this.#tables.get(file);
    const printed = table && print(table);
    if (printed !== undefined) return printed.bytes;
    if (this.#files.has(file)) return this.#written(file);
    const known = this.#base.store.read(file);
    this.#saw(file, known);
    return known?.bytes;
  }

  /** The text of a file. */
  text(input: string): string {
    const bytes = this.read(input);
    if (bytes === undefined) throw notFound(input, this.assets());
    return decode(bytes);
  }

  /** Whether there is such a file or folder. */
  exists(input: string): boolean {
    const place = this.resolve(input);
    return this.#isFile(place) || this.isFolder(place);
  }

  isFolder(input: string): boolean {
    const folder = this.resolve(input);
    const own = this.#folders.get(folder);
    if (own !== undefined) return own === 'created';
    return statOf(fileOf(this.#base, folder))?.isDirectory() === true;
  }

  /** The names in a folder, sorted. */
  list(input: string): string[] {
    const folder = this.resolve(input);
    if (!this.isFolder(folder)) throw notFound(input, this.assets());
    const names = new Set(this.#namesOnDisk(folder));
    for (const place of [...this.#files.keys(), ...this.#folders.keys()]) {
      if (path.posix.dirname(place) !== folder) continue;
      const name = path.posix.basename(place);
      if (this.exists(place)) names.add(name);
      else names.delete(name);
    }
    return [...names].sort();
  }

  /** A scene or prefab, to look at only: others share it. */
  table(input: string): Table {
    const file = this.resolve(input);
    const own = this.#tables.get(file);
    if (own !== undefined) return own;
    const written = this.#files.get(file);
    if (written === removed) throw notFound(input, this.assets());
    if (written !== undefined) return this.#parse(file, written);
    const parsed = this.#base.store.table(file);
    this.#saw(file, parsed);
    if (parsed === undefined) throw notFound(input, this.assets());
    return parsed.table;
  }

  /** A scene or prefab, to change: the draft's own copy, which is what later reads see. */
  edit(input: string): Table {
    const file = this.resolve(input);
    const own = this.#tables.get(file);
    if (own !== undefined) return own;
    refuseUnwritable(this.#base, file);
    const edited = editTable(this.table(file));
    this.#tables.set(file, edited);
    return edited;
  }

  /** Whether a scene or prefab was opened here to be changed. */
  isEdited(input: string): boolean {
    return this.#tables.has(this.resolve(input));
  }

  /** The prefab, or scene, of a uuid; undefined where the project has none. */
  prefab(uuid: string): Table | undefined {
    const asset = this.asset(uuid);
    if (asset === undefined || !/\.(prefab|scene)$/.test(asset.path)) return undefined;
    return this.#isFile(asset.path) ? this.table(asset.path) : undefined;
  }

  /** Creates or replaces a file; the folders it needs come with it. */
  write(input: string, content: Uint8Array | string): void {
    const file = this.resolve(input);
    refuseUnwritable(this.#base, file);
    if (this.isFolder(file)) throw new CocosError('E_CONFLICT', `${file} is a folder`);
    this.#look(file);
    this.#makeFolders(path.posix.dirname(file));
    this.#tables.delete(file);
    this.#files.set(file, typeof content === 'string' ? Buffer.from(content) : content);
    if (file.endsWith('.meta')) this.#indexMeta(file);
  }

  createFolder(input: string): void {
    const folder = this.resolve(input);
    refuseUnwritable(this.#base, folder);
    this.#makeFolders(folder);
  }

  /** Removes a file, or a folder with everything in it; the meta beside it is a file of its own. */
  remove(input: string): void {
    const place = this.resolve(input);
    refuseUnwritable(this.#base, place);
    if (this.isFolder(place)) {
      for (const name of this.list(place)) this.remove(`${place}/${name}`);
      this.#folders.set(place, removed);
      return;
    }
    if (!this.#isFile(place)) throw notFound(input, this.assets());
    this.#look(place);
    this.#tables.delete(place);
    this.#files.set(place, removed);
    if (place.endsWith('.meta')) this.#forgetMeta(place);
  }

  /** Moves a file, or a folder with everything in it, to where nothing is. */
  move(from: string, to: string): void {
    const [source, target] = [this.resolve(from), this.resolve(to)];
    if (!this.exists(source)) throw notFound(from, this.assets());
    if (this.exists(target)) throw new CocosError('E_CONFLICT', `${target} exists already`);
    if (`${target}/`.startsWith(`${source}/`)) {
      throw new CocosError('E_INVALID_ARGUMENT', `${source} cannot be moved into itself`);
    }
    refuseUnwritable(this.#base, source);
    if (this.isFolder(source)) {
      this.createFolder(target);
      for (const name of this.list(source)) this.move(`${source}/${name}`, `${target}/${name}`);
      this.#folders.set(source, removed);
      return;
    }
    const table = this.#tables.get(source);
    const bytes = this.read(source) ?? new Uint8Array();
    this.remove(source);
    this.write(target, bytes);
    if (table !== undefined) this.#tables.set(target, table);
  }

  /** The meta of an asset, to look at or to change and write back. */
  meta(input: string): Meta | undefined {
    const file = `${this.resolve(input)}.meta`;
    return this.#isFile(file) ? parseMeta(this.text(file)) : undefined;
  }

  /** Writes the meta of an asset in the style it has. */
  writeMeta(input: string, meta: Meta): void {
    this.write(`${this.resolve(input)}.meta`, printMeta(meta));
  }

  /** The asset of a uuid, also of one of its sub-assets. */
  asset(uuid: string): Asset | undefined {
    const own = this.#assets.get(baseUuid(uuid));
    if (own !== undefined) return own.uuid === uuid || subAssetOf(own, uuid) ? own : undefined;
    return this.#gone.has(baseUuid(uuid)) ? undefined : this.#base.asset(uuid);
  }

  /** The asset at a path or `db://` address. */
  assetAt(input: string): Asset | undefined {
    const place = this.resolve(input);
    for (const asset of this.#assets.values()) if (asset.path === place) return asset;
    const known = this.#base.assetAt(place);
    return known !== undefined && this.#isUnchanged(known) ? known : undefined;
  }

  *assets(): Generator<Asset> {
    yield* this.#assets.values();
    for (const asset of this.#base.assets()) {
      if (this.#isUnchanged(asset)) yield asset;
    }
  }

  /** What committing would do, by path. */
  changes(): FileChange[] {
    return this.files().map(({ path: file, base, after }) => {
      if (after === undefined) return { path: file, change: 'delete' };
      return { path: file, change: base === undefined ? 'create' : 'update' };
    });
  }

  /** The files that would change. */
  files(): DraftFile[] {
    const places = new Set([...this.#files.keys(), ...this.#tables.keys()]);
    return [...places].sort().flatMap((file): DraftFile[] => {
      const base = this.#seen.get(file)?.hash;
      const table = this.#tables.get(file);
      const printed = table && print(table);
      // Where it was opened and nothing is changed, it is what it was.
      if (table !== undefined && printed === undefined && !this.#files.has(file)) return [];
      const after = printed ? printed.bytes : this.#written(file);
      const isSame = after === undefined ? base === undefined : hashOf(after) === base;
      return isSame ? [] : [{ path: file, base, after, printed }];
    });
  }

  /** A scene or prefab is on the disk as it was printed. */
  handOver(file: string): void {
    this.#tables.delete(file);
    this.#files.delete(file);
  }

  /** The folders that would come and go, outer ones first. */
  folders(): { readonly created: string[]; readonly removed: string[] } {
    const made: string[] = [];
    const gone: string[] = [];
    for (const [folder, state] of [...this.#folders].sort(([left], [right]) =>
      left < right ? -1 : 1,
    )) {
      const isThere = statOf(fileOf(this.#base, folder))?.isDirectory() === true;
      if (state === 'created' && !isThere) made.push(folder);
      if (state === removed && isThere) gone.push(folder);
    }
    return { created: made, removed: gone };
  }

  /** Every file this draft has looked at, as it was then. */
  seen(): ReadonlyMap<string, KnownFile | undefined> {
    return this.#seen;
  }

  /** The bytes that were written here; undefined for a file that was removed. */
  #written(file: string): Uint8Array | undefined {
    const own = this.#files.get(file);
    return own === removed ? undefined : own;
  }

  #isUnchanged({ uuid }: Asset): boolean {
    return !this.#assets.has(uuid) && !this.#gone.has(uuid);
  }

  #isFile(place: string): boolean {
    if (this.#tables.has(place)) return true;
    const own = this.#files.get(place);
    if (own !== undefined) return own !== removed;
    return statOf(fileOf(this.#base, place))?.isFile() === true;
  }

  #makeFolders(folder: string): void {
    if (this.isFolder(folder)) return;
    if (this.#isFile(folder)) throw new CocosError('E_CONFLICT', `${folder} is a file`);
    this.#makeFolders(path.posix.dirname(folder));
    this.#folders.set(folder, 'created');
  }

  #namesOnDisk(folder: string): string[] {
    const file = fileOf(this.#base, folder);
    const isThere = this.#folders.get(folder) !== removed && statOf(file)?.isDirectory() === true;
    return isThere ? readdirSync(file) : [];
  }

  /** Only the first look counts: later ones would hide that somebody changed the file in between. */
  #saw(file: string, known: KnownFile | undefined): void {
    if (this.#seen.has(file)) return;
    this.#seen.set(file, known && { stamp: known.stamp, hash: known.hash });
  }

  #look(file: string): void {
    if (!this.#seen.has(file)) this.#saw(file, this.#base.store.read(file));
  }

  #parse(file: string, content: Uint8Array): Table {
    const table =
      this.#parsed.get(content) ?? parseTable(decode(content), file, heldSource(content));
    this.#parsed.set(content, table);
    return table;
  }

  #indexMeta(file: string): void {
    this.#forgetMeta(file);
    const meta = parseMeta(this.text(file));
    if (meta === undefined) return;
    const place = file.slice(0, -'.meta'.length);
    const url = urlOf(this.#base, place) ?? place;
    this.#assets.set(meta.uuid, assetOf(meta, { path: place, url, exists: true }));
  }

  #forgetMeta(file: string): void {
    const place = file.slice(0, -'.meta'.length);
    for (const [uuid, asset] of this.#assets) if (asset.path === place) this.#assets.delete(uuid);
    const known = this.#base.assetAt(place);
    if (known !== undefined) this.#gone.add(known.uuid);
  }
}

const maxNamed = 5;

/** Says what else there is of the kind that was meant. */
function notFound(input: string, assets: Iterable<Asset>): CocosError {
  const ending = /\.\w+$/.exec(input)?.[0];
  const alike: string[] = [];
  for (const { path: other } of assets) {
    if (ending !== undefined && other.endsWith(ending)) alike.push(other);
    if (alike.length > maxNamed) break;
  }
  const more = alike.length > maxNamed ? ', …' : '';
  return new CocosError('E_NOT_FOUND', `The project has no ${input}.`, {
    suggestion:
      alike.length === 0
        ? 'Look at the list of assets for what there is.'
        : `It has ${alike.slice(0, maxNamed).join(', ')}${more}`,
  });
}
