import type { BridgeOptions } from 'mcp-kit/bridge';
import {
  describeError,
  KitError,
  RpcError,
  rpcErrors,
  startTimer,
  type HeaderBinding,
  type Logger,
  type MaybePromise,
  type Service,
} from 'mcp-kit/internal';
import type { Manager } from '@mcp-kit/host';
import { mergeListings, type GatewayCatalog } from '../catalog.ts';
import type { GatewayOptions } from '../gateway.ts';
import { approved, explained, limited } from '../layers.ts';
import { loggedIn } from '../logins/layer.ts';
import type { Logins } from '../logins/logins.ts';
import type { Listing } from './listing.ts';
import type { Presentation } from '../presentation.ts';
import { presented } from '../presented.ts';
import { bounded, type Bounds } from '../govern/bounds.ts';
import { once, type KeyStore } from '../govern/once.ts';
import { repeated } from '../govern/repeat.ts';
import { withTrace } from '../govern/trace.ts';
import type { Asker } from '../policy/ask.ts';
import { isHarmlessIn } from '../policy/effect.ts';
import { governedBy, type Decided } from '../policy/layer.ts';
import type { Policy } from '../policy/policy.ts';
import { isHiddenFrom, visibleListing } from '../policy/view.ts';
import { heard } from '../route.ts';
import { statusOf, type GatewayStatus } from '../status.ts';
import { Upstream } from './upstream.ts';

export interface UpstreamsOptions {
  readonly logger: Logger;
  readonly waitMs: number;
  readonly revalidateMs: number;
  readonly maxCalls: number;
  readonly bridge: BridgeOptions;
  /** Whether a server is to be served at all, now. */
  isServed(name: string): boolean;
  /** How a server is to be shown, now. */
  shownAs(name: string): Presentation;
  readonly observe: GatewayOptions['observe'];
  readonly onMessage: GatewayOptions['onMessage'];
  /** What may be used, as it is now. */
  policy(): Policy;
  readonly asker: Asker;
  /** How much may be asked, and how long it may take, as it is now. */
  bounds(): Bounds;
  readonly keys: KeyStore;
  /** The logins of principals, where they have their own. */
  readonly logins: Logins;
  readonly decided: ((decided: Decided) => void) | undefined;
  /** Told when something was learned of a server; the catalogs may be the same. */
  learned(before: GatewayCatalog, after: GatewayCatalog): void;
}

/** All servers behind a gateway, as they come and go with the configuration, and what is known of them together. */
export class Upstreams {
  readonly #manager: Manager;
  readonly #options: UpstreamsOptions;
  readonly #all = new Map<string, Upstream>();
  readonly #services = new Map<string, Service>();
  readonly #unwatch: () => void;
  /** What is known now, until something changes; and what clients were told last. */
  #known: GatewayCatalog | undefined;
  #told = mergeListings(new Map());
  #isTelling = false;
  #isClosed = false;

  constructor(manager: Manager, options: UpstreamsOptions) {
    this.#manager = manager;
    this.#options = options;
    this.#unwatch = manager.watch({
      changed: ({ name, state }) => {
        if (state === 'ready') this.#all.get(name)?.reopened();
      },
      heard: (name, { method }) => {
        if (method.endsWith('/list_changed')) this.#all.get(name)?.stale();
      },
      revoked: (name) => void this.#all.get(name)?.revoked(),
      loggedOut: (name, account) => void this.#all.get(name)?.loggedOut(account),
      reloaded: ({ changed, removed }) => {
        const { shownAs } = options;
        const isOther = ({ name, isPersonal }: Upstream): boolean =>
          isPersonal !== shownAs(name).isPersonal;
        const others = [...this.#all.values()].filter(isOther).map(({ name }) => name);
        for (const name of [...removed, ...changed, ...others]) void this.#remove(name);
        this.#follow();
        this.#changed();
      },
    });
    this.#follow();
  }

  get(name: string): Upstream | undefined {
    return this.#all.get(name);
  }

  /** A server that is known by its name, or else an error that says which are. */
  require(name: string): Upstream {
    const found = this.#all.get(name);
    if (found !== undefined) return found;
    throw new KitError('invalid_argument', `there is no server ${name}`, {
      hint: `There are: ${[...this.#all.keys()].sort().join(', ')}`,
    });
  }

  values(): Iterable<Upstream> {
    return this.#all.values();
  }

  /** A server by itself. */
  service(name: string): Service | undefined {
    return this.#services.get(name);
  }

  catalog(): GatewayCatalog {
    const { policy, shownAs } = this.#options;
    this.#known ??= mergeListings(listingsOf(this.#all, policy()), shownAs);
    return this.#known;
  }

  status(): GatewayStatus {
    const { isServed, shownAs, logins } = this.#options;
    const served = this.#manager.servers().filter(({ name }) => isServed(name));
    return statusOf(served, { all: this.#all, catalog: this.catalog(), shownAs, logins });
  }

  /** What a model is told of a server. */
  instructions(name: string): string | undefined {
    return this.#options.shownAs(name).description ?? this.#all.get(name)?.listing?.instructions;
  }

  /** Looks again whether servers may be used. */
  reconsider(): void {
    for (const upstream of this.#all.values()) if (upstream.isRefused) upstream.refresh();
    this.#manager.unapproved().then(
      (names) => {
        const upstreams = names.map((name) => this.#all.get(name));
        for (const upstream of upstreams)
          if (upstream?.isRefused === false) void upstream.revoked();
      },
      (error: unknown) =>
        this.#options.logger.error('approvals cannot be read', { error: describeError(error) }),
    );
  }

  /** Other rules count from now on. */
  policyChanged(): void {
    this.#changed();
  }

  /** What is known of each server of which anything is. */
  listings(): ReadonlyMap<string, Listing> {
    const { policy, shownAs } = this.#options;
    const all = Array.from(listingsOf(this.#all, policy()), ([name, listing]) => {
      const { description } = shownAs(name);
      const said =
        description === undefined ? {} : { about: description, instructions: description };
      return [name, description === undefined ? listing : { ...listing, ...said }] as const;
    });
    return new Map(all);
  }

  /** Settles when something is known of every server. */
  async settled(): Promise<void> {
    await Promise.all(Array.from(this.#all.values(), (upstream) => upstream.known));
  }

  /** Settles when there is something to list, which is at once, except for servers of which nothing is known yet. */
  ready(isSeen: (name: string) => boolean): MaybePromise<void> {
    const unknown: Promise<void>[] = [];
    for (const [name, upstream] of this.#all) {
      if (!isSeen(name)) continue;
      upstream.revalidate();
      if (!upstream.isKnown) unknown.push(upstream.known);
    }
    if (unknown.length > 0) return within(this.#options.waitMs, Promise.all(unknown));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#unwatch();
    await Promise.all([...this.#all.keys()].map((name) => this.#remove(name)));
  }

  /** Serves what is to be served now, and nothing else. */
  #follow(): void {
    const { isServed } = this.#options;
    const isUsed = (name: string): boolean =>
      isServed(name) && this.#manager.status(name).state !== 'disabled';
    const names = new Set(
      this.#manager
        .servers()
        .map(({ name }) => name)
        .filter(isUsed),
    );
    for (const name of this.#all.keys()) if (!names.has(name)) void this.#remove(name);
    for (const name of names) if (!this.#all.has(name)) this.#add(name);
  }

  #add(name: string): void {
    const { logger, bridge, revalidateMs, maxCalls, observe, onMessage } = this.#options;
    const { policy, asker, decided, bounds, keys, logins, shownAs } = this.#options;
    const { isPersonal } = shownAs(name);
    const listing = (): Listing | undefined => upstream.listing;
    const isHarmless = (tool: string): boolean => isHarmlessIn(listing(), tool);
    const upstream: Upstream = new Upstream(name, {
      manager: this.#manager,
      logger,
      bridge,
      onMessage: onMessage && ((crossing) => onMessage(name, crossing)),
      revalidateMs,
      isPersonal,
      layers: [
        governedBy({ policy, server: name, listing, asker, logger, decided }),
        explained(name),
        isPersonal ? loggedIn({ server: name, logins, listing }) : undefined,
        observe?.(name),
        approved(name, listing),
        bounded(bounds, { server: name, listing }),
        once({ server: name, keys, logger, isHarmless }),
        repeated({ mayRetry: () => upstream.retries.mayRetry(), isHarmless }),
        limited(name, maxCalls),
      ],
      hear: heard(name, { catalog: () => this.catalog() }),
      changed: () => this.#changed(),
    });
    this.#all.set(name, upstream);
    this.#services.set(name, serviceOf(upstream, { shownAs, policy }));
  }

  async #remove(name: string): Promise<void> {
    const upstream = this.#all.get(name);
    this.#all.delete(name);
    this.#services.delete(name);
    await upstream?.close();
  }

  /** What several servers change at once is told once. */
  #changed(): void {
    this.#known = undefined;
    if (this.#isTelling) return;
    this.#isTelling = true;
    setImmediate(() => {
      this.#isTelling = false;
      if (this.#isClosed) return;
      const before = this.#told;
      this.#told = this.catalog();
      this.#options.learned(before, this.#told);
    });
  }
}

/** What is known of the servers, without what nobody may use. */
function listingsOf(
  upstreams: ReadonlyMap<string, Upstream>,
  policy: Policy,
): ReadonlyMap<string, Listing> {
  const listings = new Map<string, Listing>();
  for (const [name, { listing }] of upstreams) {
    if (listing !== undefined) listings.set(name, visibleListing(policy, name, listing));
  }
  return listings;
}

const noHeaders: readonly HeaderBinding[] = [];

/** A server by itself: its bridge, which is made when it is first asked. */
function serviceOf(
  upstream: Upstream,
  { shownAs, policy }: Pick<UpstreamsOptions, 'shownAs' | 'policy'>,
): Service {
  const as = (): Presentation => shownAs(upstream.name);
  const own = (name: string): string => as().own('tool', name) ?? '';
  const isFor = (principal: string | undefined): boolean =>
    !isHiddenFrom(policy(), { server: upstream.name, listing: upstream.listing }, principal);
  const serve = presented(as)((exchange) => {
    if (!isFor(exchange.principal)) throw new RpcError(rpcErrors.invalidRequest, 'Nothing here');
    const { id, params = {} } = exchange.message;
    // What a client tells is for its own conversation, and decided by nobody.
    if (id === undefined) return upstream.openedFor(exchange)?.serve(exchange);
    const asked = withTrace(exchange, params);
    return upstream.serveAlone(asked === params ? exchange : exchange.forwarded(asked));
  });
  return {
    serve,
    isFor,
    knows: (what, name) =>
      upstream.opened.some((one) => one.knows?.(what, what === 'tool' ? own(name) : name)),
    mirroredHeaders: (tool) =>
      upstream.opened.map((one) => one.mirroredHeaders(own(tool))).find((all) => all.length > 0) ??
      noHeaders,
    describe: () => ({ gateway: upstream.name }),
  };
}

/** Waits for it, but no longer. */
async function within(ms: number, waited: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    // After a turn in which answers were read: this process may have been busy all the time.
    timer = startTimer(() => setImmediate(resolve), ms);
  });
  await Promise.race([waited, late]);
  clearTimeout(timer);
}
