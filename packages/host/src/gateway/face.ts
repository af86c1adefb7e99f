import {
  layered,
  RpcError,
  rpcErrors,
  type Implementation,
  type MaybePromise,
  type Service,
} from 'mcp-kit/internal';
import { Context, createServer } from 'mcp-kit/server';
import type { GatewaySettings } from '@mcp-kit/host';
import type { GatewayCatalog } from './catalog.ts';
import { appCallsSeen, callsOfApps } from './apps.ts';
import { callsThrough } from './disclosure/disclosure.ts';
import { catalogFeature } from './features.ts';
import type { Listing } from './upstream/listing.ts';
import { ownParts } from './own-parts.ts';
import type { Views } from './policy/view.ts';
import { route } from './route.ts';
import { skillPage, topFolders } from './skills.ts';
import type { TaskNames } from './tasks.ts';
import type { Upstream } from './upstream/upstream.ts';

/** What a gateway shows at one address, and to whom what is asked there may go. */
export interface FaceOptions {
  readonly info: Implementation;
  readonly waitMs: number;
  readonly tasks: TaskNames;
  catalog(): GatewayCatalog;
  /** Who sees what of it. */
  readonly views: Views;
  /** Settles when there is something to list; at once where there is. */
  ready(): MaybePromise<void>;
  /** What the model of somebody is told first; `isShort` where it finds out by searching what else there is. */
  instructions(principal: string | undefined, isShort: boolean): string | undefined;
  /** What is known of each server that is seen here. */
  listings(): ReadonlyMap<string, Listing>;
  /** What is told now. */
  settings(): GatewaySettings;
  readonly upstreams: { get(name: string): Upstream | undefined; values(): Iterable<Upstream> };
}

/** A gateway as the clients of one address see it: all of its servers, or a group. */
export interface Face {
  readonly service: Service;
  catalog(): GatewayCatalog;
  /** Something was learned: clients are told of the lists that differ. */
  learned(): void;
  /** Others may see other parts of it than before. */
  viewsChanged(): void;
  close(): void;
}

export function createFace(options: FaceOptions): Face {
  const { info, waitMs, catalog, views, upstreams, tasks } = options;
  const parts = ownParts({ ...options, kept: () => feature.hasKept() });
  const { disclosed } = parts;
  const routes = { catalog, views, waitMs, upstreams, tasks };
  const callable = { catalog, isOwn: (name: string) => parts.has(name) };
  const feature = catalogFeature({
    ...parts,
    catalog,
    views,
    ready: () => options.ready(),
    skills: (exchange) => skillPage(exchange, routes),
    skillFolders: (exchange) => topFolders(exchange, routes),
  });
  const server = createServer({
    ...info,
    instructions(context) {
      const { principal } = Context.exchangeOf(context);
      return options.instructions(principal, disclosed.view(context.client) === 'search');
    },
    features: [feature],
  });
  const serve = layered(server.serve, [callsOfApps(callable), ...parts.layers, route(routes)]);
  let told = catalog();
  let isClosed = false;
  const service: Service = {
    serve(exchange) {
      if (isClosed) throw new RpcError(rpcErrors.internal, 'The gateway is closed');
      return serve(exchange);
    },
    observe: (next) => layered(next, [appCallsSeen(callable), callsThrough]),
    knows: (what, name) =>
      what === 'tool'
        ? catalog().tool(name) !== undefined || parts.has(name)
        : server.knows?.(what, name) === true,
    mirroredHeaders: (tool) => catalog().headersOf(tool),
    describe: () => server.describe(),
  };
  return {
    service,
    catalog,
    learned() {
      const before = told;
      told = catalog();
      if (before.hash !== told.hash) disclosed.changed();
      feature.changed(before, told);
    },
    viewsChanged: () => feature.viewsChanged(),
    close() {
      isClosed = true;
      server.close();
      parts.close();
    },
  };
}
