import { CocosError } from './cocos-error.ts';
import { assetOf, infoOf, instanceOf, listIn, localIdOf, propertyPathOf } from './entries.ts';
import { cloneJson, isList, isObject, ref, refIndex, refIndices, textOf } from './json.ts';
import type { Entry, Json, OwnEntry, OwnJson } from './json.ts';
import { ownerAt, put } from './property-path.ts';
import { entryAt, rootOf } from './table.ts';
import type { Table } from './table.ts';

/** Finds the prefab of a uuid. */
export type Resolve = (uuid: string) => Table | undefined;

/** Something that the engine would skip when it opens the file; `at` is the number of the object that says it. */
export interface ViewProblem {
  readonly code:
    | 'prefabAssetMissing'
    | 'prefabCycle'
    | 'overrideTargetMissing'
    | 'targetOverrideUnresolved';
  readonly at: number;
  readonly message: string;
}

/** Numbers from here on are of objects that exist only inside instances. */
export const insideBase: number = 2 ** 24;

/** A whole prefab, expanded: what each of its instances is a copy of. */
interface Template {
  readonly objects: readonly Entry[];
  readonly root: number;
  /** The nodes and components by the path with which an override names them. */
  readonly targets: ReadonlyMap<string, number>;
  /** Whether it contains itself. */
  readonly cyclic: boolean;
}

/** The prefabs that were met while a file is expanded, each expanded once. */
export interface Templates {
  readonly resolve: Resolve;
  readonly made: Map<string, Template | 'missing'>;
  /** Those being expanded: meeting one again is a cycle. */
  readonly open: Set<string>;
}

/** How nested a prefab may be, and how many objects a file may expand to; what is beyond only exists to do harm. */
const deepest = 64;
const mostInside = 300_000;

const keyOf = (localId: readonly string[]): string => localId.join('\n');

/** What the place of an instance says itself, whatever its prefab says. */
const ownOfStub = ['_objFlags', '_parent', '_prefab', '_id', '__editorExtras__'];

/** The objects of a file and of all instances in it, with everything applied that the file says about them. */
export class Expansion {
  readonly problems: ViewProblem[];
  readonly #table: Table;
  readonly #templates: Templates;
  /** Own objects that look different once everything is applied. */
  #changed: Map<number, OwnEntry>;
  #inside: OwnEntry[];
  #targets: Map<number, (localId: readonly string[]) => number | undefined>;
  /** Whether another expansion has these, so that they must be copied before they change. */
  #isShared: boolean;
  /** Of those the ones that may be changed, because nobody shares them; all where absent. */
  readonly #own: Set<number> | undefined;

  /** `base` is an expansion of a table of the same objects: what it has found is shared until it changes. */
  constructor(table: Table, templates: Templates, base?: Expansion) {
    this.#table = table;
    this.#templates = templates;
    this.problems = base === undefined ? [] : [...base.problems];
    this.#changed = base === undefined ? new Map() : base.#changed;
    this.#inside = base === undefined ? [] : base.#inside;
    this.#targets = base === undefined ? new Map() : base.#targets;
    this.#isShared = base !== undefined;
    this.#own = base && new Set();
    if (base === undefined) {
      this.grow(rootOf(table));
      this.#applyTargetOverrides();
    } else {
      base.#isShared = true;
      for (const [uuid, template] of base.#templates.made) templates.made.set(uuid, template);
    }
  }

  #unshare(): void {
    if (!this.#isShared) return;
    this.#changed = new Map(this.#changed);
    this.#inside = [...this.#inside];
    this.#targets = new Map(this.#targets);
    this.#isShared = false;
  }

  /** The object of a number, with everything applied. */
  at(index: number): Entry | undefined {
    if (index >= insideBase) return this.#inside[index - insideBase];
    return this.#changed.get(index) ?? this.#table.objects[index];
  }

  /** The same, to be changed without changing the file. */
  writable(index: number): OwnEntry | undefined {
    const isInside = index >= insideBase;
    const known = isInside ? this.#inside[index - insideBase] : this.#changed.get(index);
    if (known !== undefined && this.#own?.has(index) !== false) return known;
    const present = this.at(index);
    if (present === undefined) return undefined;
    const copy = cloneJson(present);
    this.#keep(index, copy);
    return copy;
  }

  #keep(index: number, entry: OwnEntry): void {
    this.#unshare();
    if (index >= insideBase) this.#inside[index - insideBase] = entry;
    else this.#changed.set(index, entry);
    this.#own?.add(index);
  }

  /** The copy of an own object that differs from the file, if there is one. */
  changed(index: number): OwnEntry | undefined {
    return this.#changed.get(index);
  }

  follow(value: Json | undefined): Entry | undefined {
    const index = refIndex(value);
    return index === undefined ? undefined : this.at(index);
  }

  /** Expands the instances at and below an own node. */
  grow(from: number): void {
    const waiting = [from];
    const seen = new Set<number>();
    for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
      if (seen.has(index)) continue;
      seen.add(index);
      if (index < insideBase && !this.#targets.has(index)) this.#expand(index);
      const children = refIndices(this.at(index)?.['_children']);
      waiting.push(...children.toReversed());
    }
  }

  /** The node or component of an instance that a path names. */
  target(instance: number, localId: readonly string[]): number | undefined {
    const lookup = this.#targets.get(instance);
    if (lookup) return lookup(localId);
    // Old files have nodes that stand for an instance within an instance; they hang below that one but are no children of it.
    const stub = this.#table.objects[instance];
    const parent = refIndex(stub?.['_parent']);
    const fileId = stub && instanceOf(this.#table, stub)?.['fileId'];
    if (parent === undefined || parent === instance || typeof fileId !== 'string') return undefined;
    if (localId.length >= deepest) return undefined;
    return this.target(parent, [fileId, ...localId]);
  }

  #expand(index: number): void {
    // Mounted on another instance, it may already look other than in the file.
    const stub = this.at(index);
    const instance = stub && instanceOf(this.#table, stub);
    if (!stub || !instance) return;
    const info = infoOf(this.#table, stub);
    const template = this.#template(assetOf(info?.['asset']), index);
    const copy = template ? this.#copy(template, index) : cloneJson(stub);
    for (const key of ownOfStub) {
      if (Object.hasOwn(stub, key)) copy[key] = cloneJson(stub[key] ?? null);
    }
    this.#keep(index, copy);
    const start = insideBase + this.#inside.length - (template?.objects.length ?? 0);
    this.#targets.set(index, (localId) => {
      if (!template) return keyOf(localId) === textOf(info?.['fileId']) ? index : undefined;
      const found = template.targets.get(keyOf(localId));
      if (found === undefined) return undefined;
      return found === template.root ? index : start + found;
    });
    this.#mount(index, instance);
    for (const override of refIndices(instance['propertyOverrides'])) {
      // What a missing prefab would have had is not worth a word each.
      if (!this.#override(index, override) && template) {
        this.#report('overrideTargetMissing', override, 'An override names nothing in its prefab');
      }
    }
  }

  #copy(template: Template, index: number): OwnEntry {
    const start = insideBase + this.#inside.length;
    if (this.#inside.length + template.objects.length > mostInside) {
      throw new CocosError(
        'E_PRECONDITION_FAILED',
        `The instances have over ${mostInside} objects`,
        {
          suggestion: 'Look for a prefab that contains many instances of another that does, too.',
        },
      );
    }
    const renumber = (old: number): number => (old === template.root ? index : start + old);
    for (const entry of template.objects) {
      this.#keep(insideBase + this.#inside.length, cloneJson(entry, renumber));
    }
    const root = this.#inside[start - insideBase + template.root];
    return root ?? {};
  }

  #mount(index: number, instance: Entry): void {
    const lists = [
      { key: 'mountedChildren', members: 'nodes', field: '_children', up: '_parent' },
      { key: 'mountedComponents', members: 'components', field: '_components', up: 'node' },
    ];
    for (const { key, members, field, up } of lists) {
      if (key === 'mountedComponents') this.#removeComponents(index, instance);
      for (const at of refIndices(instance[key])) {
        const info = entryAt(this.#table, at);
        const target = this.target(index, localIdOf(this.#table, info['targetInfo']));
        const owner = target === undefined ? undefined : this.writable(target);
        if (target === undefined || owner === undefined) {
          this.#report('overrideTargetMissing', at, 'Something is mounted on what is not there');
          continue;
        }
        const list = listIn(owner, field);
        for (const member of refIndices(info[members])) {
          if (list.some((element) => refIndex(element) === member)) continue;
          list.push(ref(member));
          if (refIndex(this.at(member)?.[up]) === target) continue;
          const mounted = this.writable(member);
          if (mounted) mounted[up] = ref(target);
        }
      }
    }
  }

  #removeComponents(index: number, instance: Entry): void {
    for (const at of refIndices(instance['removedComponents'])) {
      const removed = this.target(index, localIdOf(this.#table, ref(at)));
      const node = refIndex(removed === undefined ? null : this.at(removed)?.['node']);
      const list = node === undefined ? undefined : this.writable(node)?.['_components'];
      if (!isList(list)) {
        this.#report('overrideTargetMissing', at, 'A removed component is not in its prefab');
        continue;
      }
      const position = list.findIndex((element) => refIndex(element) === removed);
      if (position >= 0) list.splice(position, 1);
    }
  }

  #override(index: number, at: number): boolean {
    const override = this.#table.objects[at];
    if (!override) return false;
    const target = this.target(index, localIdOf(this.#table, override['targetInfo']));
    if (target === undefined) return false;
    return this.apply(target, propertyPathOf(override), cloneJson(override['value'] ?? null));
  }

  /** Puts a value where a path leads, without changing the file. */
  apply(index: number, path: readonly string[], value: OwnJson): boolean {
    const last = path.at(-1);
    const entry = this.writable(index);
    if (last === undefined || entry === undefined) return false;
    const owner = ownerAt(entry, path, (next) => this.writable(next));
    return owner !== undefined && put(owner, last, value);
  }

  #applyTargetOverrides(): void {
    const root = entryAt(this.#table, rootOf(this.#table));
    const holder = infoOf(this.#table, root);
    for (const at of refIndices(holder?.['targetOverrides'])) {
      const override = this.#table.objects[at];
      const source = override && this.#end(override, 'source');
      const target = override && this.#end(override, 'target');
      const done =
        source !== undefined &&
        target !== undefined &&
        this.apply(source, propertyPathOf(override ?? {}), ref(target));
      if (!done) {
        this.#report('targetOverrideUnresolved', at, 'A reference into an instance leads nowhere');
      }
    }
  }

  /** One end of a reference into or out of an instance. */
  #end(override: Entry, side: 'source' | 'target'): number | undefined {
    const index = refIndex(override[side]);
    const info = override[`${side}Info`];
    if (index === undefined || !isObject(info)) return index;
    return this.target(index, localIdOf(this.#table, info));
  }

  #template(uuid: string, at: number): Template | undefined {
    const { made, open, resolve } = this.#templates;
    if (open.has(uuid) || open.size >= deepest) {
      this.#report('prefabCycle', at, `The prefab ${uuid} contains itself`);
      return undefined;
    }
    let template = made.get(uuid);
    if (template === undefined) {
      const table = resolve(uuid);
      open.add(uuid);
      template = table?.kind === 'prefab' ? templateOf(table, this.#templates) : 'missing';
      open.delete(uuid);
      made.set(uuid, template);
    }
    if (template !== 'missing') {
      if (template.cyclic) this.#report('prefabCycle', at, `The prefab ${uuid} contains itself`);
      return template;
    }
    this.#report('prefabAssetMissing', at, `The prefab ${uuid} of an instance is missing`);
    return undefined;
  }

  #report(code: ViewProblem['code'], at: number, message: string): void {
    this.problems.push({ code, at, message });
  }

  /** All objects in one list, numbered anew, and where in it a number is. */
  flat(): { readonly objects: OwnEntry[]; readonly numberOf: (index: number) => number } {
    const own = this.#table.objects.length;
    const numberOf = (index: number): number =>
      index < insideBase ? index : index - insideBase + own;
    const entries = [
      ...this.#table.objects.map((entry, index) => this.#changed.get(index) ?? entry),
      ...this.#inside,
    ];
    return { objects: entries.map((entry) => cloneJson(entry ?? {}, numberOf)), numberOf };
  }
}

function templateOf(table: Table, templates: Templates): Template {
  const expansion = new Expansion(table, templates);
  const { objects, numberOf } = expansion.flat();
  const targets = new Map<string, number>();
  const root = rootOf(table);
  const add = (path: readonly string[], info: Entry | undefined, index: number): void => {
    const fileId = textOf(info?.['fileId']);
    const key = keyOf([...path, fileId]);
    if (fileId !== '' && !targets.has(key)) targets.set(key, numberOf(index));
  };
  const waiting: { readonly index: number; readonly path: readonly string[] }[] = [
    { index: root, path: [] },
  ];
  const seen = new Set<number>();
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { index } = next;
    const node = expansion.at(index);
    if (!node || seen.has(index)) continue;
    seen.add(index);
    const info = expansion.follow(node['_prefab']);
    const instance = index === root ? undefined : expansion.follow(info?.['instance']);
    const path = instance ? [...next.path, textOf(instance['fileId'])] : next.path;
    add(path, info, index);
    for (const component of refIndices(node['_components'])) {
      add(path, expansion.follow(expansion.at(component)?.['__prefab']), component);
    }
    for (const child of refIndices(node['_children']).toReversed()) {
      waiting.push({ index: child, path });
    }
  }
  const cyclic = expansion.problems.some(({ code }) => code === 'prefabCycle');
  return { objects, root, targets, cyclic };
}
