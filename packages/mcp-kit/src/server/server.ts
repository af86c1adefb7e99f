import { unref } from '#base';
import type { Refused } from '#jsonrpc';
import {
  createSealer,
  mergeCapabilities,
  modernVersion,
  supportedVersions,
  type HeaderBinding,
  type Implementation,
  type SealerOptions,
  type ServerCapabilities,
  type Service,
} from '#protocol';
import { createClientViews } from './client-views.ts';
import { completionFeature } from './completion.ts';
import type { Changes, Feature, Handler } from './feature.ts';
import { createModernDispatch } from './modern-dispatch.ts';
import { modernResults, type Caching } from './modern-result.ts';
import { ServerPeer } from './peer.ts';
import { Subscriptions } from './subscriptions.ts';

export interface ServerOptions extends Implementation {
  /** Told to the client's model once, before anything else. */
  readonly instructions?: string;
  readonly features: readonly Feature[];
  /** How long clients of the stateless era may keep lists and resources; by default not at all. */
  readonly caching?: Partial<Caching>;
  /** Keys for what clients carry between rounds of input; needed when several processes serve one endpoint. */
  readonly requestState?: SealerOptions;
}

/** A server: features joined into one thing that any transport can serve, to any number of clients of either era. */
export interface Server extends Service, Changes {
  readonly info: Implementation;
  readonly capabilities: ServerCapabilities;
  /** Completes open subscriptions. Close the transports after it: a server may have several. */
  close(): void;
}

/** Long enough for a client to finish its greeting, short enough to be before its first call. */
const warmAfterMs = 200;

const logging: Feature = { capabilities: { logging: {} }, methods: {} };

export function createServer(options: ServerOptions): Server {
  const { instructions, features, caching, requestState, ...info } = options;
  const all = [...features, completionFeature(features), logging];
  const capabilities = mergeCapabilities(all.map((feature) => feature.capabilities));
  const methods = new Map(all.flatMap((feature) => Object.entries(feature.methods)));
  const legacyMethods = all.flatMap((feature) => Object.entries(feature.legacyMethods ?? {}));
  const subscriptions = new Subscriptions();
  const peers = new Set<ServerPeer>();
  const greet = once(() => {
    const warm = (): void => {
      for (const feature of features) feature.warm?.();
    };
    unref(setTimeout(warm, warmAfterMs));
  });
  const discover: Handler = () => {
    greet();
    return { supportedVersions: [modernVersion], capabilities, instructions };
  };
  const refused = joinRefused(features);
  const serve = createModernDispatch({
    methods: new Map(methods).set('server/discover', discover),
    refused,
    capabilities,
    subscriptions,
    sealer: createSealer(requestState),
    dress: modernResults(info, { ttlMs: 0, scope: 'private', ...caching }),
  });
  const conversation = {
    info,
    capabilities,
    instructions,
    methods: new Map([...methods, ...legacyMethods]),
    refused,
    serve,
    peers,
    greet,
    share: createClientViews(),
  };
  const server: Server = {
    info,
    capabilities,
    serve,
    refused,
    open: (connection) => new ServerPeer(connection, conversation),
    knows: (what, name) =>
      what === 'method'
        ? conversation.methods.has(name)
        : features.some((feature) => feature.mirroredHeaders?.(name) !== undefined),
    mirroredHeaders: (tool) => mirroredHeaders(features, tool),
    describe: () => ({ ...info, protocolVersions: supportedVersions, capabilities }),
    listChanged(kind) {
      subscriptions.listChanged(kind);
      for (const peer of peers) peer.notify(`notifications/${kind}/list_changed`);
    },
    resourceUpdated(uri) {
      subscriptions.resourceUpdated(uri);
      for (const peer of peers) peer.resourceUpdated(uri);
    },
    close: () => subscriptions.close(),
  };
  for (const feature of features) feature.attach?.(server);
  return server;
}

/** Nothing where no feature keeps account: then refusing costs what it did. */
function joinRefused(features: readonly Feature[]): Refused | undefined {
  const byMethod = new Map(features.flatMap((feature) => Object.entries(feature.refused ?? {})));
  if (byMethod.size === 0) return undefined;
  return (error, exchange) => byMethod.get(exchange.request.method)?.(error, exchange) ?? error;
}

function mirroredHeaders(features: readonly Feature[], tool: string): readonly HeaderBinding[] {
  for (const feature of features) {
    const bindings = feature.mirroredHeaders?.(tool);
    if (bindings !== undefined) return bindings;
  }
  return [];
}

function once(effect: () => void): () => void {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    effect();
  };
}
