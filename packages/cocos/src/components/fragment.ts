import { cloneJson, type Fragment, type OwnEntry, type OwnJson, ref } from '#cocos/document';
import {
  type ComponentTable,
  builtInComponents,
  initialFields,
  requireComponent,
} from './component-table.ts';
import { makeValue } from './field.ts';
import { type ComponentRecipe, isLink, type NodeRecipe, type RecipeValues } from './recipe.ts';

/** What a new node begins with. */
export interface NewNode {
  readonly name: string;
  readonly layer: number;
  readonly active?: boolean | undefined;
  readonly position?: readonly [x: number, y: number, z?: number] | undefined;
}

/** A node without parent, children, components and id. */
export function newNode({ name, layer, active = true, position = [0, 0, 0] }: NewNode): OwnEntry {
  return {
    __type__: 'cc.Node',
    _name: name,
    _objFlags: 0,
    __editorExtras__: {},
    _parent: null,
    _children: [],
    _active: active,
    _components: [],
    _prefab: null,
    _lpos: makeValue('cc.Vec3', ...position.map((part) => part ?? 0)),
    _lrot: makeValue('cc.Quat', 0, 0, 0, 1),
    _lscale: makeValue('cc.Vec3', 1, 1, 1),
    _mobility: 0,
    _layer: layer,
    _euler: makeValue('cc.Vec3', 0, 0, 0),
    _id: '',
  };
}

/** A component of a class without node and id; `values` are by stored name, in any order. */
export function newComponent(type: string, fields: OwnEntry): OwnEntry {
  return {
    __type__: type,
    _name: '',
    _objFlags: 0,
    __editorExtras__: {},
    node: null,
    _enabled: true,
    __prefab: null,
    ...fields,
    _id: '',
  };
}

/** The objects of a recipe, ready to be inserted; nodes have the layer of the recipe or the one given. */
export function fragmentOf(
  recipe: NodeRecipe,
  layer: number,
  table: ComponentTable = builtInComponents,
): Fragment {
  const building: Building = { objects: [], keys: new Map(), pending: [], table };
  addNode(building, recipe, { layer });
  for (const { entry, values } of building.pending) setValues(building, entry, values);
  return { objects: building.objects };
}

interface Building {
  readonly objects: OwnEntry[];
  readonly keys: Map<string, number>;
  readonly pending: { entry: OwnEntry; values: RecipeValues }[];
  readonly table: ComponentTable;
}

function addNode(
  on: Building,
  recipe: NodeRecipe,
  above: { readonly layer: number; readonly parent?: number | undefined },
): number {
  const layer = recipe.layer ?? above.layer;
  const { name, active, position } = recipe;
  const entry = newNode({ name, layer, active, position });
  const index = add(on, entry, recipe.key);
  if (above.parent !== undefined) entry['_parent'] = ref(above.parent);
  const children = recipe.children ?? [];
  entry['_children'] = children.map((child) => ref(addNode(on, child, { layer, parent: index })));
  entry['_components'] = recipe.components.map((part) => ref(addComponent(on, part, index)));
  return index;
}

function addComponent(on: Building, recipe: ComponentRecipe, node: number): number {
  const spec = requireComponent(on.table, recipe.type);
  const entry = newComponent(spec.type, initialFields(spec));
  entry['node'] = ref(node);
  on.pending.push({ entry, values: recipe.values ?? {} });
  return add(on, entry, recipe.key);
}

function add(on: Building, entry: OwnEntry, key: string | undefined): number {
  const index = on.objects.push(entry) - 1;
  if (key !== undefined) on.keys.set(key, index);
  return index;
}

function setValues(on: Building, entry: OwnEntry, values: RecipeValues): void {
  for (const [field, value] of Object.entries(values)) {
    entry[field] = isLink(value) ? linkTo(on, value.link) : cloneJson(value);
  }
}

function linkTo(on: Building, key: string): OwnJson {
  const index = on.keys.get(key);
  return index === undefined ? null : ref(index);
}
