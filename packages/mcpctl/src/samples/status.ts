import { defineResource, type ResourceDefinition } from 'mcp-kit/server';
import type { Tool } from 'mcp-kit/tools';

/** How often each tool was called since the start: a resource that changes, to subscribe to. */
export class CallCounter {
  readonly #counts = new Map<string, number>();
  readonly #startedAt = new Date().toISOString();

  /** The tool, with every call counted; `onChange` is called after each. */
  counting(tool: Tool, onChange: () => void): Tool {
    const run: Tool['run'] = (args, context) => {
      this.#counts.set(tool.name, (this.#counts.get(tool.name) ?? 0) + 1);
      onChange();
      return tool.run(args, context);
    };
    return { ...tool, run };
  }

  get resource(): ResourceDefinition {
    return defineResource({
      uri: 'demo://status',
      name: 'status',
      title: 'Status of this server',
      description: 'When it started, and how often each tool was called, as JSON.',
      mimeType: 'application/json',
      read: () =>
        JSON.stringify({ startedAt: this.#startedAt, calls: Object.fromEntries(this.#counts) }),
    });
  }
}
