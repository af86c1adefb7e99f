import {
  createBackoff,
  createDeferred,
  isRecord,
  metaKeys,
  metaOf,
  pause,
  startTimer,
  type Exchange,
  type Link,
  type Params,
  type Serve,
} from 'mcp-kit/internal';
import type { Routes } from './route.ts';
import { requireTasks } from './tasks.ts';
import type { Upstream } from './upstream/upstream.ts';

const acknowledged = 'notifications/subscriptions/acknowledged';
const updated = 'notifications/resources/updated';

/** What is asked of one server. */
interface Part {
  readonly upstream: Upstream;
  /** As the server knows them. */
  readonly uris: string[];
  /** Its tasks, and what the client calls them. */
  readonly tasks: Map<string, string>;
}

/** What of it the server has taken up, as the client knows it. */
interface Taken {
  readonly uris: readonly string[];
  readonly taskIds: readonly string[];
}

const nothing: Taken = { uris: [], taskIds: [] };

/**
 * A subscription of a modern client: of lists the gateway tells itself, of resources those servers that have them. The client is
 * told once what was taken up, and a server that is lost is asked again when it is back.
 */
export function listen(exchange: Exchange, next: Serve, routes: Routes): unknown {
  const filter = exchange.message.params?.['notifications'];
  if (!isRecord(filter)) return next(exchange);
  const { resourceSubscriptions: uris, taskIds, ...lists } = filter;
  if (taskIds !== undefined) requireTasks(exchange);
  if (!Array.isArray(uris) && !Array.isArray(taskIds)) return next(exchange);
  const parts = partsOf({ uris, taskIds }, routes, exchange);
  return listenAtAll({ exchange, next, routes }, parts, lists);
}

interface Listening {
  readonly exchange: Exchange;
  readonly next: Serve;
  readonly routes: Routes;
}

async function listenAtAll(
  { exchange, next, routes }: Listening,
  parts: readonly Part[],
  lists: Params,
): Promise<unknown> {
  const { params } = exchange.message;
  const own = hearing(exchange, { ...params, notifications: lists });
  // It stays for hours.
  exchange.forgetParams();
  const result = Promise.resolve(next(own.exchange));
  const taken = parts.map((part) => listenAt(exchange, params, { part, routes }));
  const gone = createDeferred<never>();
  gone.promise.catch(() => {});
  exchange.stop.addEventListener('abort', () => gone.reject(exchange.stop.reason), { once: true });
  try {
    const honored = await Promise.race([own.honored, result.then(() => ({}))]);
    const all = await Promise.all(taken.map((part) => part.taken));
    const resourceSubscriptions = all.flatMap(({ uris }) => uris);
    const taskIds = all.flatMap((one) => one.taskIds);
    const isAny = resourceSubscriptions.length + taskIds.length > 0;
    const notifications = { ...honored, ...withoutEmpty({ resourceSubscriptions, taskIds }) };
    await exchange.notify(acknowledged, tagged(exchange, { notifications }));
    const ended = await result;
    // Where the client wants to hear of resources only, the gateway itself has nothing to tell.
    if (isAny && Object.keys(honored).length === 0) {
      await Promise.race([Promise.all(taken.map((part) => part.ended)), gone.promise]);
    }
    return ended;
  } finally {
    for (const part of taken) part.end();
  }
}

/** Only what there is. */
function withoutEmpty(lists: Readonly<Record<string, readonly string[]>>): Params {
  return Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0));
}

function partsOf(
  { uris, taskIds }: { readonly uris: unknown; readonly taskIds: unknown },
  routes: Routes,
  exchange: Exchange,
): readonly Part[] {
  const { catalog, upstreams, views } = routes;
  const isSeen = views.shownTo(exchange);
  const parts = new Map<string, Part>();
  const partOf = (server: string): Part | undefined => {
    const upstream = upstreams.get(server);
    const part = parts.get(server) ?? (upstream && { upstream, uris: [], tasks: new Map() });
    if (part !== undefined) parts.set(server, part);
    return part;
  };
  for (const uri of Array.isArray(uris) ? uris : []) {
    const item = typeof uri === 'string' ? catalog().resource(uri, isSeen) : undefined;
    if (item !== undefined) partOf(item.server)?.uris.push(item.item);
  }
  for (const name of Array.isArray(taskIds) ? taskIds : []) {
    const held = routes.tasks.task(name, exchange);
    if (held !== undefined) partOf(held.server)?.tasks.set(held.taskId, name);
  }
  return [...parts.values()];
}

/** The part of a subscription that is up to one server. */
interface TakenPart {
  readonly taken: Promise<Taken>;
  readonly ended: Promise<void>;
  end(): void;
}

function listenAt(
  exchange: Exchange,
  params: Params | undefined,
  { part, routes }: { readonly part: Part; readonly routes: Routes },
): TakenPart {
  const { name } = part.upstream;
  const publicUri = (uri: string): string => routes.catalog().publicUri(name, uri);
  const taken = createDeferred<Taken>();
  const backoff = createBackoff({ firstMs: 100 });
  const timer = startTimer(() => taken.resolve(nothing), routes.waitMs);
  const wanted = { resourceSubscriptions: part.uris, taskIds: [...part.tasks.keys()] };
  const asked = { ...params, notifications: withoutEmpty(wanted) };
  const state: { current?: Exchange; isOver: boolean; isFirst: boolean } = {
    isOver: false,
    isFirst: true,
  };
  const begun = ({ resourceSubscriptions, taskIds }: Params): void => {
    backoff.reset();
    taken.resolve({
      uris: stringsIn(resourceSubscriptions).map(publicUri),
      taskIds: stringsIn(taskIds).flatMap((taskId) => part.tasks.get(taskId) ?? []),
    });
    // Nobody knows what has changed while the server was away.
    const missed = state.isFirst ? [] : part.uris;
    state.isFirst = false;
    for (const uri of missed) {
      void exchange.notify(updated, tagged(exchange, { uri: publicUri(uri) }));
    }
  };
  const run = async (): Promise<void> => {
    while (!state.isOver && !exchange.cancelled) {
      // It may be another one by now, or none.
      const upstream = routes.upstreams.get(name);
      if (upstream === undefined) return;
      const own = hearing(exchange, asked, { publicUri, tasks: part.tasks });
      state.current = own.exchange;
      void own.honored.then(begun);
      try {
        await upstream.serve(own.exchange);
        return;
      } catch {
        taken.resolve(nothing);
        await pause(backoff.next());
      }
    }
  };
  const ended = run().finally(() => {
    clearTimeout(timer);
    taken.resolve(nothing);
  });
  const end = (): void => {
    state.isOver = true;
    state.current?.cancel('the subscription has ended');
  };
  return { taken: taken.promise, ended, end };
}

function stringsIn(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.filter((one) => typeof one === 'string') : [];
}

/** What the client calls what a server tells of. */
interface Names {
  readonly publicUri: (uri: string) => string;
  readonly tasks: ReadonlyMap<string, string>;
}

const unchanged: Names = { publicUri: (uri) => uri, tasks: new Map() };

/** The exchange as a part of the subscription has it: what it acknowledges is not told yet. */
function hearing(
  exchange: Exchange,
  params: Params,
  { publicUri, tasks }: Names = unchanged,
): { readonly exchange: Exchange; readonly honored: Promise<Params> } {
  const honored = createDeferred<Params>();
  const { link } = exchange;
  const own: Link = {
    principal: link.principal,
    handlers: link.handlers,
    budget: link.budget,
    request: (...asked) => link.request(...asked),
    notify(method, said, origin) {
      if (method === acknowledged) {
        const given = said?.['notifications'];
        honored.resolve(isRecord(given) ? given : {});
        return;
      }
      const { uri, taskId } = said ?? {};
      const known = typeof uri === 'string' ? { ...said, uri: publicUri(uri) } : said;
      const name = typeof taskId === 'string' ? tasks.get(taskId) : undefined;
      return link.notify(method, name === undefined ? known : { ...known, taskId: name }, origin);
    },
  };
  return { exchange: exchange.forwarded(params, own), honored: honored.promise };
}

/** Every message of a subscription names the request that opened it. */
function tagged({ message: { id } }: Exchange, params: Params): Params {
  return { ...params, _meta: { ...metaOf(params), [metaKeys.subscriptionId]: id } };
}
