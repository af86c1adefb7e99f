import { CocosError } from './cocos-error.ts';
import { assetOf } from './entries.ts';
import { Expansion, insideBase } from './expansion.ts';
import type { Resolve, ViewProblem } from './expansion.ts';
import { isList, refIndex, refIndices, textOf, typeOf } from './json.ts';
import type { Entry, OwnJson } from './json.ts';
import { rootOf } from './table.ts';
import type { Table } from './table.ts';
import { ByNumber, LayeredMap } from './view-maps.ts';

/** A node or component of the expanded tree. */
export interface ViewItem {
  readonly index: number;
  readonly kind: 'node' | 'component';
  /** What tools call it; the same whenever the file is opened. */
  readonly handle: string;
  /** The parent of a node, the node of a component. */
  readonly owner: number | undefined;
  /** The root of the outermost instance that it is or lies in. */
  readonly instance: number | undefined;
  /** How an override of that instance names it. */
  readonly localId: readonly string[] | undefined;
  /** Whether it comes from a prefab, so that the file can only override it. */
  readonly inside: boolean;
  /** The uuid of the innermost prefab that it comes from. */
  readonly asset: string | undefined;
}

/** Where in an instance the tree is being walked. */
interface Within {
  readonly instance: number;
  readonly path: readonly string[];
  readonly handle: string;
  readonly asset: string;
}

interface Step {
  readonly index: number;
  readonly owner: number | undefined;
  readonly within: Within | undefined;
}

/** So many can be compared with each other in less time than a set of them takes. */
const few = 8;

/** Whether none of them is there twice. */
function areOthers(items: readonly ViewItem[]): boolean {
  return items.length <= few
    ? items.every((item, at) => items.indexOf(item) === at)
    : new Set(items).size === items.length;
}

/** Whether one name contains the other, or the first half of one begins the other: most slips come later. */
function areAlike(name: string, other: string): boolean {
  if (name === '' || other === '') return false;
  const begin = name.slice(0, Math.max(2, Math.ceil(name.length / 2)));
  return other.includes(name) || name.includes(other) || other.startsWith(begin);
}

/** The tree that a scene or prefab is when it is opened, instances expanded; edits through this layer keep it true. */
export class SceneView {
  readonly table: Table;
  readonly #resolve: Resolve;
  #items: ByNumber<ViewItem>;
  #handles: LayeredMap<string, number>;
  #expansion: Expansion;
  #nodes: number;

  /** `base` is a view of a table of the same objects, whose prefabs are the same: what it has found is shared. */
  constructor(table: Table, resolve: Resolve, base?: SceneView) {
    this.table = table;
    this.#resolve = resolve;
    this.#items = base === undefined ? new ByNumber() : base.#items.copy();
    this.#handles = base === undefined ? new LayeredMap() : base.#handles.copy();
    this.#nodes = base === undefined ? 0 : base.#nodes;
    this.#expansion = this.#expand(base === undefined ? undefined : base.#expansion);
    if (base === undefined) this.#add({ index: this.root, owner: undefined, within: undefined });
  }

  /** The number of the scene, or of the root node of the prefab. */
  get root(): number {
    return rootOf(this.table);
  }

  /** What the engine would skip when it opens the file. */
  get problems(): readonly ViewProblem[] {
    return this.#expansion.problems;
  }

  /** The object of a number with everything applied; to be read, never written. */
  at(index: number): Entry {
    const entry = this.#expansion.at(index);
    if (entry === undefined) throw new CocosError('E_NOT_FOUND', `There is no object ${index}`);
    return entry;
  }

  /** The same, or undefined where there is none. */
  peek(index: number): Entry | undefined {
    return this.#expansion.at(index);
  }

  /** The node or component of a number, when it is part of the tree. */
  item(index: number): ViewItem | undefined {
    return this.#items.get(index);
  }

  /** The node or component that an instance has under a local id. */
  target(instance: number, localId: readonly string[]): ViewItem | undefined {
    const index = this.#expansion.target(instance, localId);
    return index === undefined ? undefined : this.#items.get(index);
  }

  /** The nodes directly below a node. */
  children(index: number): ViewItem[] {
    return this.#listed(index, '_children');
  }

  /** The components of a node. */
  components(index: number): ViewItem[] {
    return this.#listed(index, '_components');
  }

  /** The name of a node. */
  name(index: number): string {
    return textOf(this.at(index)['_name']);
  }

  /** The names from below the root to a node, as `Canvas/Menu/Button[1]`; of a component, those of its node. */
  path(index: number): string {
    const steps: string[] = [];
    const item = this.#items.get(index);
    let at = item?.kind === 'component' ? item.owner : index;
    while (at !== undefined && at !== this.root) {
      steps.unshift(this.#step(at));
      at = this.#items.get(at)?.owner;
    }
    return steps.join('/');
  }

  /** What people call a node or component: `Canvas/Menu`, `Canvas/Menu:cc.Sprite`. */
  label(index: number): string {
    const item = this.#items.get(index);
    if (item === undefined) return `#${index}`;
    const path = this.path(index) || this.name(this.root);
    return item.kind === 'node' ? path : `${path}:${typeOf(this.at(index))}`;
  }

  /** Whether a node or component has this handle. */
  has(handle: string): boolean {
    return this.#handles.has(handle);
  }

  /** The node or component of a handle, or the node of a path; undefined when there is none. */
  find(handleOrPath: string): ViewItem | undefined {
    const index = this.#handles.get(handleOrPath);
    if (index !== undefined) return this.#items.get(index);
    const path = handleOrPath.replace(/^\/|\/$/g, '');
    const found = this.#follow(this.root, path);
    if (found !== undefined) return this.#items.get(found);
    const [first = '', ...rest] = path.split('/');
    const isRoot = first === this.name(this.root);
    const below = isRoot ? this.#follow(this.root, rest.join('/')) : undefined;
    return this.#items.get(below ?? this.#begun(handleOrPath) ?? -1);
  }

  /** The only object whose handle begins so; what is shorter than that may be by chance. */
  #begun(text: string): number | undefined {
    if (!/^[0-9a-f]{2}[0-9A-Za-z+/]{6,}$/.test(text)) return undefined;
    const found = [...this.#handles].filter(([handle]) => handle.startsWith(text));
    return found.length === 1 ? found[0]?.[1] : undefined;
  }

  /** The same for whoever cannot go on without. */
  get(handleOrPath: string): ViewItem {
    const item = this.find(handleOrPath);
    if (item) return item;
    const name = handleOrPath.split('/').at(-1)?.toLowerCase() ?? '';
    const near = this.#namedLike(name);
    throw new CocosError('E_NOT_FOUND', `Nothing here is called "${handleOrPath}"`, {
      suggestion:
        near.length > 0
          ? `Did you mean ${near.map((path) => `"${path}"`).join(' or ')}?`
          : 'Ask for the tree, and use a uuid or path from there.',
      details: { asked: handleOrPath },
    });
  }

  /** All nodes and components at and below a node: each node, its components, its children. */
  *items(from: number = this.root): Generator<ViewItem> {
    const waiting = [from];
    for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
      const item = this.#items.get(index);
      if (!item) continue;
      yield item;
      yield* this.components(index);
      for (const child of this.children(index).toReversed()) waiting.push(child.index);
    }
  }

  /** How many nodes there are, with those in instances. */
  nodeCount(): number {
    return this.#nodes;
  }

  /** Expands everything anew, after an edit that changed what instances contain. */
  refresh(): void {
    this.#expansion = this.#expand();
    this.#items = new ByNumber();
    this.#handles = new LayeredMap();
    this.#nodes = 0;
    this.#add({ index: this.root, owner: undefined, within: undefined });
  }

  /** Takes in a node, with all below, or a component, that the file now has. */
  track(index: number, owner: number): void {
    const isNode = refIndices(this.at(owner)['_components']).every((at) => at !== index);
    if (!isNode) {
      this.#addComponent(index, owner, undefined);
      return;
    }
    this.#expansion.grow(index);
    this.#add({ index, owner, within: undefined });
  }

  /** Leaves out a node, with all below, or a component. */
  forget(index: number): void {
    const gone = this.#items.get(index)?.kind === 'node' ? [...this.items(index)] : [];
    for (const at of [index, ...gone.map((item) => item.index)]) {
      const handle = this.#items.get(at)?.handle ?? '';
      if (this.#handles.get(handle) === at) this.#handles.delete(handle);
      if (this.#items.get(at)?.kind === 'node') this.#nodes -= 1;
      this.#items.set(at, undefined);
    }
  }

  /** Tells whether an object looks other than the file has it. */
  isChanged(index: number): boolean {
    return index >= insideBase || this.#expansion.changed(index) !== undefined;
  }

  /** Lets an object be seen with a value; the file does not change. */
  show(index: number, path: readonly string[], value: OwnJson): boolean {
    return this.#expansion.apply(index, path, value);
  }

  #expand(base?: Expansion): Expansion {
    const templates = { resolve: this.#resolve, made: new Map(), open: new Set<string>() };
    return new Expansion(this.table, templates, base);
  }

  /** What a list of a node has; a broken file may name the same twice, or what belongs elsewhere, even what is above it. */
  #listed(owner: number, list: '_children' | '_components'): ViewItem[] {
    const elements = this.at(owner)[list];
    if (!isList(elements)) return [];
    const items = elements.map((element) => this.#items.get(refIndex(element) ?? -1));
    const isOwn = (item: ViewItem | undefined): item is ViewItem => item?.owner === owner;
    return items.every(isOwn) && areOthers(items) ? items : [...new Set(items)].filter(isOwn);
  }

  #add(start: Step): void {
    const waiting = [start];
    for (let step = waiting.pop(); step !== undefined; step = waiting.pop()) {
      const node = this.#expansion.at(step.index);
      if (!node || this.#items.has(step.index)) continue;
      const within = this.#addNode(step, node);
      for (const component of refIndices(node['_components'])) {
        this.#addComponent(component, step.index, within);
      }
      for (const child of refIndices(node['_children']).toReversed()) {
        waiting.push({ index: child, owner: step.index, within });
      }
    }
  }

  #addNode({ index, owner, within }: Step, node: Entry): Within | undefined {
    const info = this.#expansion.follow(node['_prefab']);
    const fileId = textOf(info?.['fileId']);
    const inside = index >= insideBase;
    const around = inside ? within : undefined;
    const entered = info && this.#enter(index, info, around);
    const here = entered ?? around;
    this.#nodes += 1;
    this.#keep({
      index,
      kind: 'node',
      handle: entered?.handle ?? this.#handleOf({ node, fileId, index, here }),
      owner,
      instance: here?.instance,
      localId: here && [...here.path, fileId],
      inside,
      asset: here?.asset,
    });
    return here;
  }

  /** Where one is below a node that stands for a whole prefab. */
  #enter(index: number, info: Entry, around: Within | undefined): Within | undefined {
    const instance = this.#expansion.follow(info['instance']);
    if (!instance) return undefined;
    const id = textOf(instance['fileId']);
    const asset = assetOf(info['asset']);
    return around
      ? { ...around, path: [...around.path, id], handle: around.handle + id, asset }
      : { instance: index, path: [], handle: id, asset };
  }

  #addComponent(index: number, owner: number, within: Within | undefined): void {
    const component = this.#expansion.at(index);
    if (!component) return;
    const here = index >= insideBase ? within : undefined;
    const fileId = textOf(this.#expansion.follow(component['__prefab'])?.['fileId']);
    this.#keep({
      index,
      kind: 'component',
      handle: this.#handleOf({ node: component, fileId, index, here }),
      owner,
      instance: here?.instance,
      localId: here && [...here.path, fileId],
      inside: index >= insideBase,
      asset: here?.asset,
    });
  }

  #handleOf(object: {
    readonly node: Entry;
    readonly fileId: string;
    readonly index: number;
    readonly here: Within | undefined;
  }): string {
    const { node, fileId, index, here } = object;
    if (here) return here.handle + (fileId || `#${index}`);
    return textOf(node['_id']) || fileId || `#${index}`;
  }

  #keep(item: ViewItem): void {
    this.#items.set(item.index, item);
    if (!this.#handles.has(item.handle)) this.#handles.set(item.handle, item.index);
  }

  /** The name of a node, with its place among siblings of the same name when it is not the first. */
  #step(index: number): string {
    const name = this.name(index);
    const owner = this.#items.get(index)?.owner;
    const same =
      owner === undefined
        ? []
        : this.children(owner).filter((sibling) => this.name(sibling.index) === name);
    const place = same.findIndex((sibling) => sibling.index === index);
    return place > 0 ? `${name}[${place}]` : name;
  }

  #follow(from: number, path: string): number | undefined {
    let at: number | undefined = from;
    for (const step of path === '' ? [] : path.split('/')) {
      if (at === undefined) return undefined;
      const children: ViewItem[] = this.children(at);
      const exact = children.find(({ index }) => this.name(index) === step);
      const [, name, place] = /^(.*)\[(\d+)\]$/.exec(step) ?? [];
      at = (exact ?? children.filter(({ index }) => this.name(index) === name)[Number(place)])
        ?.index;
    }
    return at;
  }

  #namedLike(name: string): string[] {
    const near: string[] = [];
    for (const { index, kind } of this.items()) {
      if (kind !== 'node' || index === this.root || near.length >= 3) continue;
      if (areAlike(name, this.name(index).toLowerCase())) near.push(this.path(index));
    }
    return near;
  }
}
