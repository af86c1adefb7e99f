import { builtInComponents, type ComponentTable, learnComponents } from '#cocos/components';
import { CocosError, type SceneView, type Table } from '#cocos/document';
import type { Draft, Project } from '#cocos/project';
import type { ScriptCatalog } from '#cocos/scripts';
import { assetAt, type Imports } from './import/import-file.ts';
import { viewOf } from './views.ts';

/** A draft of a project with what is needed to understand it; operations change the draft, never the disk. */
export interface Workspace {
  readonly project: Project;
  readonly draft: Draft;
  /** Others once one is imported. */
  scripts: ScriptCatalog;
  /** The classes of the engine that are known; `componentSpec` knows those of a document, too. */
  readonly components: ComponentTable;
  readonly documents: Map<string, SceneDocument>;
  /** The paths of open documents that must be expanded anew, because a prefab may have changed. */
  readonly stale: Set<string>;
  /** Absent where nothing is changed: what no editor has seen stays as it is. */
  readonly imports?: Imports | undefined;
}

/** A scene or prefab, open. */
export interface SceneDocument {
  readonly workspace: Workspace;
  readonly path: string;
  readonly uuid: string;
  readonly kind: 'scene' | 'prefab';
  readonly view: SceneView;
  /** Classes of which only the file knows the layout; learned when first asked for. */
  readonly learned: () => ComponentTable;
}

/** Opens a draft for operations; those that are given `imports` import what they name. */
export async function openWorkspace(
  project: Project,
  draft: Draft = project.draft(),
  imports?: Imports,
): Promise<Workspace> {
  const scripts = await project.scripts();
  return {
    project,
    draft,
    scripts,
    components: builtInComponents,
    documents: new Map(),
    stale: new Set(),
    imports,
  };
}

/** Opens a scene or prefab to be edited, named by path, URL or uuid; to be asked for again after a prefab was edited. */
export function openDocument(workspace: Workspace, reference: string): SceneDocument {
  const path = documentPath(workspace, reference);
  assetAt(workspace, path);
  const document = opened(workspace, path) ?? describe(workspace, path, workspace.draft.edit(path));
  workspace.documents.set(path, document);
  if (document.kind === 'prefab') {
    for (const other of workspace.documents.keys()) if (other !== path) workspace.stale.add(other);
  }
  return document;
}

/** Opens a scene or prefab to be read only; what is given must not be edited. */
export function readDocument(workspace: Workspace, reference: string): SceneDocument {
  const path = documentPath(workspace, reference);
  return opened(workspace, path) ?? describe(workspace, path, workspace.draft.table(path));
}

/** A document that is open, with its prefabs as they are now. */
function opened({ documents, stale }: Workspace, path: string): SceneDocument | undefined {
  const document = documents.get(path);
  if (stale.delete(path)) document?.view.refresh();
  return document;
}

/** Shows all other open documents what a prefab has become. */
export function refreshOthers({ workspace, path }: SceneDocument): void {
  for (const other of workspace.documents.keys()) {
    workspace.stale.add(other);
    if (other !== path) opened(workspace, other);
  }
}

function documentPath({ draft }: Workspace, reference: string): string {
  const asset = draft.asset(reference) ?? draft.assetAt(draft.resolve(reference));
  const path = asset?.path ?? draft.resolve(reference);
  if (!/\.(scene|prefab)$/.test(path)) {
    throw new CocosError('E_INVALID_ARGUMENT', `"${path}" is neither a scene nor a prefab.`, {
      suggestion: 'Name a file that ends in .scene or .prefab.',
    });
  }
  return path;
}

function describe(workspace: Workspace, path: string, table: Table): SceneDocument {
  const uuid = workspace.draft.assetAt(path)?.uuid ?? '';
  let learned: ComponentTable | undefined;
  return {
    workspace,
    path,
    uuid,
    kind: table.kind,
    view: viewOf(workspace.draft, table),
    learned: () => (learned ??= learn(table)),
  };
}

function learn(table: Table): ComponentTable {
  const specs = learnComponents([table.objects], (type) => builtInComponents.has(type));
  return new Map(specs.map((spec) => [spec.type, spec]));
}
