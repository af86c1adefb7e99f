import { existsSync, readdirSync, readFileSync, statSync, type Dirent } from 'node:fs';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parseMeta, uuidsInText, type Meta } from '#cocos/document';
import { assetOf, baseUuid, type Asset, type SubAsset } from './asset.ts';
import type { FoundProject } from './find-project.ts';
import { fileOf, urlOf } from './paths.ts';

/** What became of an asset since the last look. */
export interface AssetChange {
  readonly change: 'create' | 'update' | 'delete';
  readonly asset: Asset;
}

/** A file that calls itself a meta and cannot be one, or claims the uuid of another. */
export interface AssetProblem {
  readonly path: string;
  readonly message: string;
}

interface Entry {
  readonly stamp: string;
  readonly asset: Asset | undefined;
  readonly problem: string | undefined;
  /** The uuids of other assets that the meta names. */
  readonly mentions: readonly string[];
}

/** A meta, and whether what it describes is there. */
interface Found {
  readonly file: string;
  readonly exists: boolean;
}

const nothing = { asset: undefined, problem: undefined, mentions: [] };

/** How long to work before others get their turn. */
const sliceMs = 10;

/** The assets of a project by uuid and path; looking again reads only what changed. */
export class AssetIndex {
  readonly #project: FoundProject;
  /** By the path of the meta. */
  #entries = new Map<string, Entry>();
  #byPath = new Map<string, Asset>();
  #byUuid = new Map<string, Asset>();
  #unimported = new Set<string>();
  #folders: string[] = [];

  constructor(project: FoundProject) {
    this.#project = project;
  }

  get assets(): Iterable<Asset> {
    return this.#byPath.values();
  }

  /** The paths of files and folders that have no meta yet: no editor has seen them. */
  get unimported(): Iterable<string> {
    return this.#unimported;
  }

  /** The folders that were seen, absolute. */
  get folders(): readonly string[] {
    return this.#folders;
  }

  byUuid(uuid: string): Asset | undefined {
    const asset = this.#byUuid.get(baseUuid(uuid));
    return asset !== undefined && (asset.uuid === uuid || subAssetOf(asset, uuid))
      ? asset
      : undefined;
  }

  byPath(relative: string): Asset | undefined {
    return this.#byPath.get(relative);
  }

  /** Which other assets a meta names, by its path. */
  *mentions(): Generator<readonly [string, readonly string[]]> {
    for (const [file, { asset, mentions }] of this.#entries) {
      if (asset !== undefined) yield [file, mentions];
    }
  }

  /** Metas that describe nothing, and metas whose uuid is another's. */
  *problems(): Generator<AssetProblem> {
    for (const [file, { asset, problem }] of this.#entries) {
      const holder = asset && this.#byUuid.get(asset.uuid);
      if (problem !== undefined) {
        yield { path: file, message: problem };
      } else if (asset !== undefined && holder !== undefined && holder.path !== asset.path) {
        yield { path: file, message: `its uuid ${asset.uuid} is that of ${holder.path}` };
      }
    }
  }

  /** Looks at all folders, each of which is told before; reads the metas that are new or have changed. */
  async refresh(onFolder: (folder: string) => void): Promise<AssetChange[]> {
    const entries = new Map<string, Entry>();
    const folders: string[] = [];
    const unimported = new Set<string>();
    let until = performance.now() + sliceMs;
    for (const mount of this.#project.mounts) {
      const waiting = [mount.path];
      for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
        const place = path.join(this.#project.root, folder);
        onFolder(place);
        folders.push(place);
        const listed = list(place);
        const names = new Set(listed.map(({ name }) => name));
        for (const name of withoutMeta(listed, names)) unimported.add(`${folder}/${name}`);
        for (const entry of listed) {
          const inner = `${folder}/${entry.name}`;
          if (entry.isDirectory()) {
            waiting.push(inner);
          } else if (entry.name.endsWith('.meta')) {
            const exists = names.has(entry.name.slice(0, -'.meta'.length));
            const indexed = this.#lookAt(inner, { exists, isLink: entry.isSymbolicLink() });
            if (indexed !== undefined) entries.set(inner, indexed);
          }
          if (performance.now() > until) {
            await nextTurn();
            until = performance.now() + sliceMs;
          }
        }
      }
    }
    this.#folders = folders;
    this.#unimported = unimported;
    return this.#replace(entries);
  }

  /** Looks at these folders only; undefined where folders came or went, so that all have to be looked at. */
  refreshIn(folders: readonly string[]): AssetChange[] | undefined {
    const entries = new Map(this.#entries);
    for (const folder of folders) {
      const listed = list(folder);
      const inner = listed.filter((entry) => entry.isDirectory()).map(({ name }) => name);
      const known = this.#folders.filter((each) => path.dirname(each) === folder);
      const isSame =
        inner.length === known.length &&
        inner.every((name) => known.includes(path.join(folder, name)));
      if (!isSame || listed.length === 0) return undefined;
      const parent = path.relative(this.#project.root, folder).replaceAll('\\', '/');
      for (const place of this.#entries.keys()) {
        if (path.posix.dirname(place) === parent) entries.delete(place);
      }
      const names = new Set(listed.map(({ name }) => name));
      for (const place of this.#unimported) {
        if (path.posix.dirname(place) === parent) this.#unimported.delete(place);
      }
      for (const name of withoutMeta(listed, names)) this.#unimported.add(`${parent}/${name}`);
      for (const entry of listed) {
        if (entry.isDirectory() || !entry.name.endsWith('.meta')) continue;
        const place = `${parent}/${entry.name}`;
        const exists = names.has(entry.name.slice(0, -'.meta'.length));
        const indexed = this.#lookAt(place, { exists, isLink: entry.isSymbolicLink() });
        if (indexed !== undefined) entries.set(place, indexed);
      }
    }
    return this.#replace(entries);
  }

  /** Looks at single files again, after they were written. */
  update(paths: Iterable<string>): AssetChange[] {
    const entries = new Map(this.#entries);
    for (const changed of paths) {
      const meta = changed.endsWith('.meta') ? changed : `${changed}.meta`;
      const place = meta.slice(0, -'.meta'.length);
      const exists = existsSync(path.join(this.#project.root, place));
      const indexed = this.#lookAt(meta, { exists, isLink: true });
      const isAsset = urlOf(this.#project, place) !== undefined && !isHidden(place);
      if (exists && indexed === undefined && isAsset) this.#unimported.add(place);
      else this.#unimported.delete(place);
      if (indexed === undefined) entries.delete(meta);
      else entries.set(meta, indexed);
    }
    return this.#replace(entries);
  }

  /** Links may lead out of the project; to follow every name costs as much as reading it. */
  #lookAt(
    place: string,
    seen: { readonly exists: boolean; readonly isLink: boolean },
  ): Entry | undefined {
    const { root } = this.#project;
    try {
      const file = seen.isLink ? fileOf({ root }, place) : path.join(root, place);
      return this.#look(place, { file, exists: seen.exists });
    } catch (error) {
      return { stamp: '', ...nothing, problem: messageOf(error) };
    }
  }

  #look(place: string, found: Found): Entry | undefined {
    const stat = statSync(found.file, { throwIfNoEntry: false });
    if (stat === undefined || !stat.isFile()) return undefined;
    const stamp = `${stat.mtimeMs}:${stat.ctimeMs}:${stat.size}:${stat.ino}:${found.exists}`;
    const known = this.#entries.get(place);
    return known?.stamp === stamp ? known : { stamp, ...this.#read(place, found) };
  }

  #read(place: string, { file, exists }: Found): Omit<Entry, 'stamp'> {
    const relative = place.slice(0, -'.meta'.length);
    let text = '';
    let meta: Meta | undefined;
    try {
      text = readFileSync(file, 'utf8');
      meta = parseMeta(text);
    } catch (error) {
      return { ...nothing, problem: messageOf(error) };
    }
    if (meta === undefined) return nothing;
    const { uuid } = meta;
    const url = urlOf(this.#project, relative) ?? relative;
    return {
      asset: assetOf(meta, { path: relative, url, exists }),
      problem: undefined,
      mentions: [...uuidsInText(text)].filter((each) => baseUuid(each) !== uuid),
    };
  }

  #replace(entries: Map<string, Entry>): AssetChange[] {
    const before = this.#entries;
    const changes: AssetChange[] = [];
    for (const [place, { asset }] of entries) {
      const known = before.get(place)?.asset;
      if (asset !== undefined && asset !== known) {
        changes.push({ change: known === undefined ? 'create' : 'update', asset });
      }
    }
    for (const [place, { asset }] of before) {
      if (asset !== undefined && entries.get(place)?.asset === undefined) {
        changes.push({ change: 'delete', asset });
      }
    }
    this.#entries = entries;
    if (changes.length > 0) this.#arrange();
    return changes;
  }

  #arrange(): void {
    this.#byPath = new Map();
    this.#byUuid = new Map();
    for (const { asset } of this.#entries.values()) {
      if (asset === undefined) continue;
      this.#byPath.set(asset.path, asset);
      // Of two with one uuid, the one whose file is there.
      const other = this.#byUuid.get(asset.uuid);
      if (other === undefined || (!other.exists && asset.exists)) {
        this.#byUuid.set(asset.uuid, asset);
      }
    }
  }
}

/** The sub-asset of an asset by its whole uuid. */
export function subAssetOf(asset: Asset, uuid: string): SubAsset | undefined {
  return asset.subAssets.find((sub) => sub.uuid === uuid);
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** The editor overlooks what begins with a dot. */
const isHidden = (place: string): boolean => path.posix.basename(place).startsWith('.');

/** The names in a folder that no meta is beside. */
function withoutMeta(listed: readonly Dirent[], names: ReadonlySet<string>): string[] {
  return listed
    .filter((entry) => entry.isFile() || entry.isDirectory())
    .map(({ name }) => name)
    .filter((name) => !isHidden(name) && !name.endsWith('.meta') && !names.has(`${name}.meta`));
}

/** Links to folders are not followed: they lead out of the project, or to a folder that is listed anyway. */
function list(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // It went away meanwhile.
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw error;
  }
}
