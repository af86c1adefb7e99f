import type { Prompt, Resource, ResourceTemplate, Tool } from 'mcp-kit/internal';
import { Context } from 'mcp-kit/server';
import type { GatewayCatalog, Item } from '../catalog.ts';
import type { Listing } from '../upstream/listing.ts';
import { effectIn } from './effect.ts';
import type { Policy, PolicySubject } from './policy.ts';

/** What a server has, without what nobody may use. */
export function visibleListing(policy: Policy, server: string, listing: Listing): Listing {
  if (policy.rules.length === 0) return listing;
  const isShown = (kind: PolicySubject['kind'], name: string): boolean => {
    const effect = kind === 'tool' ? effectIn(listing, name) : undefined;
    return !policy.hidesFromAll({ server, kind, name, effect });
  };
  return {
    ...listing,
    tools: listing.tools.filter(({ name }) => isShown('tool', name)),
    prompts: listing.prompts.filter(({ name }) => isShown('prompt', name)),
    resources: listing.resources.filter(({ uri }) => isShown('resource', uri)),
    templates: listing.templates.filter(({ uriTemplate }) => isShown('resource', uriTemplate)),
  };
}

/** Who sees which part of a catalog: those for whom the same rules count see the same. */
export interface Views {
  of(context: Context): string;
  readonly tools: (catalog: GatewayCatalog, view: string) => readonly Tool[];
  readonly prompts: (catalog: GatewayCatalog, view: string) => readonly Prompt[];
  readonly resources: (catalog: GatewayCatalog, view: string) => readonly Resource[];
  readonly templates: (catalog: GatewayCatalog, view: string) => readonly ResourceTemplate[];
  /** Whether somebody sees a tool of the catalog, by the name that clients use. */
  showsTool(catalog: GatewayCatalog, name: string, principal: string | undefined): boolean;
}

export interface ViewsOptions {
  policy(): Policy;
  /** What is known of a server. */
  listing(server: string): Listing | undefined;
}

export function createViews({ policy, listing }: ViewsOptions): Views {
  /** One principal for each view. */
  const principals = new Map<string, string | undefined>();
  const sees = (
    item: Item | undefined,
    kind: PolicySubject['kind'],
    principal: string | undefined,
  ): boolean => {
    if (item === undefined) return true;
    const { server, item: name } = item;
    const effect = kind === 'tool' ? effectIn(listing(server), name) : undefined;
    return !policy().hides({ server, kind, name, effect, principal });
  };
  const part = <T>(
    items: readonly T[],
    view: string,
    test: (item: T, principal: string | undefined) => boolean,
  ): readonly T[] =>
    view === '' ? items : items.filter((item) => test(item, principals.get(view)));
  return {
    of(context) {
      const { principal } = Context.exchangeOf(context);
      const view = policy().viewOf(principal);
      if (view !== '' && !principals.has(view)) principals.set(view, principal);
      return view;
    },
    tools: (catalog, view) =>
      part(catalog.tools, view, ({ name }, who) => sees(catalog.tool(name), 'tool', who)),
    prompts: (catalog, view) =>
      part(catalog.prompts, view, ({ name }, who) => sees(catalog.prompt(name), 'prompt', who)),
    resources: (catalog, view) =>
      part(catalog.resources, view, ({ uri }, who) => sees(catalog.resource(uri), 'resource', who)),
    templates: (catalog, view) =>
      part(catalog.templates, view, ({ uriTemplate }, who) =>
        sees(catalog.template(uriTemplate), 'resource', who),
      ),
    showsTool: (catalog, name, principal) => sees(catalog.tool(name), 'tool', principal),
  };
}
