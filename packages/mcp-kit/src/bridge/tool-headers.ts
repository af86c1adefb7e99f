import { isRecord, type Params } from '#jsonrpc';
import { headerBindings, type HeaderBinding } from '#protocol';

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
