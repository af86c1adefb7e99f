import { createBridge, type Bridge, type BridgeOptions } from 'mcp-kit/bridge';
import {
  conversationOf,
  createDeferred,
  describeError,
  KitError,
  layered,
  type Conversation,
  type Exchange,
  type Layer,
  type Logger,
  type Notification,
  type Params,
  type Serve,
  type Tool,
} from 'mcp-kit/internal';
import type { Manager, ServerHandle } from '@mcp-kit/host';
import { Branch, type Hear } from './branch.ts';
import { createBreaker, type Breaker } from './breaker.ts';
import { listAll, recalledListing, type Listing } from './listing.ts';
import { createRetryBudget, type RetryBudget } from './retry-budget.ts';

/** What is decided about a server elsewhere. */
export interface UpstreamOptions {
  readonly manager: Manager;
  readonly logger: Logger;
  readonly bridge: BridgeOptions;
  /** How old what is known may become before it is asked for again. */
  readonly revalidateMs: number;
  /** What stands before the bridge. */
  readonly layers: readonly Layer[];
  /** What is passed on of what the server says by itself. */
  readonly hear: Hear;
  /** Called when something was learned of it. */
  changed(): void;
}

/** The same for a server that could not be used. */
const troubledMs = 5000;

/** One server behind a gateway: what is known of it, and the way to it. */
export class Upstream {
  readonly name: string;
  readonly #options: UpstreamOptions;
  readonly #handle: ServerHandle;
  readonly #branches = new Map<Conversation, Branch>();
  readonly #known = createDeferred<void>();
  readonly breaker: Breaker = createBreaker();
  /** How often it may be asked once more, by whoever asks again. */
  readonly retries: RetryBudget = createRetryBudget();
  #bridge: Promise<Bridge> | undefined;
  #opened: Bridge | undefined;
  #listing: Listing | undefined;
  #problem: Error | undefined;
  #refreshing: Promise<void> | undefined;
  #isStale = false;
  #askedMs = -Infinity;
  #isKnown = false;
  #isClosed = false;
  /** Asks the server; the exchange has its parameters as the server knows them. */
  readonly serve: Serve;

  constructor(name: string, options: UpstreamOptions) {
    this.name = name;
    this.#options = options;
    this.#handle = options.manager.server(name);
    const counted: Layer = (next) => (exchange) => {
      this.retries.asked();
      return next(exchange);
    };
    const layers = [counted, ...options.layers, this.breaker.layer];
    this.serve = layered((exchange) => this.#pass(exchange), layers);
    void this.#recall();
    this.refresh();
  }

  get listing(): Listing | undefined {
    return this.#listing;
  }

  /** Why it cannot be used, while that is so. */
  get problem(): Error | undefined {
    return this.#problem;
  }

  /** Whether it may not be used, as far as is known. */
  get isRefused(): boolean {
    return this.#problem !== undefined && isRefusal(this.#problem);
  }

  /** Whether anything is known of it: what it has or had, or why it cannot be used. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  /** Settles when anything is known of it. */
  get known(): Promise<void> {
    return this.#known.promise;
  }

  /** The bridge, if it was ever needed. */
  get opened(): Bridge | undefined {
    return this.#opened;
  }

  /** The bridge to the server; refused where the server may not be used. */
  bridge(): Promise<Bridge> {
    this.#bridge ??= this.#open().catch((error: unknown) => {
      this.#bridge = undefined;
      throw error;
    });
    return this.#bridge;
  }

  /** Asks for what it has, unless that is under way. */
  refresh(): void {
    this.#isStale = false;
    if (this.#isClosed) return;
    this.#askedMs = performance.now();
    this.#refreshing ??= this.#list().finally(() => {
      this.#refreshing = undefined;
      if (this.#isStale) this.refresh();
    });
  }

  /** It has changed: what is under way may have been asked before that. */
  stale(): void {
    if (this.#refreshing === undefined) this.refresh();
    else this.#isStale = true;
  }

  /** It is there again; it may be another one. */
  reopened(): void {
    // Asking for what it has opens it.
    if (this.#refreshing === undefined) this.refresh();
  }

  /** Somebody wants to know: what is old is asked for again, and answered as it is meanwhile. */
  revalidate(): void {
    const { revalidateMs } = this.#options;
    const forMs = this.#problem === undefined ? revalidateMs : Math.min(revalidateMs, troubledMs);
    if (performance.now() - this.#askedMs >= forMs) this.refresh();
  }

  /** Tells the server what a client tells. */
  tell(conversation: Conversation, message: Notification): void {
    this.#branches.get(conversation)?.tell(message);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#learned();
    for (const branch of this.#branches.values()) branch.end();
    const bridge = await this.#bridge?.catch(() => undefined);
    await bridge?.close();
  }

  async #open(): Promise<Bridge> {
    const { bridge: options, logger } = this.#options;
    const { target, guard } = await this.#handle.upstream();
    if (this.#isClosed) throw new KitError('closed', `${this.name} is no longer served`);
    this.#opened = createBridge(target, {
      ...options,
      guard,
      logger,
      mayRepeat: () => this.retries.mayRetry(),
    });
    return this.#opened;
  }

  async #pass(exchange: Exchange): Promise<unknown> {
    const bridge = this.#opened ?? (await this.bridge());
    const conversation = conversationOf(exchange);
    const { params } = exchange.message;
    if (conversation === undefined) return bridge.serve(exchange);
    return this.#branchOf(conversation, bridge).serve(exchange, params);
  }

  #branchOf(conversation: Conversation, bridge: Bridge): Branch {
    let branch = this.#branches.get(conversation);
    if (branch === undefined) {
      branch = new Branch(conversation, {
        bridge,
        hear: this.#options.hear,
        greeted: (ask) => this.#teachTools(ask),
        ended: () => this.#branches.delete(conversation),
      });
      this.#branches.set(conversation, branch);
    }
    return branch;
  }

  /** Where the legacy era knows the results of tools in another form, the bridge learns of which from the list. */
  async #teachTools(ask: (method: string, params?: Params) => unknown): Promise<void> {
    if (this.#listing?.tools.some(isWrapped) !== true) return;
    let cursor: unknown;
    do {
      const params = cursor === undefined ? undefined : { cursor };
      const page = (await ask('tools/list', params)) as { readonly nextCursor?: unknown };
      cursor = page.nextCursor;
    } while (cursor !== undefined);
  }

  async #recall(): Promise<void> {
    const tools = await this.#handle.recalledTools().catch(() => undefined);
    if (tools === undefined || this.#listing !== undefined || this.#isClosed) return;
    this.#listing = recalledListing(tools);
    this.#learned();
  }

  async #list(): Promise<void> {
    try {
      // Not what may be seen, but may not be used.
      await this.bridge();
      const listing = await listAll(this.#handle);
      if (this.#isClosed) return;
      this.#listing = listing;
      this.#problem = undefined;
      this.breaker.reset();
    } catch (error) {
      if (this.#isClosed) return;
      this.#problem = error instanceof Error ? error : new Error(describeError(error));
      // What may not be used is not shown, whatever it had.
      if (this.isRefused) this.#listing = undefined;
    }
    this.#learned();
  }

  #learned(): void {
    this.#isKnown = true;
    this.#known.resolve();
    if (!this.#isClosed) this.#options.changed();
  }
}

function isWrapped({ outputSchema }: Tool): boolean {
  return outputSchema !== undefined && outputSchema['type'] !== 'object';
}

function isRefusal(error: Error): boolean {
  return error instanceof KitError && error.code === 'refused_by_policy';
}
