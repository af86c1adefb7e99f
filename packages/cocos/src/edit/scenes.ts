import {
  type Change,
  CocosError,
  isObject,
  type Meta,
  ownAt,
  prefabFrom,
  printTable,
  rootOf,
  setField,
} from '#cocos/document';
import { createSceneTable, type DesignResolution, fragmentOf, layers } from '#cocos/components';
import { baseName, ensureFolders, newFilePath } from './asset-files.ts';
import { newMeta } from './import/importers.ts';
import type { Workspace } from './workspace.ts';

/** A scene to create. */
export interface SceneCreation {
  readonly path: string;
  /** Where absent, that of the project. */
  readonly resolution?: DesignResolution | undefined;
  /** Without Canvas and camera. */
  readonly empty?: boolean | undefined;
}

/** What was created. */
export interface FileCreated {
  readonly path: string;
  readonly uuid: string;
  readonly changes: readonly Change[];
}

/** Creates a 2D scene with its meta, and the folders it needs. */
export function createScene(workspace: Workspace, creation: SceneCreation): FileCreated {
  const path = newFilePath(workspace, creation.path, { ending: /\.scene$/ });
  const resolution = creation.resolution ?? workspace.project.info.designResolution;
  if (!(resolution.width > 0 && resolution.height > 0)) {
    throw new CocosError(
      'E_INVALID_ARGUMENT',
      'The resolution must have a positive width and height.',
    );
  }
  const meta = newMeta(workspace, path, 'scene');
  const table = createSceneTable({
    name: baseName(path),
    uuid: meta.uuid,
    resolution: creation.empty === true ? undefined : resolution,
  });
  return writeAsset(workspace, path, { text: printTable(table), meta });
}

/** Creates a prefab of a single node with its meta, and the folders it needs. */
export function createEmptyPrefab(
  workspace: Workspace,
  creation: { readonly path: string; readonly ui?: boolean | undefined },
): FileCreated {
  const path = newFilePath(workspace, creation.path, { ending: /\.prefab$/ });
  const name = baseName(path);
  const components = creation.ui === true ? [{ type: 'cc.UITransform' }] : [];
  const layer = creation.ui === true ? layers.UI_2D : layers.DEFAULT;
  const table = prefabFrom(fragmentOf({ name, components }, layer), name);
  return writeAsset(workspace, path, {
    text: printTable(table),
    meta: newMeta(workspace, path, 'prefab'),
  });
}

/** Scenes and prefabs repeat the name of their file. */
export function nameAfterFile({ draft }: Workspace, path: string): void {
  const table = draft.edit(path);
  const name = baseName(path);
  const [head, root] = [ownAt(table, 0), ownAt(table, rootOf(table))];
  if (head['_name'] !== '') setField(head, { key: '_name', value: name });
  if (root['_name'] !== undefined) setField(root, { key: '_name', value: name });
  const meta = draft.meta(path);
  const userData = meta?.value['userData'];
  if (meta === undefined || !isObject(userData) || !('syncNodeName' in userData)) return;
  const value = { ...meta.value, userData: { ...userData, syncNodeName: name } };
  draft.writeMeta(path, { ...meta, value });
}

/** Lets a scene or prefab have the name of its file, and a scene the uuid of its meta, as the editor does; false where it had. */
export function takeIdentity(workspace: Workspace, path: string): boolean {
  const { draft } = workspace;
  const before = draft.text(path);
  nameAfterFile(workspace, path);
  const table = draft.edit(path);
  const value = draft.assetAt(path)?.uuid;
  if (table.kind === 'scene' && value !== undefined) {
    setField(ownAt(table, rootOf(table)), { key: '_id', value });
  }
  return draft.text(path) !== before;
}

/** Writes a new asset with its meta, and the folders it needs. */
export function writeAsset(
  workspace: Workspace,
  path: string,
  { text, meta }: { readonly text: string; readonly meta: Meta },
): FileCreated {
  const folders = ensureFolders(workspace, path);
  workspace.draft.write(path, text);
  workspace.draft.writeMeta(path, meta);
  const changes = [...folders, path].map((target) => ({ type: 'create', target }) as const);
  return { path, uuid: meta.uuid, changes };
}
