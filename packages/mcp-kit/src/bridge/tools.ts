import { isRecord, type Params } from '#jsonrpc';
import { headerBindings, type HeaderBinding } from '#protocol';

/** A server may list as many as it likes. */
const maxNames = 1000;
const maxLength = 128;
const none: readonly HeaderBinding[] = [];

/** What lists that crossed the bridge told of the server's tools. */
export class ToolLists {
  readonly #names = new Set<string>();
  readonly #bindings = new Map<string, readonly HeaderBinding[]>();

  has(name: string): boolean {
    return this.#names.has(name);
  }

  /** Which arguments modern clients must repeat in headers, as the last list says. */
  headersOf(tool: string): readonly HeaderBinding[] {
    return this.#bindings.get(tool) ?? none;
  }

  /** Learns the names from an answer to `tools/list`. */
  learnNames(result: unknown): void {
    for (const { name } of toolsOf(result) ?? []) {
      const isName = typeof name === 'string' && name.length <= maxLength;
      if (isName && this.#names.size < maxNames) this.#names.add(name);
    }
  }

  /** Learns from an answer to `tools/list` as a modern client gets it. */
  learn(asked: Params | undefined, result: unknown): void {
    this.learnNames(result);
    const tools = toolsOf(result);
    // The first page begins a new list.
    if (tools !== undefined && asked?.['cursor'] === undefined) this.#bindings.clear();
    for (const { name, inputSchema } of tools ?? []) {
      const bindings = isRecord(inputSchema) ? bindingsOf(inputSchema) : none;
      if (bindings.length > 0) this.#bindings.set(String(name), bindings);
    }
  }
}

function toolsOf(result: unknown): readonly Readonly<Record<string, unknown>>[] | undefined {
  const tools = isRecord(result) ? result['tools'] : undefined;
  return Array.isArray(tools) ? tools.filter(isRecord) : undefined;
}

/** None where they are wrong: clients leave such a tool out, and the server knows best what to do with one that does not. */
function bindingsOf(schema: Readonly<Record<string, unknown>>): readonly HeaderBinding[] {
  try {
    return headerBindings(schema);
  } catch {
    return none;
  }
}
