import { isRecord, type Params } from '#jsonrpc';
import { headerBindings, type HeaderBinding } from '#protocol';

/** A server may list as many as it likes. */
const maxNames = 1000;
const maxLength = 128;

/** The names of the server's tools, as far as lists that crossed the bridge told them. */
export class ToolNames {
  readonly #names = new Set<string>();

  has(name: string): boolean {
    return this.#names.has(name);
  }

  /** Learns from the answer to `tools/list`. */
  learn(result: unknown): void {
    const tools = isRecord(result) ? result['tools'] : undefined;
    if (!Array.isArray(tools)) return;
    for (const tool of tools) {
      if (this.#names.size >= maxNames) return;
      const name: unknown = isRecord(tool) ? tool['name'] : undefined;
      if (typeof name === 'string' && name.length <= maxLength) this.#names.add(name);
    }
  }
}

const none: readonly HeaderBinding[] = [];

/** Which arguments of the server's tools clients must repeat in headers, as the last list that crossed the bridge says. */
export class ToolHeaders {
  readonly #bindings = new Map<string, readonly HeaderBinding[]>();

  of(tool: string): readonly HeaderBinding[] {
    return this.#bindings.get(tool) ?? none;
  }

  /** Learns from the answer to `tools/list`. */
  learn(asked: Params | undefined, result: unknown): void {
    const tools = isRecord(result) ? result['tools'] : undefined;
    if (!Array.isArray(tools)) return;
    // The first page begins a new list.
    if (asked?.['cursor'] === undefined) this.#bindings.clear();
    for (const tool of tools) {
      if (!isRecord(tool) || !isRecord(tool['inputSchema'])) continue;
      const bindings = bindingsOf(tool['inputSchema']);
      if (bindings.length > 0) this.#bindings.set(String(tool['name']), bindings);
    }
  }
}

/** None where they are wrong: clients leave such a tool out, and the server knows best what to do with one that does not. */
function bindingsOf(schema: Readonly<Record<string, unknown>>): readonly HeaderBinding[] {
  try {
    return headerBindings(schema);
  } catch {
    return none;
  }
}
