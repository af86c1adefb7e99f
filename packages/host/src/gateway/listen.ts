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
import type { Upstream } from './upstream/upstream.ts';

const acknowledged = 'notifications/subscriptions/acknowledged';
const updated = 'notifications/resources/updated';

/** What is asked of one server. */
interface Part {
  readonly upstream: Upstream;
  /** As the server knows them. */
  readonly uris: string[];
}

/**
 * A subscription of a modern client: of lists the gateway tells itself, of resources those servers that have them. The client is
 * told once what was taken up, and a server that is lost is asked again when it is back.
 */
export function listen(exchange: Exchange, next: Serve, routes: Routes): unknown {
  const filter = exchange.message.params?.['notifications'];
  const uris = isRecord(filter) ? filter['resourceSubscriptions'] : undefined;
  if (!isRecord(filter) || !Array.isArray(uris)) return next(exchange);
  const { resourceSubscriptions: _uris, ...lists } = filter;
  return listenAtAll({ exchange, next, routes }, partsOf(uris, routes, exchange), lists);
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
    const resourceSubscriptions = (await Promise.all(taken.map(({ uris }) => uris))).flat();
    const isAny = resourceSubscriptions.length > 0;
    const notifications = isAny ? { ...honored, resourceSubscriptions } : honored;
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

function partsOf(uris: readonly unknown[], routes: Routes, exchange: Exchange): readonly Part[] {
  const { catalog, upstreams, views } = routes;
  const isSeen = views.shownTo(exchange);
  const parts = new Map<string, Part>();
  for (const uri of uris) {
    const item = typeof uri === 'string' ? catalog().resource(uri, isSeen) : undefined;
    const found = item && upstreams.get(item.server);
    if (item === undefined || found === undefined) continue;
    const part = parts.get(item.server) ?? { upstream: found, uris: [] };
    part.uris.push(item.item);
    parts.set(item.server, part);
  }
  return [...parts.values()];
}

/** The part of a subscription that is up to one server. */
interface TakenPart {
  /** What the server has taken up, as the client knows it. */
  readonly uris: Promise<readonly string[]>;
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
  const taken = createDeferred<readonly string[]>();
  const backoff = createBackoff({ firstMs: 100 });
  const timer = startTimer(() => taken.resolve([]), routes.waitMs);
  const asked = { ...params, notifications: { resourceSubscriptions: part.uris } };
  const state: { current?: Exchange; isOver: boolean; isFirst: boolean } = {
    isOver: false,
    isFirst: true,
  };
  const begun = ({ resourceSubscriptions = [] }: Params): void => {
    backoff.reset();
    const known = Array.isArray(resourceSubscriptions) ? resourceSubscriptions : [];
    taken.resolve(known.filter((uri) => typeof uri === 'string').map(publicUri));
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
      const own = hearing(exchange, asked, publicUri);
      state.current = own.exchange;
      void own.honored.then(begun);
      try {
        await upstream.serve(own.exchange);
        return;
      } catch {
        taken.resolve([]);
        await pause(backoff.next());
      }
    }
  };
  const ended = run().finally(() => {
    clearTimeout(timer);
    taken.resolve([]);
  });
  const end = (): void => {
    state.isOver = true;
    state.current?.cancel('the subscription has ended');
  };
  return { uris: taken.promise, ended, end };
}

/** The exchange as a part of the subscription has it: what it acknowledges is not told yet. */
function hearing(
  exchange: Exchange,
  params: Params,
  publicUri: (uri: string) => string = (uri) => uri,
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
      const uri = said?.['uri'];
      const shown = typeof uri === 'string' ? { ...said, uri: publicUri(uri) } : said;
      return link.notify(method, shown, origin);
    },
  };
  return { exchange: exchange.forwarded(params, own), honored: honored.promise };
}

/** Every message of a subscription names the request that opened it. */
function tagged({ message: { id } }: Exchange, params: Params): Params {
  return { ...params, _meta: { ...metaOf(params), [metaKeys.subscriptionId]: id } };
}
