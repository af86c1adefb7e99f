import { unref } from '#base';
import {
  createSealer,
  emptyLists,
  layered,
  mergeCapabilities,
  metaKeys,
  modernVersion,
  supportedVersions,
  type HeaderBinding,
  type Implementation,
  type SealerOptions,
  type ServerCapabilities,
  type Service,
} from '#protocol';
import { completionFeature } from './completion.ts';
import { Context } from './context.ts';
import type { Changes, Feature, Handler } from './feature.ts';
import { legacyEdge } from './legacy-edge.ts';
import { Listeners } from './listeners.ts';
import { modernEdge, modernResults, type Caching } from './modern-edge.ts';
import { resourceLists } from './resource-lists.ts';

/** What a server is called, and the features it is made of. */
export interface ServerOptions extends Implementation {
  /** Told to the client's model once, before anything else; a function says it anew to each client. */
  readonly instructions?: string | ((context: Context) => string | undefined);
  readonly features: readonly Feature[];
  /** How long modern clients may keep lists and resources; by default not at all. */
  readonly caching?: Partial<Caching> | undefined;
  /** Keys for what clients carry between rounds of input; needed when several processes serve one endpoint. */
  readonly requestState?: SealerOptions | undefined;
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

/** Joins features into a server. */
export function createServer(options: ServerOptions): Server {
  const { instructions, features, caching, requestState, ...info } = options;
  const all = [...features, completionFeature(features), logging];
  const capabilities = mergeCapabilities(all.map((feature) => feature.capabilities));
  const listeners = new Listeners(
    capabilities,
    all.flatMap(({ watchTask }) => watchTask ?? []),
  );
  const legacyCapabilities = mergeCapabilities(
    all.map((feature) => feature.legacyCapabilities ?? {}),
  );
  const greet = once(() => {
    const warm = (): void => {
      for (const feature of features) feature.warm?.();
    };
    unref(setTimeout(warm, warmAfterMs));
  });
  const discover: Handler = (_params, context) => {
    greet();
    Context.exchangeOf(context).legacyOffer = legacyCapabilities;
    const _meta = { [metaKeys.serverInfo]: info };
    const told = typeof instructions === 'function' ? instructions(context) : instructions;
    return { supportedVersions: [modernVersion], capabilities, instructions: told, _meta };
  };
  const lists = resourceLists(features);
  const methods = new Map([
    ...Object.entries(lists.methods),
    ...all.flatMap((feature) => Object.entries(feature.methods)),
  ]);
  const legacyMethods = new Map([
    ...Array.from(emptyLists, ([name, empty]) => [name, () => empty] as const),
    ...subscribing(listeners, capabilities),
    ...methods,
    ...all.flatMap((feature) => Object.entries(feature.legacyMethods ?? {})),
  ]);
  const modern = modernEdge({
    methods: new Map(methods).set('server/discover', discover),
    listen: (exchange) => listeners.listen(exchange),
    sealer: createSealer(requestState),
    dress: modernResults(info, { ttlMs: 0, scope: 'private', ...caching }),
  });
  const legacy = legacyEdge({
    methods: legacyMethods,
    join: (conversation) => listeners.join(conversation),
  });
  const server: Server = {
    info,
    capabilities,
    serve: modern(legacy),
    modern: true,
    observe: observed(features),
    knows: (what, name) =>
      what === 'method'
        ? legacyMethods.has(name)
        : features.some((feature) => feature.mirroredHeaders?.(name) !== undefined),
    mirroredHeaders: (tool) => mirroredHeaders(features, tool),
    describe: () => ({ ...info, protocolVersions: supportedVersions, capabilities }),
    listChanged(kind, concerns) {
      if (kind === 'resources') lists.forget();
      listeners.listChanged(kind, concerns);
    },
    resourceUpdated: (uri) => listeners.resourceUpdated(uri),
    close() {
      listeners.close();
      for (const feature of features) feature.close?.();
    },
  };
  for (const feature of features) feature.attach?.(server);
  return server;
}

/** How legacy clients say of which resources they want to hear. */
function subscribing(
  listeners: Listeners,
  { resources }: ServerCapabilities,
): readonly (readonly [string, Handler])[] {
  if (resources?.subscribe !== true) return [];
  return [
    ['resources/subscribe', (_, context) => listeners.subscribe(Context.exchangeOf(context))],
    ['resources/unsubscribe', (_, context) => listeners.unsubscribe(Context.exchangeOf(context))],
  ];
}

/** Nothing where no feature keeps account of all messages: then it costs nothing. */
function observed(features: readonly Feature[]): Service['observe'] {
  const layers = features.flatMap(({ observe }) => observe ?? []);
  return layers.length === 0 ? undefined : (next) => layered(next, layers);
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
