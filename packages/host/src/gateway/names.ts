import { qualifiedName } from '@mcp-kit/host';

/** The names of one kind of things, and what they stand for. A name depends on nothing but its server and its thing. */
export class NameTable<T extends { readonly server: string; readonly item: string }> {
  readonly #byName = new Map<string, T>();

  get(name: string): T | undefined {
    return this.#byName.get(name);
  }

  /** Gives the name of a thing, which may be shown as another; nothing where the name is taken already. */
  add(thing: T, shown: string = thing.item): string | undefined {
    const name = qualifiedName({ server: thing.server, tool: shown });
    if (this.#byName.has(name)) return undefined;
    this.#byName.set(name, thing);
    return name;
  }
}
