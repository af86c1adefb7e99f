import { isRecord } from '#jsonrpc';

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
