import { canonicalJson, crypto, globOf } from 'mcp-kit/internal';
import type { GroupSettings } from '@mcp-kit/host';
import type { GatewayCatalog, Item } from './catalog.ts';

/** Which part of a gateway is meant. */
export interface Selection {
  server(name: string): boolean;
  /** By the name that clients know. */
  tool(name: string): boolean;
}

/** All there is. */
export const everything: Selection = { server: () => true, tool: () => true };

/** Nothing at all. */
export const nothing: Selection = { server: () => false, tool: () => false };

/** What a group selects. */
export function selectionOf({ servers, tools }: GroupSettings): Selection {
  const names = servers && new Set(servers);
  const globs = tools?.map(globOf);
  return {
    server: (name) => names?.has(name) ?? true,
    tool: (name) => globs?.some((glob) => glob(name)) ?? true,
  };
}

/** A part of what all servers have. Names are those that they have among all. */
export function narrowed(catalog: GatewayCatalog, selection: Selection): GatewayCatalog {
  const kept = (item: Item | undefined): Item | undefined =>
    item !== undefined && selection.server(item.server) ? item : undefined;
  const tool = (name: string): Item | undefined =>
    selection.tool(name) ? kept(catalog.tool(name)) : undefined;
  const prompt = (name: string): Item | undefined => kept(catalog.prompt(name));
  const ownersOf: GatewayCatalog['ownersOf'] = (uri, kind) =>
    catalog.ownersOf(uri, kind).filter((server) => selection.server(server));
  const lists = {
    tools: catalog.tools.filter(({ name }) => tool(name) !== undefined),
    prompts: catalog.prompts.filter(({ name }) => prompt(name) !== undefined),
    resources: catalog.resources.filter(({ uri }) => kept(catalog.resource(uri)) !== undefined),
    templates: catalog.templates.filter(
      ({ uriTemplate }) => kept(catalog.template(uriTemplate)) !== undefined,
    ),
  };
  return {
    ...catalog,
    ...lists,
    refused: catalog.refused.filter(({ server }) => selection.server(server)),
    hash: crypto().hash('sha256', canonicalJson(lists), 'hex'),
    tool,
    prompt,
    guess: (kind, name) =>
      kind === 'prompt' || selection.tool(name) ? kept(catalog.guess(kind, name)) : undefined,
    ownersOf,
    resource: (uri, isSeen = everything.server) =>
      kept(catalog.resource(uri, (server) => selection.server(server) && isSeen(server))),
    template: (text, isSeen = everything.server) =>
      kept(catalog.template(text, (server) => selection.server(server) && isSeen(server))),
    headersOf: (name) => (selection.tool(name) ? catalog.headersOf(name) : []),
  };
}
