import type { Exchange, Prompt, Resource, ResourceTemplate, Tool } from 'mcp-kit/internal';
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

/** A server, and what is known of it. */
interface Kept {
  readonly server: string;
  readonly listing: Listing | undefined;
}

/**
 * Whether rules keep everything of a server from somebody: then they do not learn that there is one. Where all is refused to
 * everybody, such as while a policy cannot be read, there is nothing to hide, and everybody is told why.
 */
export function isHiddenFrom(
  policy: Policy,
  { server, listing }: Kept,
  principal: string | undefined,
): boolean {
  if (policy.rules.length === 0 || policy.deniesAll) return false;
  const things = thingsOf(listing);
  if (things.length === 0) return policy.hidesServer({ server, principal });
  return things.every(([kind, name]) => {
    const effect = kind === 'tool' ? effectIn(listing, name) : undefined;
    return policy.hides({ server, kind, name, effect, principal });
  });
}

type Thing = readonly [kind: PolicySubject['kind'], name: string];

const known = new WeakMap<Listing, readonly Thing[]>();

/** All that a server has, withheld or not. */
function thingsOf(listing: Listing | undefined): readonly Thing[] {
  if (listing === undefined) return [];
  const { tools, withheld, prompts, resources, templates } = listing;
  const things = known.get(listing) ?? [
    ...[...tools, ...withheld].map(({ name }): Thing => ['tool', name]),
    ...prompts.map(({ name }): Thing => ['prompt', name]),
    ...resources.map(({ uri }): Thing => ['resource', uri]),
    ...templates.map(({ uriTemplate }): Thing => ['resource', uriTemplate]),
  ];
  known.set(listing, things);
  return things;
}

/** Whether there is nothing to see, as far as is known; what is withheld may come back. */
function hasNothing(listing: Listing | undefined): boolean {
  if (listing === undefined) return true;
  const { tools, prompts, resources, templates } = listing;
  return [tools, prompts, resources, templates].every((all) => all.length === 0);
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
  /** Which servers there are for whoever asks. */
  shownTo(exchange: Pick<Exchange, 'principal'>): (server: string) => boolean;
  /** Of which servers somebody is told: those of which they see anything or, while nothing is known to see, may. */
  tellsOf(catalog: GatewayCatalog, principal: string | undefined): (server: string) => boolean;
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
  const shownTo: Views['shownTo'] =
    ({ principal }) =>
    (server) =>
      !isHiddenFrom(policy(), { server, listing: listing(server) }, principal);
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
    shownTo,
    tellsOf(catalog, principal) {
      const servers = new Set<string>();
      const look = (item: Item | undefined, kind: PolicySubject['kind']): void => {
        if (item === undefined || servers.has(item.server)) return;
        if (sees(item, kind, principal)) servers.add(item.server);
      };
      for (const { name } of catalog.tools) look(catalog.tool(name), 'tool');
      for (const { name } of catalog.prompts) look(catalog.prompt(name), 'prompt');
      for (const { uri } of catalog.resources) look(catalog.resource(uri), 'resource');
      for (const one of catalog.templates) look(catalog.template(one.uriTemplate), 'resource');
      const isShown = shownTo({ principal });
      return (server) => servers.has(server) || (hasNothing(listing(server)) && isShown(server));
    },
  };
}
