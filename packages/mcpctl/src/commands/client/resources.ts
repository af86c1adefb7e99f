import { rpcErrors, RpcError } from 'mcp-kit/jsonrpc';
import type { Resource, ResourceTemplate } from 'mcp-kit/protocol';
import { defineCommand } from '../../command.ts';
import { withManager } from '../../open.ts';
import { count, print, printJson, sumUp } from '../../output.ts';
import { collect, showItems, type Item } from '../../show/item.ts';
import { firstLine } from '../../show/signature.ts';
import { plainLine } from '../../terminal/plain-text.ts';

export const resources = defineCommand({
  positionals: [{ name: 'SERVER', help: 'The server to ask.' }],
  examples: [
    { command: 'mcpctl resources files', about: 'What can be read, and templates of what can.' },
    { command: "mcpctl resources files --json | jq -r '.resources[].uri'", about: 'In a script.' },
  ],
  async run({ args, globals, stop }) {
    const startedMs = performance.now();
    const { SERVER: server } = args;
    await withManager({ globals, stop, server }, async ({ manager }) => {
      const session = await manager.server(server).connect({ signal: stop });
      const options = { signal: stop };
      const [list, templates] = await Promise.all([
        collect(session.resources(options), 'uri'),
        collect(session.resourceTemplates(options), 'uriTemplate').catch(noneIfUnknown),
      ]);
      if (globals.json) {
        printJson({ server, resources: list, resourceTemplates: templates });
      } else {
        const items = [
          ...list.map((resource) => itemOf(resource.uri, resource)),
          ...templates.map((template) => itemOf(template.uriTemplate, template)),
        ];
        if (items.length > 0) print(showItems(items, globals, '--json'));
      }
      const about = `${count(list.length, 'resource')}, ${count(templates.length, 'template')}`;
      sumUp(globals, about, startedMs);
    });
  },
});

/** Servers that have resources need not know what a template is. */
function noneIfUnknown(error: unknown): readonly ResourceTemplate[] {
  if (error instanceof RpcError && error.code === rpcErrors.methodNotFound) return [];
  throw error;
}

type Described = Pick<Resource, 'name' | 'title' | 'description' | 'mimeType' | 'size'>;

function itemOf(uri: string, { name, title, description, mimeType, size }: Described): Item {
  const facts = [mimeType, size === undefined ? undefined : `${size} bytes`].filter(
    (fact) => fact !== undefined,
  );
  const about = [title ?? name, firstLine(description)].filter((text) => text !== '');
  const tail = facts.length === 0 ? '' : ` (${facts.join(', ')})`;
  return { title: plainLine(uri), about: plainLine(`${about.join(': ')}${tail}`) };
}
