import { SceneView, type Table } from '#cocos/document';
import type { Draft } from '#cocos/project';
import type { Workspace } from './workspace.ts';

/** The prefabs that a view was made with. */
type Prefabs = Map<string, Table | undefined>;

const prefabsOf = new WeakMap<SceneView, Prefabs>();
/** A view of each table that somebody has looked at; tables that are shared do not change. */
const views = new WeakMap<Table, SceneView>();

/** A view of a table of a draft: one that is there already, where it is only looked at, or one that begins with what that has found. */
export function viewOf(draft: Draft, table: Table): SceneView {
  const { editing } = table;
  const known = views.get(editing?.base ?? table);
  const base = known !== undefined && isOf(known, draft) ? known : undefined;
  if (editing === undefined) return base ?? kept(table, newView(draft, table));
  return newView(draft, table, editing.own.size === 0 ? base : undefined);
}

/** Lets those who look at files from now on have the views with which they were edited, where they were written with the same numbers. */
export function handOverViews({ documents }: Pick<Workspace, 'documents'>, draft: Draft): void {
  for (const { path, view } of documents.values()) {
    try {
      handOver(draft, view, draft.table(path));
    } catch {
      // It is written. What has become of it since is for those to hear who look at it.
    }
  }
}

function handOver(draft: Draft, edited: SceneView, written: Table): void {
  const { objects } = edited.table;
  const isSame =
    objects.length === written.objects.length &&
    written.objects.every((entry, index) => entry === undefined || entry === objects[index]);
  if (isSame) kept(written, newView(draft, written, edited));
}

function kept(table: Table, view: SceneView): SceneView {
  views.set(table, view);
  return view;
}

function newView(draft: Draft, table: Table, base?: SceneView): SceneView {
  const prefabs: Prefabs = new Map(base && prefabsOf.get(base));
  const resolve = (uuid: string): Table | undefined => {
    const prefab = draft.prefab(uuid);
    prefabs.set(uuid, prefab);
    return prefab;
  };
  const view = new SceneView(table, resolve, base);
  prefabsOf.set(view, prefabs);
  return view;
}

/** Whether a view shows what a draft has. */
function isOf(view: SceneView, draft: Draft): boolean {
  return [...(prefabsOf.get(view) ?? [])].every(([uuid, prefab]) => draft.prefab(uuid) === prefab);
}
