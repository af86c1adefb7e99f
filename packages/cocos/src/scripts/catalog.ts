import path from 'node:path';
import { expandId, isScriptType, scriptTypeOf } from '#cocos/document';
import { kindOfEngineClass } from './engine-classes.ts';
import type { PropertyType, ScriptClass, ScriptFacts, ScriptProperty } from './facts.ts';

/** Whether a file is a script, by its name; what only declares types is none. */
export const isScriptPath = (file: string): boolean => /(?<!\.d)\.[jt]s$/.test(file);

/** A script of the project with what was read from it. */
export interface ScriptFile {
  /** Of its meta; undefined while it has none. */
  readonly uuid: string | undefined;
  /** In the project, with `/`. */
  readonly path: string;
  /** Read when they are first asked for, and the same from then on. */
  readonly facts: () => ScriptFacts;
}

/** What can be attached from a script, with everything it inherits. */
export interface ScriptDescription {
  /** Of its meta; undefined while it has none. */
  readonly uuid: string | undefined;
  readonly path: string;
  /**
   * The name its components are stored under: 23 characters for the component of a file, the name for every other class, and for
   * one that has no uuid yet.
   */
  readonly type: string;
  readonly className: string;
  /** From the nearest: `BaseView`, `cc.Component`. */
  readonly bases: readonly string[];
  /** Whether it descends from `cc.Component`; undefined where a base is not among the scripts. */
  readonly isComponent: boolean | undefined;
  readonly requires: readonly string[];
  /** Those of the base first, in the order they are stored. */
  readonly properties: readonly ScriptProperty[];
  /** What events can call, with what is inherited from other scripts. */
  readonly methods: readonly string[];
  /** Why properties may be missing. */
  readonly problem?: string | undefined;
}

interface Located {
  readonly file: ScriptFile;
  readonly own: ScriptClass;
}

/** The classes of all scripts of a project, found by uuid, stored type or name. */
export class ScriptCatalog {
  readonly #byUuid = new Map<string, ScriptFile>();
  readonly #byPath = new Map<string, ScriptFile>();
  /** Made when a name is first asked for, because that takes a look into every script. */
  #byName: ReadonlyMap<string, readonly Located[]> | undefined;
  readonly #descriptions = new Map<ScriptClass, ScriptDescription>();

  constructor(files: Iterable<ScriptFile>) {
    for (const file of files) {
      if (file.uuid !== undefined) this.#byUuid.set(file.uuid, file);
      this.#byPath.set(file.path, file);
    }
  }

  /** All scripts, as what can be attached from each. */
  *all(): Generator<ScriptDescription> {
    for (const file of this.#byPath.values()) yield this.#main(file);
  }

  byUuid(uuid: string): ScriptDescription | undefined {
    const file = this.#byUuid.get(uuid);
    return file && this.#main(file);
  }

  byPath(place: string): ScriptDescription | undefined {
    const file = this.#byPath.get(place);
    return file && this.#main(file);
  }

  /** The same scripts, where one that had no uuid has got one. */
  imported(place: string, uuid: string): ScriptCatalog {
    const files = [...this.#byPath.values()];
    return new ScriptCatalog(files.map((file) => (file.path === place ? { ...file, uuid } : file)));
  }

  /** What a script attaches: its first class that is a component, which gets the id of the file. */
  #main(file: ScriptFile): ScriptDescription {
    const main = this.#mainClass(file);
    if (main !== undefined) return this.#describe({ file, own: main });
    const name = path.posix.basename(file.path).replace(/\.[jt]s$/, '');
    return {
      uuid: file.uuid,
      path: file.path,
      type: file.uuid === undefined ? name : scriptTypeOf(file.uuid),
      className: name,
      bases: [],
      isComponent: file.facts().problem === undefined ? false : undefined,
      requires: [],
      properties: [],
      methods: [],
      problem: file.facts().problem ?? 'the script has no class',
    };
  }

  /** By the name a component or nested object is stored under. */
  byType(type: string): ScriptDescription | undefined {
    const uuid = isScriptType(type) ? expandId(type) : undefined;
    const attached = uuid === undefined ? undefined : this.byUuid(uuid);
    if (attached !== undefined) return attached;
    const named = this.byClass(type);
    return named?.type === type ? named : undefined;
  }

  /** By the name of a class, as the engine or as the source has it; undefined where two files have it. */
  byClass(name: string): ScriptDescription | undefined {
    const found = this.#only(name);
    return found && this.#describe(found);
  }

  /** The class of that name; a file that no editor has seen does not make another's name unclear. */
  #only(name: string): Located | undefined {
    this.#byName ??= namesIn(this.#byPath.values());
    const all = this.#byName.get(name) ?? [];
    const imported = all.filter(({ file }) => file.uuid !== undefined);
    const [found, ...others] = imported.length > 0 ? imported : all;
    return others.length > 0 ? undefined : found;
  }

  #mainClass(file: ScriptFile): ScriptClass | undefined {
    const { classes } = file.facts();
    const kinds = classes.map((own) => this.#describe({ file, own }).isComponent);
    const sure = classes[kinds.indexOf(true)];
    if (sure !== undefined) return sure;
    const open = classes.filter((own, index) => own.decorated && kinds[index] !== false);
    return open[0] ?? classes.find((own) => own.decorated) ?? classes[0];
  }

  #describe(located: Located): ScriptDescription {
    const known = this.#descriptions.get(located.own);
    if (known !== undefined) return known;
    const description = this.#makeDescription(located);
    this.#descriptions.set(located.own, description);
    return description;
  }

  #makeDescription({ file, own }: Located): ScriptDescription {
    const chain = this.#chainOf({ file, own });
    const last = chain.at(-1)?.own.base;
    const isEngine = last?.startsWith('cc.') === true || last?.startsWith('sp.') === true;
    const isComponent = last === undefined ? false : isEngine ? isComponentClass(last) : undefined;
    const bases = chain.slice(1).map((link) => link.own.className);
    const properties = new Map<string, ScriptProperty>();
    for (const link of chain.toReversed()) {
      for (const property of link.own.properties) {
        properties.set(property.name, {
          ...property,
          type: this.#resolveType(property.type, link.file),
        });
      }
    }
    const problem =
      isComponent === undefined ? `its base ${String(last)} is not among the scripts` : undefined;
    return {
      uuid: file.uuid,
      path: file.path,
      type: this.#typeOf({ file, own }, isComponent),
      className: own.className,
      bases: last === undefined ? bases : [...bases, last],
      isComponent,
      requires: [...new Set(chain.flatMap((link) => link.own.requires))],
      properties: [...properties.values()],
      methods: [...new Set(chain.flatMap((link) => link.own.methods))],
      problem,
    };
  }

  /** The first component of a file is stored under the id of the file, every other class under its name. */
  #typeOf({ file, own }: Located, isComponent: boolean | undefined): string {
    if (isComponent === false) return own.className;
    const before = file.facts().classes.slice(0, file.facts().classes.indexOf(own));
    const isFirst = before.every(
      (other) => this.#describe({ file, own: other }).isComponent !== true,
    );
    return isFirst && file.uuid !== undefined ? scriptTypeOf(file.uuid) : own.className;
  }

  /** The class and what it extends, as far as the scripts go. */
  #chainOf(start: Located): Located[] {
    const chain = [start];
    for (let link = start; link.own.base !== undefined;) {
      const next = this.#find(link.own.base, link.file);
      if (next === undefined || chain.some(({ own }) => own === next.own)) break;
      chain.push(next);
      link = next;
    }
    return chain;
  }

  /** What a name means in a file: a class of its own, an imported one, or the only one of that name. */
  #find(name: string, file: ScriptFile): Located | undefined {
    const own = file.facts().classes.find((other) => other.name === name);
    if (own !== undefined) return { file, own };
    const [head = '', ...rest] = name.split('.');
    const imported = file.facts().imports.find(({ local }) => local === head);
    if (imported !== undefined) {
      const source = this.#resolveImport(imported.from, file);
      const wanted = imported.imported === '*' ? rest.join('.') : imported.imported;
      const found = source
        ?.facts()
        .classes.find(
          (other) => other.name === wanted || (wanted === 'default' && other.name === head),
        );
      if (source !== undefined && found !== undefined) return { file: source, own: found };
    }
    // What the engine has is not among the scripts.
    if (/^(cc|sp)\./.test(name)) return undefined;
    const wanted =
      imported?.imported === 'default' ? head : (rest.at(-1) ?? imported?.imported ?? head);
    return this.#only(wanted);
  }

  #resolveImport(from: string, file: ScriptFile): ScriptFile | undefined {
    const target = from.startsWith('db://')
      ? from.slice('db://'.length)
      : path.posix.join(path.posix.dirname(file.path), from);
    const plain = target.replace(/\.[jt]s$/, '');
    const names = [`${plain}.ts`, `${plain}.js`, `${plain}/index.ts`];
    return names.map((name) => this.#byPath.get(name)).find((found) => found !== undefined);
  }

  #importedEnum(name: string, file: ScriptFile): PropertyType['values'] {
    const imported = file.facts().imports.find(({ local }) => local === name);
    const source = imported && this.#resolveImport(imported.from, file);
    return imported && source?.facts().enums[imported.imported];
  }

  /** A class of the project is a component, a nested object, or an enum of another file. */
  #resolveType(type: PropertyType, file: ScriptFile): PropertyType {
    const { kind, name } = type;
    if (name === undefined || type.values !== undefined) return type;
    if (kind !== 'class' && kind !== 'enum') return type;
    const values = this.#importedEnum(name, file);
    if (values !== undefined) return { kind: 'enum', name, values };
    const found = kind === 'class' ? this.#find(name, file) : undefined;
    if (found === undefined) return type;
    const last = this.#chainOf(found).at(-1)?.own.base;
    const isComponent = last !== undefined && last.startsWith('cc.') && isComponentClass(last);
    return { kind: isComponent ? 'component' : 'class', name: found.own.className };
  }
}

/** All classes by the names that they have. */
function namesIn(files: Iterable<ScriptFile>): Map<string, Located[]> {
  const found = new Map<string, Located[]>();
  for (const file of files) {
    for (const own of file.facts().classes) {
      for (const name of new Set([own.name, own.className])) {
        found.set(name, [...(found.get(name) ?? []), { file, own }]);
      }
    }
  }
  return found;
}

const isComponentClass = (name: string) => kindOfEngineClass(name) === 'component';
