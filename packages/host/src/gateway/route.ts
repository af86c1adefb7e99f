import {
  conversationOf,
  isRecord,
  type Exchange,
  type Layer,
  type Params,
  type Serve,
} from 'mcp-kit/internal';
import type { Hear } from './upstream/branch.ts';
import { withApp } from './apps.ts';
import type { GatewayCatalog, Item } from './catalog.ts';
import { withTrace } from './govern/trace.ts';
import { listen } from './listen.ts';
import { HiddenServerError } from './policy/layer.ts';
import type { Views } from './policy/view.ts';
import { shownFile, shownSkill } from './skills.ts';
import { withTaskName, type TaskNames } from './tasks.ts';
import type { Listing } from './upstream/listing.ts';
import type { Upstream } from './upstream/upstream.ts';

/** What routing needs to know. */
export interface Routes {
  catalog(): GatewayCatalog;
  /** Who may know of which server. */
  readonly views: Pick<Views, 'shownTo'>;
  readonly upstreams: { get(name: string): Upstream | undefined; values(): Iterable<Upstream> };
  /** What clients call tasks of servers. */
  readonly tasks: TaskNames;
  /** How long a server may take to say that it has taken up a subscription. */
  readonly waitMs: number;
}

/** A request that has found its server. */
interface Routed {
  readonly upstream: Upstream;
  /** The parameters as the server knows them. */
  readonly params: Params;
  /** The result as the client is to have it. */
  readonly result?: ((result: unknown) => unknown) | undefined;
}

type Find = (params: Params, routes: Routes, exchange: Exchange) => Routed | undefined;

/** Sends each request to the server it is for. What is for none, or for all, is for the next. */
export function route(routes: Routes): Layer {
  return (next) => (exchange) => {
    const { message } = exchange;
    const { id, method, params = {} } = message;
    if (id === undefined) {
      const conversation = conversationOf(exchange);
      if (conversation !== undefined && method !== 'notifications/initialized') {
        for (const upstream of routes.upstreams.values()) upstream.tell(conversation, message);
      }
      return next(exchange);
    }
    if (method === 'subscriptions/listen') return listen(exchange, next, routes);
    const routed = Object.hasOwn(finders, method)
      ? finders[method]?.(params, routes, exchange)
      : undefined;
    return routed === undefined ? next(exchange) : pass(exchange, next, routed);
  };
}

async function pass(exchange: Exchange, next: Serve, routed: Routed): Promise<unknown> {
  const { upstream, params, result = (same) => same } = routed;
  try {
    const asked = exchange.forwarded(withTrace(exchange, params), upstream.linkFor(exchange));
    return result(await upstream.serve(asked));
  } catch (error) {
    // As if there were no such server.
    if (error instanceof HiddenServerError) return next(exchange);
    throw error;
  }
}

const finders: Readonly<Record<string, Find>> = {
  'tools/call': (params, routes, exchange) => {
    const found = itemOf('tool', params['name'], routes);
    // Tasks of 2025-11-25 are not offered: their clients wait.
    const { task: _wanted, ...asked } = params;
    return (
      found && {
        upstream: found.upstream,
        params: { ...asked, name: found.item },
        result: (result) => asKnown(result, found.upstream, { routes, exchange }),
      }
    );
  },
  'prompts/get': (params, routes) => {
    const { catalog } = routes;
    const found = itemOf('prompt', params['name'], routes);
    return (
      found && {
        upstream: found.upstream,
        params: { ...params, name: found.item },
        result: (result) => withMessages(result, found.upstream, catalog()),
      }
    );
  },
  'resources/read': (params, routes, exchange) => {
    const found = resourceOf(params, routes, exchange);
    return (
      found && {
        upstream: found.upstream,
        params: { ...params, uri: found.item },
        result: (result) => withContents(result, { ...found, asked: params['uri'] }, routes),
      }
    );
  },
  'skills/get': (params, routes, exchange) => {
    const found = forResource(params, routes, exchange);
    return found && { ...found, result: (result) => withSkill(result, found.upstream) };
  },
  'resources/directory/read': (params, routes, exchange) => {
    const found = forResource(params, routes, exchange);
    return found && { ...found, result: (result) => withChildren(result, found.upstream) };
  },
  'tasks/get': (params, routes, exchange) => {
    const found = forTask(params, routes, exchange);
    const shown = (result: unknown, upstream: Upstream): unknown => {
      const task = withTaskName(result, () => String(params['taskId']));
      if (!isRecord(task) || !isRecord(task['result'])) return task;
      return { ...task, result: withContent(task['result'], upstream, routes.catalog()) };
    };
    return found && { ...found, result: (result) => shown(result, found.upstream) };
  },
  'tasks/update': forTask,
  'tasks/cancel': forTask,
  'resources/subscribe': forResource,
  'resources/unsubscribe': forResource,
  'completion/complete': (params, routes, exchange) => {
    const { ref } = params;
    if (!isRecord(ref)) return undefined;
    const isPrompt = ref['type'] === 'ref/prompt';
    const found = isPrompt
      ? itemOf('prompt', ref['name'], routes)
      : withUpstream(
          typeof ref['uri'] === 'string' ? templateOf(ref['uri'], routes, exchange) : undefined,
          routes,
        );
    if (found === undefined) return undefined;
    const member = isPrompt ? 'name' : 'uri';
    return {
      upstream: found.upstream,
      params: { ...params, ref: { ...ref, [member]: found.item } },
    };
  },
};

function forResource(params: Params, routes: Routes, exchange: Exchange): Routed | undefined {
  const found = resourceOf(params, routes, exchange);
  return found && { upstream: found.upstream, params: { ...params, uri: found.item } };
}

function forTask(params: Params, routes: Routes, exchange: Exchange): Routed | undefined {
  const held = routes.tasks.task(params['taskId'], exchange);
  const upstream = held && routes.upstreams.get(held.server);
  return upstream && { upstream, params: { ...params, taskId: held.taskId } };
}

/** The result of a call, as its client knows what it names. */
function asKnown(
  result: unknown,
  upstream: Upstream,
  { routes, exchange }: { readonly routes: Routes; readonly exchange: Exchange },
): unknown {
  const { name: server } = upstream;
  const named = withTaskName(result, (taskId) => routes.tasks.name({ server, taskId }, exchange));
  return withContent(named, upstream, routes.catalog());
}

function templateOf(uri: string, routes: Routes, exchange: Exchange): Item | undefined {
  const catalog = routes.catalog();
  const isSeen = routes.views.shownTo(exchange);
  return catalog.template(uri, isSeen) ?? catalog.resource(uri, isSeen);
}

interface Found {
  readonly upstream: Upstream;
  readonly item: string;
}

function withUpstream(item: Item | undefined, { upstreams }: Routes): Found | undefined {
  const found = item && upstreams.get(item.server);
  return item && found && { upstream: found, item: item.item };
}

/** Of a server of which not everything is known, any name may be one. */
function itemOf(kind: 'tool' | 'prompt', name: unknown, routes: Routes): Found | undefined {
  if (typeof name !== 'string') return undefined;
  const catalog = routes.catalog();
  const known = catalog[kind](name);
  if (known !== undefined) return withUpstream(known, routes);
  const guessed = withUpstream(catalog.guess(kind, name), routes);
  const listing = guessed?.upstream.listing;
  // What is there and not shown is refused by those who know why.
  const has = ({ tools, prompts, withheld }: Listing): boolean =>
    [...tools, ...prompts, ...withheld].some((one) => one.name === guessed?.item);
  return listing?.from === 'live' && !has(listing) ? undefined : guessed;
}

function resourceOf(params: Params, routes: Routes, exchange: Exchange): Found | undefined {
  const { uri } = params;
  if (typeof uri !== 'string') return undefined;
  return withUpstream(routes.catalog().resource(uri, routes.views.shownTo(exchange)), routes);
}

/** Links to resources lead back to the server that gave them. */
function withContent(result: unknown, upstream: Upstream, catalog: GatewayCatalog): unknown {
  if (!isRecord(result)) return result;
  const own = withApp(upstream.name, result);
  const { content: blocks } = own;
  if (!Array.isArray(blocks) || !blocks.some(isLinked)) return own;
  return { ...own, content: blocks.map((block) => relinked(block, upstream, catalog)) };
}

function withMessages(result: unknown, upstream: Upstream, catalog: GatewayCatalog): unknown {
  const messages = isRecord(result) ? result['messages'] : undefined;
  if (!Array.isArray(messages)) return result;
  const isConcerned = (message: unknown): boolean =>
    isRecord(message) && isLinked(message['content']);
  if (!messages.some(isConcerned)) return result;
  const shown = messages.map((message: unknown) =>
    isConcerned(message)
      ? { ...Object(message), content: relinked(Object(message).content, upstream, catalog) }
      : message,
  );
  return { ...Object(result), messages: shown };
}

function withContents(
  result: unknown,
  { upstream, item, asked }: Found & { readonly asked: unknown },
  { catalog }: Routes,
): unknown {
  const contents = isRecord(result) ? result['contents'] : undefined;
  if (!Array.isArray(contents)) return result;
  const shown = contents.map((one: unknown) => {
    const uri = isRecord(one) ? one['uri'] : undefined;
    if (typeof uri !== 'string') return one;
    const known = uri === item ? asked : catalog().publicUri(upstream.name, uri);
    return known === uri ? one : { ...Object(one), uri: known };
  });
  return { ...Object(result), contents: shown };
}

function withSkill(result: unknown, { name }: Upstream): unknown {
  return isRecord(result) ? { ...result, skill: shownSkill(result['skill'], name) } : result;
}

function withChildren(result: unknown, { name }: Upstream): unknown {
  const resources = isRecord(result) ? result['resources'] : undefined;
  if (!Array.isArray(resources)) return result;
  return { ...Object(result), resources: resources.map((one) => shownFile(one, name)) };
}

function isLinked(block: unknown): boolean {
  return isRecord(block) && (block['type'] === 'resource_link' || block['type'] === 'resource');
}

function relinked(block: unknown, { name }: Upstream, catalog: GatewayCatalog): unknown {
  if (!isRecord(block)) return block;
  const { uri, resource } = block;
  if (block['type'] === 'resource_link' && typeof uri === 'string') {
    return { ...block, uri: catalog.publicUri(name, uri) };
  }
  const inner = isRecord(resource) ? resource['uri'] : undefined;
  if (block['type'] !== 'resource' || typeof inner !== 'string') return block;
  return { ...block, resource: { ...Object(resource), uri: catalog.publicUri(name, inner) } };
}

/** What a client is told of a server by itself: changed lists are told by the gateway, once for all. */
export function heard(server: string, { catalog }: { catalog(): GatewayCatalog }): Hear {
  return (method, params) => {
    if (method.endsWith('/list_changed')) return undefined;
    const uri = params?.['uri'];
    if (method !== 'notifications/resources/updated' || typeof uri !== 'string') return { params };
    return { params: { ...params, uri: catalog().publicUri(server, uri) } };
  };
}
