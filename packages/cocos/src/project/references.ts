import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { charactersOf, uuidsInText } from '#cocos/document';
import { baseUuid, type Asset } from './asset.ts';
import { withBytes } from './file-store.ts';
import { stampOf } from './stamp.ts';

/** A file that refers to an asset, and to which parts of it. */
export interface AssetUse {
  readonly path: string;
  /** The uuids as they are written there, with those of sub-assets. */
  readonly uuids: readonly string[];
}

interface FileReferences {
  readonly stamp: string;
  readonly uuids: readonly string[];
}

/** The kinds of files that name other assets. */
const referring = new Set([
  '.scene',
  '.prefab',
  '.anim',
  '.animask',
  '.animgraph',
  '.animgraphvari',
  '.labelatlas',
  '.material',
  '.mtl',
  '.pmtl',
  '.pmat',
  '.rt',
  '.terrain',
  '.json',
]);

const sliceMs = 10;

/** Which file refers to which asset; looking again reads only what changed. */
export class ReferenceIndex {
  readonly #root: string;
  #files = new Map<string, FileReferences>();

  constructor(root: string) {
    this.#root = root;
  }

  /** Looks at the files of the assets; what their metas name was seen already when they were read. */
  async refresh(
    assets: Iterable<Asset>,
    mentions: Iterable<readonly [string, readonly string[]]>,
  ): Promise<void> {
    const files = new Map<string, FileReferences>();
    for (const [place, uuids] of mentions) {
      if (uuids.length > 0) files.set(place, { stamp: '', uuids });
    }
    let until = performance.now() + sliceMs;
    for (const asset of assets) {
      const isText = asset.exists && referring.has(path.posix.extname(asset.path));
      const found = isText ? this.#look(asset.path, asset) : undefined;
      if (found !== undefined) files.set(asset.path, found);
      if (performance.now() > until) {
        await nextTurn();
        until = performance.now() + sliceMs;
      }
    }
    this.#files = files;
  }

  /** The files that refer to an asset, or with the uuid of a sub-asset, to just that. */
  usersOf(uuid: string): AssetUse[] {
    const users: AssetUse[] = [];
    for (const [place, { uuids }] of this.#files) {
      const found = matching(uuids, uuid);
      if (found.length > 0) users.push({ path: place, uuids: found });
    }
    return users;
  }

  /** The uuids that a file refers to. */
  referencesOf(place: string): readonly string[] {
    return this.#files.get(place)?.uuids ?? [];
  }

  #look(place: string, asset: Asset): FileReferences | undefined {
    const file = path.join(this.#root, place);
    const stamp = stampOf(file);
    if (stamp === undefined) return undefined;
    const known = this.#files.get(place);
    if (known?.stamp === stamp) return known;
    const own = (uuid: string) => baseUuid(uuid) === asset.uuid;
    // All that a uuid is written with is one byte each.
    const found = withBytes(file, (bytes) => uuidsInText(charactersOf(bytes)));
    return found && { stamp, uuids: [...found].filter((uuid) => !own(uuid)) };
  }
}

/** Those of the uuids that mean an asset, or one of its parts where no part is named. */
export function matching(uuids: Iterable<string>, wanted: string): string[] {
  const isPart = wanted.includes('@');
  return [...uuids].filter((uuid) => (isPart ? uuid === wanted : baseUuid(uuid) === wanted));
}
