import {
  RpcError,
  rpcErrors,
  type Implementation,
  type MaybePromise,
  type Service,
} from 'mcp-kit/internal';
import { createServer } from 'mcp-kit/server';
import type { GatewayCatalog } from './catalog.ts';
import { catalogFeature } from './features.ts';
import type { Views } from './policy/view.ts';
import { route } from './route.ts';
import type { Upstream } from './upstream.ts';

/** What a gateway shows at one address, and to whom what is asked there may go. */
export interface FaceOptions {
  readonly info: Implementation;
  readonly waitMs: number;
  catalog(): GatewayCatalog;
  /** Who sees what of it. */
  readonly views: Views;
  /** Settles when there is something to list; at once where there is. */
  ready(): MaybePromise<void>;
  instructions(): string;
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
  const { info, waitMs, catalog, views, upstreams, instructions } = options;
  const feature = catalogFeature({ catalog, views, ready: () => options.ready() });
  const server = createServer({ ...info, instructions, features: [feature] });
  const serve = route({ catalog, waitMs, upstreams })(server.serve);
  let told = catalog();
  let isClosed = false;
  const service: Service = {
    serve(exchange) {
      if (isClosed) throw new RpcError(rpcErrors.internal, 'The gateway is closed');
      return serve(exchange);
    },
    knows: (what, name) =>
      what === 'tool' ? catalog().tool(name) !== undefined : server.knows?.(what, name) === true,
    mirroredHeaders: (tool) => catalog().headersOf(tool),
    describe: () => server.describe(),
  };
  return {
    service,
    catalog,
    learned() {
      const before = told;
      told = catalog();
      if (before.hash !== told.hash) feature.changed(before, told);
    },
    viewsChanged: () => feature.viewsChanged(),
    close() {
      isClosed = true;
      server.close();
    },
  };
}
