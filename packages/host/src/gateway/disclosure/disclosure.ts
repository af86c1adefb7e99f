import {
  isRecord,
  isVisibleTo,
  type ClientView,
  type Exchange,
  type Layer,
  type Params,
  type Tool,
} from 'mcp-kit/internal';
import { Context } from 'mcp-kit/server';
import type { ToolEffect } from '@mcp-kit/host';
import type { GatewayCatalog } from '../catalog.ts';
import { finished } from '../edge.ts';
import type { Listing } from '../upstream/listing.ts';
import { mistake, textResult, type OwnTool } from '../own-tools.ts';
import { effectIn, effectOf } from '../policy/effect.ts';
import { tokensOf } from '../results/size.ts';
import { foundText } from './answer.ts';
import { covers } from './effect.ts';
import { createFinder } from './finder.ts';
import { searchesItself } from './hosts.ts';
import { purposeOf } from './purpose.ts';
import { callerOfEffect, effectOfCaller, searchName, smallSet } from './small-set.ts';

/** What clients see of the tools: all, or a few that find and call them. */
type View = 'full' | 'search';

/** What disclosing needs to know. */
export interface Disclosing {
  mode(): 'auto' | View;
  catalog(): GatewayCatalog;
  /** What is known of each server. */
  listings(): ReadonlyMap<string, Listing>;
  /** Tools of the gateway itself that can be called by name. */
  readonly own: ReadonlyMap<string, OwnTool>;
  /** Whether whoever asks sees a tool. */
  shows(name: string, exchange: Exchange): boolean;
}

/** Shows tools to each client as suits it, and finds and calls those that it is not shown. */
export interface Disclosed {
  view(client: ClientView): View;
  /** What `view` says as things are now, whatever becomes of them. */
  views(): (client: ClientView) => View;
  /** What clients of the small view see, where these are the tools that can be found. */
  tools(findable: readonly Tool[]): readonly Tool[];
  /** The catalog is another one. */
  changed(): void;
  /** Sends what callers are given to the tool that is named, as if it had been called directly. */
  readonly layer: Layer;
  /** Whether a request came through a caller. */
  isPassed(exchange: Exchange): boolean;
  readonly search: OwnTool;
}

/** More than that is a lot for a model whose host does not choose for it. */
const manyTools = 40;
const manyTokens = 10_000;
const found = 8;
/** So many more, some of which whoever asks may not see. */
const considered = 200;

export function disclose(disclosing: Disclosing): Disclosed {
  const { mode, catalog, listings, own, shows } = disclosing;
  const finder = createFinder(disclosing);
  const passed = new WeakSet<Exchange>();
  const isLarge = measure(catalog);

  const toolNamed = (name: string): Tool | undefined =>
    catalog().tools.find((tool) => tool.name === name);
  const known = (name: string, exchange: Exchange): Tool | undefined => {
    const tool = shows(name, exchange) ? toolNamed(name) : undefined;
    return tool !== undefined && isVisibleTo('model', tool) ? tool : undefined;
  };
  /** A name that nobody knows may be one of a server of which not everything is known. */
  const isForApps = (name: string): boolean => {
    const tool = toolNamed(name);
    return tool !== undefined && !isVisibleTo('model', tool);
  };

  /** What a tool of a server says of itself counts once it was approved. */
  const effectNow = (tool: Tool): ToolEffect => {
    const at = catalog().tool(tool.name);
    return at === undefined ? effectOf(tool) : effectIn(listings().get(at.server), at.item);
  };

  const views: Disclosed['views'] = () => {
    const said = mode();
    if (said !== 'auto') return () => said;
    const isNow = isLarge();
    return ({ info }) => (isNow && !searchesItself(info?.name) ? 'search' : 'full');
  };

  return {
    view: (client) => views()(client),
    views,
    tools(findable) {
      // Somebody is about to search.
      finder.wanted();
      return smallSet(purposesOf(findable, disclosing));
    },
    changed: () => finder.changed(),
    isPassed: (exchange) => passed.has(exchange),
    layer: (next) => (exchange) => {
      const { id, method, params } = exchange.message;
      const allowed = method === 'tools/call' ? effectOfCaller(params?.['name']) : undefined;
      if (id === undefined || params === undefined || allowed === undefined) return next(exchange);
      const { name, args, problem } = namedIn(params);
      const tool = name === undefined ? undefined : (own.get(name)?.tool ?? known(name, exchange));
      const effect = tool && effectNow(tool);
      const isHidden = name !== undefined && isForApps(name);
      const refused = problem ?? (isHidden ? unknown(name) : refusalOf(allowed, name, effect));
      if (refused !== undefined) return finished(exchange, mistake(refused));
      const direct = exchange.forwarded({ ...params, name, arguments: args });
      passed.add(direct);
      return next(direct);
    },
    search: {
      tool: { name: searchName, inputSchema: { type: 'object' } },
      async call({ query }, context) {
        const exchange = Context.exchangeOf(context);
        if (typeof query !== 'string' || query.trim() === '') {
          return mistake('Say what you want to do: query is a text.');
        }
        const named = known(query.trim(), exchange);
        if (named !== undefined) {
          const server = catalog().tool(named.name)?.server ?? '';
          return wholeTool(named, effectNow(named), { server, listing: listings().get(server) });
        }
        const all = await finder.find(query.slice(0, 1000), considered);
        const hits = all.filter(({ name }) => shows(name, exchange)).slice(0, found);
        return hits.length === 0
          ? textResult('No tool was found. Try other words, or the name of a server.')
          : textResult(foundText(hits, effectNow));
      },
    },
  };
}

/** The servers that have any of these tools, and what they are for as far as these tell: nobody learns of others. */
function purposesOf(
  findable: readonly Tool[],
  { catalog, listings }: Disclosing,
): readonly { readonly name: string; readonly purpose: string }[] {
  const { tool: itemOf } = catalog();
  const findableOf = new Map<string, Set<string>>();
  for (const { name } of findable) {
    const item = itemOf(name);
    if (item === undefined) continue;
    findableOf.set(item.server, (findableOf.get(item.server) ?? new Set()).add(item.item));
  }
  const known = listings();
  return [...findableOf.keys()].sort().map((server) => {
    const listing = known.get(server);
    const items = findableOf.get(server);
    const tools = listing?.tools.filter(({ name }) => items?.has(name)) ?? [];
    if (listing === undefined) return { name: server, purpose: '' };
    const isWhole = tools.length === listing.tools.length;
    return { name: server, purpose: purposeOf(server, isWhole ? listing : { ...listing, tools }) };
  });
}

/** Whether there are too many tools to show. Back to all only well below the limit: a server that comes and goes must not change the list each time. */
function measure(catalog: () => GatewayCatalog): () => boolean {
  let isLarge = false;
  let measured: string | undefined;
  return () => {
    const { hash, tools } = catalog();
    if (hash !== measured) {
      measured = hash;
      const part = isLarge ? 1 / 2 : 1;
      const most = manyTokens * part;
      isLarge = tools.length > manyTools * part || tokensOf(tools, most) > most;
    }
    return isLarge;
  };
}

/** Lets those who look at calls from outside see which tool is called through a caller. */
export const callsThrough: Layer = (next) => (exchange) => {
  const { method, params } = exchange.message;
  if (method === 'tools/call' && params !== undefined && effectOfCaller(params['name'])) {
    exchange.tool = namedIn(params).name;
  }
  return next(exchange);
};

/** The tool that a caller is to call, and its arguments. */
function namedIn(params: Params): {
  readonly name?: string;
  readonly args?: unknown;
  readonly problem?: string;
} {
  const given = isRecord(params['arguments']) ? params['arguments'] : {};
  const { name, arguments: args = {} } = given;
  if (typeof name !== 'string') {
    return { problem: `name is missing: the name of a tool, as ${searchName} gives it.` };
  }
  if (!isRecord(args)) return { problem: 'arguments must be an object.' };
  return { name, args };
}

function unknown(name: string | undefined): string {
  return `There is no tool ${name}. Find its name with ${searchName}.`;
}

function refusalOf(
  allowed: ToolEffect,
  name: string | undefined,
  effect: ToolEffect | undefined,
): string | undefined {
  if (effectOfCaller(name) !== undefined) return `${name} cannot be called through another caller.`;
  if (covers(allowed, effect ?? 'destructive')) return undefined;
  return effect === undefined
    ? unknown(name)
    : `Not called: the effect of ${name} is ${effect}. Use ${callerOfEffect(effect)}.`;
}

const instructionsLength = 1500;

/** All that is known of one tool, and what its server says of how to use it. */
function wholeTool(
  tool: Tool,
  effect: ToolEffect,
  { server, listing }: { readonly server: string; readonly listing: Listing | undefined },
): object {
  const shown = { ...tool, effect, callWith: callerOfEffect(effect) };
  const texts = [JSON.stringify(shown)];
  const said = listing?.instructions ?? '';
  if (said !== '') texts.push(`${server} says: ${said.slice(0, instructionsLength)}`);
  return textResult(...texts);
}
