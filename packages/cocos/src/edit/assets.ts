import { type Change, cloneJson, CocosError, isObject, replaceAsset } from '#cocos/document';
import type { Asset } from '#cocos/project';
import { baseName, ensureFolders, newFilePath } from './asset-files.ts';
import { findAsset } from './find-asset.ts';
import { unimportedAt } from './import/import-file.ts';
import { contains, prefabsIn } from './prefabs.ts';
import { nameAfterFile } from './scenes.ts';
import type { Workspace } from './workspace.ts';

/** Creates a folder for assets, with its meta, and the folders above it. */
export function createFolder(
  workspace: Workspace,
  reference: string,
): { path: string; changes: Change[] } {
  const path = newFilePath(workspace, reference, { ending: /$/ });
  const made = ensureFolders(workspace, `${path}/`);
  return { path, changes: made.map((target) => ({ type: 'create', target })) };
}

function requireFile(workspace: Workspace, reference: string): Asset {
  const { uuid, path } = findAsset(workspace, reference);
  const asset = workspace.draft.asset(uuid);
  if (asset !== undefined && path !== undefined && asset.uuid === uuid) return asset;
  throw new CocosError('E_INVALID_ARGUMENT', `"${reference}" is not a file of the project.`, {
    suggestion: 'Name a file or folder below assets.',
  });
}

/** Moves or renames an asset, or a folder, with its meta; references stay whole, because the uuid does. */
export function moveAsset(
  workspace: Workspace,
  { from, to }: { readonly from: string; readonly to: string },
): { from: string; path: string; changes: Change[] } {
  const { draft } = workspace;
  const asset = requireFile(workspace, from);
  const path = newFilePath(workspace, to, {
    ending: new RegExp(`${endingOf(asset)}$`),
    instead: asset.path,
  });
  const folders = ensureFolders(workspace, path);
  closeDocuments(workspace, asset.path);
  draft.move(asset.path, path);
  draft.move(`${asset.path}.meta`, `${path}.meta`);
  if (asset.importer === 'scene' || asset.importer === 'prefab') nameAfterFile(workspace, path);
  renameParts(workspace, path, asset.name);
  const changes: Change[] = folders.map((target) => ({ type: 'create', target }));
  changes.push({ type: 'move', target: asset.path, to: path });
  return { from: asset.path, path, changes };
}

function endingOf({ path, importer }: Asset): string {
  const ending = importer === 'directory' ? undefined : /\.[^./]+$/.exec(path)?.[0];
  return ending === undefined ? '' : `\\${ending}`;
}

/** The parts of an image are shown by the name of its file. */
function renameParts({ draft }: Workspace, path: string, old: string): void {
  const name = baseName(path);
  const meta = draft.meta(path);
  if (meta === undefined || name === old) return;
  const value = cloneJson(meta.value);
  const shown = Object.values(isObject(value['subMetas']) ? value['subMetas'] : {})
    .filter((part) => isObject(part))
    .filter((part) => part['displayName'] === old);
  for (const part of shown) part['displayName'] = name;
  if (shown.length > 0) draft.writeMeta(path, { ...meta, value });
}

/** Others may show instances of what is closed: they are looked at anew when they are next asked for. */
function closeDocuments({ documents, stale }: Workspace, path: string): void {
  for (const open of documents.keys()) {
    if (open === path || open.startsWith(`${path}/`)) documents.delete(open);
    else stale.add(open);
  }
}

/** What deleting an asset did. */
export interface AssetDeleted {
  readonly path: string;
  /** Files that refer to what is gone. */
  readonly users: readonly string[];
  readonly changes: readonly Change[];
}

/** How many users of an asset a message names. */
const mostNamed = 5;

/** Deletes an asset, or a folder, with its meta; fails where other files refer to it, unless forced. */
export async function deleteAsset(
  workspace: Workspace,
  {
    path: reference,
    force = false,
  }: { readonly path: string; readonly force?: boolean | undefined },
): Promise<AssetDeleted> {
  const { draft, project } = workspace;
  // What goes need not be imported before.
  const bare = unimportedAt(workspace, reference);
  const asset = bare === undefined ? requireFile(workspace, reference) : { path: bare };
  const isGone = (path: string): boolean =>
    [asset.path, `${asset.path}.meta`].includes(path) || path.startsWith(`${asset.path}/`);
  const gone = [...draft.assets()].filter(({ path }) => isGone(path));
  const users = new Set<string>();
  for (const { uuid } of gone) {
    for (const use of await project.usersOf(uuid, draft)) {
      if (!isGone(use.path)) users.add(use.path);
    }
  }
  if (users.size > 0 && !force) {
    const named = [...users].sort();
    const more = named.length > mostNamed ? ` and ${named.length - mostNamed} more` : '';
    throw new CocosError(
      'E_PRECONDITION_FAILED',
      `"${asset.path}" is used by ${named.slice(0, mostNamed).join(', ')}${more}.`,
      {
        suggestion: 'Replace the references first, or pass force: true.',
        details: { users: named },
      },
    );
  }
  closeDocuments(workspace, asset.path);
  draft.remove(asset.path);
  if (bare === undefined) draft.remove(`${asset.path}.meta`);
  const places = new Set([asset.path, ...gone.map(({ path }) => path)]);
  const changes = [...places].map((target) => ({ type: 'delete', target }) as const);
  return { path: asset.path, users: [...users].sort(), changes };
}

/** What replacing references did. */
export interface ReferencesReplaced {
  readonly files: readonly { readonly path: string; readonly count: number }[];
  readonly count: number;
  readonly changes: readonly Change[];
}

/** Lets files that refer to one asset refer to another of the same class; in all files, or in those named. */
export async function replaceReferences(
  workspace: Workspace,
  {
    from,
    to,
    paths,
  }: { readonly from: string; readonly to: string; readonly paths?: readonly string[] | undefined },
): Promise<ReferencesReplaced> {
  const { draft, project } = workspace;
  const target = findAsset(workspace, to);
  const source = knownOrUuid(workspace, from, target.type);
  const wanted =
    paths === undefined ? undefined : new Set(paths.map((path) => draft.resolve(path)));
  const pairs = partsOf(workspace, source, target.uuid);
  const files: { path: string; count: number }[] = [];
  for (const { path } of await project.usersOf(source, draft)) {
    if (wanted !== undefined && !wanted.has(path)) continue;
    const counts = pairs.map((pair) => replaceIn(workspace, path, pair));
    const count = counts.reduce((sum, each) => sum + each, 0);
    if (count > 0) files.push({ path, count });
  }
  for (const { path } of files) checkCycle(workspace, path);
  const changes = files.map(({ path, count }) => ({
    type: 'update' as const,
    target: path,
    field: `${count} references`,
    from: source,
    to: target.uuid,
  }));
  return { files, count: files.reduce((sum, { count }) => sum + count, 0), changes };
}

/** Another prefab in an instance must not make a prefab contain itself. */
function checkCycle(workspace: Workspace, path: string): void {
  const { draft } = workspace;
  const { uuid } = draft.assetAt(path) ?? {};
  const table = uuid === undefined ? undefined : draft.prefab(uuid);
  if (uuid === undefined || table === undefined) return;
  if (!contains(workspace, prefabsIn(table.objects), uuid)) return;
  throw new CocosError('E_INVALID_ARGUMENT', `The prefab "${path}" would contain itself.`, {
    suggestion: 'Name the files where references shall be replaced, without that one.',
  });
}

interface Replacement {
  readonly from: string;
  readonly to: string;
}

/** With a whole asset go those of its parts that the other has, too: the sprite frame of an image, which is what is referred to. */
function partsOf({ draft }: Workspace, from: string, to: string): readonly Replacement[] {
  const whole = [{ from, to }];
  if (from.includes('@') || to.includes('@')) return whole;
  const others = new Map(draft.asset(to)?.subAssets.map(({ id, uuid }) => [id, uuid]));
  const parts = (draft.asset(from)?.subAssets ?? []).flatMap(({ id, uuid }): Replacement[] => {
    const other = others.get(id);
    return other === undefined ? [] : [{ from: uuid, to: other }];
  });
  return [...whole, ...parts];
}

/** References to what is missing can be replaced, too. */
function knownOrUuid(workspace: Workspace, reference: string, type: string): string {
  if (/^[0-9a-f]{8}-[-0-9a-f]{27}(@[0-9a-z]+)*$/.test(reference)) return reference;
  return findAsset(workspace, reference, type).uuid;
}

function replaceIn(workspace: Workspace, path: string, { from, to }: Replacement): number {
  const { draft, documents, stale } = workspace;
  if (/\.(scene|prefab)$/.test(path)) {
    const uses = replaceAsset(draft.edit(path), from, to);
    for (const open of documents.keys()) stale.add(open);
    documents.get(path)?.view.refresh();
    return uses.length;
  }
  const text = draft.text(path);
  // A uuid is not the beginning of that of a sub-asset.
  const pattern = new RegExp(`${from}(?![0-9a-z@])`, 'g');
  const count = text.match(pattern)?.length ?? 0;
  if (count > 0) draft.write(path, text.replace(pattern, to));
  return count;
}
