import {
  appUriOf,
  invalidParams,
  isVisibleTo,
  withAppUri,
  type Exchange,
  type Layer,
} from 'mcp-kit/internal';
import type { GatewayCatalog } from './catalog.ts';
import { qualifiedUri } from './uris.ts';

/** A tool, or its result, whose app is one of its server. */
export function withApp<T extends { readonly _meta?: unknown }>(server: string, thing: T): T {
  return withAppUri(thing, (uri) => qualifiedUri(server, uri));
}

/** Names of tools as the pages of their servers call them: by those of the servers themselves. */
type OwnNames = ReadonlyMap<string, readonly string[]>;

const known = new WeakMap<GatewayCatalog, OwnNames>();

function ownNamesIn(catalog: GatewayCatalog): OwnNames {
  const found = known.get(catalog);
  if (found !== undefined) return found;
  const all = catalog.tools.flatMap((tool) => {
    const item = catalog.tool(tool.name);
    return item === undefined ? [] : [{ ...item, tool }];
  });
  const withPages = new Set(
    all.flatMap(({ server, tool }) => (appUriOf(tool) === undefined ? [] : [server])),
  );
  const names = new Map<string, readonly string[]>();
  for (const { server, item, tool } of all) {
    if (!withPages.has(server) || !isVisibleTo('app', tool)) continue;
    names.set(item, [...(names.get(item) ?? []), tool.name]);
  }
  known.set(catalog, names);
  return names;
}

/** Where calls of apps may lead. */
interface Callable {
  catalog(): GatewayCatalog;
  /** Whether the gateway itself has a tool of this name. */
  isOwn(name: string): boolean;
}

/** The tools that a call can mean whose name is that of a server with apps; none where it is a name of the gateway. */
function meant(
  { message: { method, params } }: Exchange,
  { catalog, isOwn }: Callable,
): readonly string[] {
  const name = params?.['name'];
  if (method !== 'tools/call' || typeof name !== 'string') return [];
  const all = catalog();
  return all.tool(name) !== undefined || isOwn(name) ? [] : (ownNamesIn(all).get(name) ?? []);
}

/** Brings the calls of apps to their servers. Where several have the tool, nobody can know which is meant. */
export function callsOfApps(callable: Callable): Layer {
  return (next) => (exchange) => {
    const [name, ...others] = meant(exchange, callable);
    if (name === undefined) return next(exchange);
    const { params = {} } = exchange.message;
    if (others.length > 0) {
      const choices = [name, ...others].join(', ');
      throw invalidParams(`Several servers have ${String(params['name'])}: name one of ${choices}`);
    }
    return next(exchange.forwarded({ ...params, name }));
  };
}

/** Lets those who look at calls from outside see which tool an app calls. */
export function appCallsSeen(callable: Callable): Layer {
  return (next) => (exchange) => {
    const [name, ...others] = meant(exchange, callable);
    if (name !== undefined && others.length === 0) exchange.tool = name;
    return next(exchange);
  };
}
