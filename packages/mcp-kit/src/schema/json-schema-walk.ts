import { KitError } from '#base';
import { isRecord } from '#jsonrpc';
import type { JsonSchema } from '#protocol';
import { isPattern, keywordShapes, refKeywords, schemaKeywords } from './json-schema-keywords.ts';
import {
  findTarget,
  fragmentOf,
  namelessUri,
  resolveUri,
  type Resource,
} from './json-schema-refs.ts';

const maxDepth = 64;
const maxNodes = 10_000;

/** Where the walk is: in which resource, by which keywords and names, how many levels down. */
interface Place {
  readonly resource: Resource;
  readonly path: string;
  readonly depth: number;
}

interface Reference {
  readonly to: string;
  readonly from: Place;
  /** The schema that has the reference, and under which keyword. */
  readonly part: object;
  readonly keyword: string;
}

/** One walk through a schema: throws a `KitError` at the first place that is malformed, too deep or too much. */
export class SchemaWalk {
  readonly #subject: string;
  readonly #resources = new Map<string, Resource>();
  readonly #references: Reference[] = [];
  readonly #visited = new Set<unknown>();
  readonly #targets = new Map<object, unknown>();
  #nodes = 0;

  constructor(subject: string) {
    this.#subject = subject;
  }

  /** True when the schema, or a part of it, has a name of its own. */
  get foundIds(): boolean {
    return this.#resources.size > 1;
  }

  /** What the `$ref` of each schema leads to, as far as that is a part of the whole. */
  get targets(): ReadonlyMap<object, unknown> {
    return this.#targets;
  }

  walk(schema: JsonSchema): void {
    const root = { uri: namelessUri, root: schema, anchors: new Map<string, unknown>() };
    this.#resources.set(namelessUri, root);
    this.#visit(schema, { resource: root, path: '', depth: 1 });
  }

  /** Makes sure that each reference leads somewhere within the schema, or to a URI that `isKnown`. */
  resolveReferences(isKnown: (uri: string) => boolean): void {
    // A target that only a reference makes a schema is visited here, and may add references.
    for (const { to, from, part, keyword } of this.#references) {
      const uri = resolveUri(to, from.resource.uri) ?? '';
      if (isKnown(uri)) continue;
      const resource = this.#resources.get(uri);
      const target = resource && findTarget(resource, fragmentOf(to));
      if (resource === undefined || target === undefined) {
        throw this.#wrong(from.path, `"${to}" does not lead to a part of this schema`, {
          hint: 'Put what it refers to under $defs; references are never fetched.',
        });
      }
      if (keyword === '$ref') this.#targets.set(part, target);
      if (!this.#visited.has(target)) this.#visit(target, { ...from, resource, depth: 1 });
    }
  }

  #visit(part: unknown, at: Place): void {
    if (typeof part === 'boolean') return;
    if (!isRecord(part)) throw this.#wrong(at.path, 'a schema is an object, true or false');
    this.#visited.add(part);
    this.#count(at);
    if (part['nullable'] !== undefined && part['type'] === undefined) {
      throw this.#wrong(at.path, 'nullable needs a type beside it');
    }
    const resource = this.#enter(part, at);
    this.#note(part, { ...at, resource });
    for (const [keyword, value] of Object.entries(part)) {
      const path = at.path === '' ? keyword : `${at.path}/${keyword}`;
      this.#visitKeyword(keyword, value, { resource, path, depth: at.depth + 1 });
    }
  }

  #visitKeyword(keyword: string, value: unknown, at: Place): void {
    const shape = keywordShapes.get(keyword);
    if (shape?.fits(value) === false) throw this.#wrong(at.path, `expected ${shape.expected}`);
    const holds = schemaKeywords.get(keyword);
    if (holds === undefined) {
      this.#bound(value, at);
    } else if (holds === 'one' && !Array.isArray(value)) {
      this.#visit(value, at);
    } else {
      this.#visitParts(keyword, value, at);
    }
  }

  #visitParts(keyword: string, value: unknown, at: Place): void {
    const isMap = schemaKeywords.get(keyword) === 'map';
    if (isMap ? !isRecord(value) : !Array.isArray(value)) {
      throw this.#wrong(at.path, `expected a ${isMap ? 'map' : 'list'} of schemas`);
    }
    for (const [name, part] of Object.entries(Object(value))) {
      const path = `${at.path}/${name}`;
      if (keyword === 'patternProperties' && !isPattern(name)) {
        throw this.#wrong(path, 'expected a regular expression');
      }
      const isNameList = keyword === 'dependencies' && Array.isArray(part);
      if (!isNameList) this.#visit(part, { ...at, path });
    }
  }

  /** Keeps what a schema refers to, and by which names it can be referred to. */
  #note(part: Readonly<Record<string, unknown>>, at: Place): void {
    for (const keyword of refKeywords) {
      const to = part[keyword];
      if (typeof to !== 'string') continue;
      const path = at.path === '' ? keyword : `${at.path}/${keyword}`;
      this.#references.push({ to, part, keyword, from: { ...at, path, depth: at.depth + 1 } });
    }
    const { $id: id, $anchor: anchor, $dynamicAnchor: dynamic } = part;
    const { anchors } = at.resource;
    // Before 2019-09 this was how to write an anchor.
    if (typeof id === 'string' && id.startsWith('#')) anchors.set(id.slice(1), part);
    for (const name of [anchor, dynamic]) if (typeof name === 'string') anchors.set(name, part);
  }

  #enter(part: Readonly<Record<string, unknown>>, { resource, path }: Place): Resource {
    const id = part['$id'];
    if (typeof id !== 'string' || id.startsWith('#')) return resource;
    const uri = resolveUri(id, resource.uri);
    if (uri === undefined) throw this.#wrong(path, `$id "${id}" is not a URI`);
    const named = { uri, root: part, anchors: new Map<string, unknown>() };
    this.#resources.set(uri, named);
    return named;
  }

  /** Values that are no schemas are only counted. */
  #bound(value: unknown, at: Place): void {
    if (typeof value !== 'object' || value === null) return;
    this.#count(at);
    const inner = { ...at, depth: at.depth + 1 };
    for (const part of Object.values(value)) this.#bound(part, inner);
  }

  #count({ path, depth }: Place): void {
    this.#nodes += 1;
    if (depth > maxDepth) throw this.#wrong(path, `more than ${maxDepth} levels deep`);
    if (this.#nodes > maxNodes) throw this.#wrong('', `more than ${maxNodes} parts`);
  }

  #wrong(path: string, what: string, options?: { readonly hint: string }): KitError {
    const where = path === '' ? '' : `${path.length > 200 ? `${path.slice(0, 200)}…` : path}: `;
    return new KitError('invalid_argument', `${this.#subject}: ${where}${what}`, options);
  }
}
