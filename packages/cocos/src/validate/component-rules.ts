import { builtInComponents, initialFields, newComponent } from '#cocos/components';
import {
  type Change,
  insertComponent,
  isScriptType,
  refIndices,
  SceneView,
  typeOf,
  type ViewItem,
} from '#cocos/document';
import { isOfClass, typeName } from '#cocos/edit';
import { type Inspection, readPrefab } from './inspection.ts';
import type { TreeNode } from './walk.ts';

/** `missingRequired`, `doubleRenderer`: the components of a node go together. */
export function checkComponents(inspection: Inspection): void {
  const { tree, issues } = inspection;
  /** The classes that are known to go together. */
  const together = new Set<readonly string[]>();
  for (const node of tree) {
    if (together.has(node.types)) continue;
    // What comes from a prefab as it is there is a matter of that file.
    const isOfPrefab = node.components.every(({ inside }) => inside);
    if (isOfPrefab && !hasRemoved(inspection, node.item)) continue;
    const count = issues.length;
    checkRequired(inspection, node);
    checkSingle(inspection, node);
    if (issues.length === count) together.add(node.types);
  }
}

function hasRemoved({ view }: Inspection, { instance }: ViewItem): boolean {
  if (view === undefined || instance === undefined) return false;
  const info = view.at(refIndices([view.at(instance)['_prefab'] ?? null])[0] ?? 0);
  const [stub] = refIndices([info['instance'] ?? null]);
  return stub !== undefined && refIndices(view.at(stub)['removedComponents']).length > 0;
}

function checkRequired(inspection: Inspection, { components, types }: TreeNode): void {
  const { workspace } = inspection;
  for (const [position, { index }] of components.entries()) {
    const type = types[position] ?? '';
    const required = isScriptType(type)
      ? workspace.scripts.byType(type)?.requires
      : workspace.components.get(type)?.requires;
    for (const name of required ?? []) {
      if (types.some((present) => isOfClass(workspace, present, name))) continue;
      const canAdd = builtInComponents.has(name);
      inspection.issues.push({
        code: 'missingRequired',
        at: index,
        message: `${typeName(workspace, type)} needs a ${name} on its node, which has none.`,
        suggestion: canAdd ? `Repair adds a ${name}.` : `Add a ${name} to the node.`,
        fix: canAdd ? () => addRequired(inspection, index, name) : undefined,
      });
    }
  }
}

/** Adds a component in front of the one that needs it; the file is opened anew, as other repairs may have changed it. */
function addRequired({ table, workspace }: Inspection, user: number, type: string): Change[] {
  const view = new SceneView(table, (uuid) => readPrefab(workspace, uuid));
  const spec = builtInComponents.get(type);
  const node = view.item(user)?.owner;
  if (spec === undefined || node === undefined) return [];
  const others = view.components(node);
  if (others.some(({ index }) => typeOf(view.at(index)) === type)) return [];
  const at = others.findIndex(({ index }) => index === user);
  const objects = [newComponent(type, initialFields(spec))];
  return insertComponent(view, { objects }, { node, at }).changes;
}

function checkSingle(inspection: Inspection, { components, types }: TreeNode): void {
  const { workspace } = inspection;
  const seen = new Map<string, string>();
  for (const [position, { index }] of components.entries()) {
    const type = types[position] ?? '';
    const spec = workspace.components.get(type);
    if (spec === undefined || !(spec.single || spec.renderer)) continue;
    const family = spec.renderer ? 'renderer' : type;
    const other = seen.get(family);
    seen.set(family, type);
    if (other === undefined) continue;
    inspection.issues.push({
      code: 'doubleRenderer',
      at: index,
      message: spec.renderer
        ? `The node is drawn by a ${other} and by a ${type}; only one is possible.`
        : `The node has two of ${type}; only one is possible.`,
      suggestion: spec.renderer
        ? `Remove one of them, or move the ${type} to a child node.`
        : 'Remove one of them.',
    });
  }
}
