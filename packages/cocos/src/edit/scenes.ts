import { type Change, CocosError, type Meta, prefabFrom, printTable } from '#cocos/document';
import { createSceneTable, type DesignResolution, fragmentOf, layers } from '#cocos/components';
import { baseName, ensureFolders, newFilePath, newMeta } from './asset-files.ts';
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
  const meta = newMeta(workspace, 'scene', { files: ['.json'] });
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
    meta: prefabMeta(workspace, name),
  });
}

/** The meta of a new prefab. */
export function prefabMeta(workspace: Workspace, name: string): Meta {
  return newMeta(workspace, 'prefab', { files: ['.json'], userData: { syncNodeName: name } });
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
