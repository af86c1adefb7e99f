import { createBridge, type Bridge, type BridgeOptions } from 'mcp-kit/bridge';
import type { Session } from 'mcp-kit/client';
import {
  conversationOf,
  createDeferred,
  describeError,
  KitError,
  layered,
  RpcError,
  rpcErrors,
  shellWord,
  type Conversation,
  type Exchange,
  type Layer,
  type Link,
  type Logger,
  type MaybePromise,
  type Notification,
  type Serve,
} from 'mcp-kit/internal';
import type { Manager, ServerHandle } from '@mcp-kit/host';
import { Branch, type Hear } from './branch.ts';
import { createBreaker, type Breaker } from './breaker.ts';
import { createBridges, type Bridges } from './bridges.ts';
import { isRefusal } from '../layers.ts';
import { firstListing } from '../logins/first-tool.ts';
import { isLoginNeeded } from '../logins/wanted.ts';
import { Lister, type HeldTools } from './lister.ts';
import { recalledListing, type Listing } from './listing.ts';
import { createRetryBudget, type RetryBudget } from './retry-budget.ts';
import { teachTools } from './teach-tools.ts';

/** What is decided about a server elsewhere. */
export interface UpstreamOptions {
  readonly manager: Manager;
  readonly logger: Logger;
  readonly bridge: BridgeOptions;
  readonly onMessage: BridgeOptions['onMessage'];
  /** How old what is known may become before it is asked for again. */
  readonly revalidateMs: number;
  /** What stands before the bridge. */
  readonly layers: readonly (Layer | undefined)[];
  /** What is passed on of what the server says by itself. */
  readonly hear: Hear;
  /** Each principal uses it with a login of their own. */
  readonly isPersonal: boolean;
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
  readonly #lister: Lister;
  /** By the conversations of clients; and those conversations, by what servers know of them. */
  readonly #branches = new Map<Conversation, Branch>();
  readonly #outer = new WeakMap<Conversation, Conversation>();
  readonly #known = createDeferred<void>();
  readonly breaker: Breaker = createBreaker();
  /** How often it may be asked once more, by whoever asks again. */
  readonly retries: RetryBudget = createRetryBudget();
  readonly #bridges: Bridges;
  #listing: Listing | undefined;
  #problem: Error | undefined;
  #refreshing: Promise<void> | undefined;
  #isStale = false;
  #askedMs = -Infinity;
  #isKnown = false;
  #isClosed = false;
  /** Why it is not used, while its user has stopped it. */
  #stopped: KitError | undefined;
  #restarts = 0;
  /** Conversations that were lost before it was last restarted. */
  #lostBefore = 0;
  /** Asks the server; the exchange has its parameters as the server knows them. */
  readonly serve: Serve;
  /** Asks the server as its only client would: with a conversation of its own, and all that a server has. */
  readonly serveAlone: Serve;

  constructor(name: string, options: UpstreamOptions) {
    this.name = name;
    this.#options = options;
    this.#handle = options.manager.server(name);
    const { manager, isPersonal } = options;
    this.#lister = new Lister({ manager, name, isPersonal, changed: () => this.stale() });
    this.#bridges = createBridges(
      (account) => this.#open(account),
      (account) => this.#endBranches(account),
    );
    const counted: Layer = (next) => (exchange) => {
      this.retries.asked();
      return next(exchange);
    };
    const layers = [counted, ...options.layers, this.breaker.layer];
    this.serve = layered((exchange) => this.#pass(exchange), layers);
    this.serveAlone = layered((exchange) => this.#ask(exchange), layers);
    void this.#recall();
    this.refresh();
  }

  get listing(): Listing | undefined {
    return this.#listing ?? (this.wantsLogin ? firstListing : undefined);
  }

  /** Each principal logs in to it, and its own user has not. */
  get wantsLogin(): boolean {
    return this.isPersonal && isLoginNeeded(this.#problem);
  }

  /** Why it cannot be used, while that is so. */
  get problem(): Error | undefined {
    return this.#problem;
  }

  /** Whether it may not be used, as far as is known. */
  get isRefused(): boolean {
    return isRefusal(this.#problem);
  }

  /** Whether its user has stopped it. */
  get isStopped(): boolean {
    return this.#stopped !== undefined;
  }

  /** Whether anything is known of it: what it has or had, or why it cannot be used. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  /** Settles when anything is known of it. */
  get known(): Promise<void> {
    return this.#known.promise;
  }

  /** A conversation of a client with it, while there is one. */
  get session(): Session | undefined {
    for (const session of this.#lister.lent) if (session.isConnected) return session;
    return undefined;
  }

  /** Conversations of clients with it, how often one was lost, and how often that happened or its user restarted it. */
  get numbers(): Readonly<Record<'conversations' | 'lost' | 'restarts', number>> {
    const healths = this.#bridges.all().map((bridge) => bridge.health());
    const lost = healths.reduce((sum, one) => sum + one.lost, this.#lostBefore);
    const conversations = healths.reduce((sum, one) => sum + one.upstreams, 0);
    return { conversations, lost, restarts: lost + this.#restarts };
  }

  /** Each principal uses it with a login of their own. */
  get isPersonal(): boolean {
    return this.#options.isPersonal;
  }

  /** The bridges to it that were needed so far. */
  get opened(): readonly Bridge[] {
    return this.#bridges.all();
  }

  /** The one that a request goes by, if it was ever needed. */
  openedFor(exchange: Exchange): Bridge | undefined {
    return this.#bridges.opened(this.#accountOf(exchange));
  }

  /** Whose login a request is made with; nothing for that of the server's own user. */
  #accountOf({ principal }: Exchange): string | undefined {
    return this.isPersonal ? principal : undefined;
  }

  /** The bridge to the server; refused where the server may not be used. */
  #bridge(account?: string): Promise<Bridge> {
    return this.#stopped === undefined ? this.#bridges.of(account) : Promise.reject(this.#stopped);
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
    const isWell = this.#problem === undefined || this.wantsLogin;
    const forMs = isWell ? revalidateMs : Math.min(revalidateMs, troubledMs);
    if (performance.now() - this.#askedMs >= forMs) this.refresh();
  }

  /** Tells the server what a client tells. */
  tell(conversation: Conversation, message: Notification): void {
    this.#branches.get(conversation)?.tell(message);
  }

  /** Ends every conversation with it, and begins none until it is to start again. */
  async stop(): Promise<void> {
    this.#stopped = new KitError('refused_by_policy', `${this.name} was stopped by its user`, {
      hint: `Start it again: mcpctl restart ${shellWord(this.name)}`,
    });
    await this.#end();
    this.#listing = undefined;
    this.#problem = this.#stopped;
    this.#learned();
  }

  /** Ends every conversation with it, and opens it again; what went wrong before does not count. */
  async restart(): Promise<void> {
    this.#stopped ??= new KitError('closed', `${this.name} is being restarted`);
    await this.#end();
    this.#stopped = undefined;
    this.#restarts += 1;
    await this.#handle.connect({ forgive: true }).catch(() => {});
    this.stale();
    // The second is what was asked for here, where another was under way.
    await this.#refreshing;
    await this.#refreshing;
  }

  /** Its user no longer approves of it: every conversation with it ends, and none begins. */
  async revoked(): Promise<void> {
    this.#listing = undefined;
    const ending = this.#end();
    this.stale();
    await ending;
  }

  /** Conversations that were held with a login which is no longer kept end. */
  loggedOut(account: string | undefined): Promise<void> {
    return this.#bridges.drop(account);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#learned();
    await this.#endBridge();
  }

  async #end(): Promise<void> {
    await Promise.all([this.#endBridge(), this.#options.manager.disconnect(this.name)]);
  }

  async #endBridge(): Promise<void> {
    for (const branch of this.#branches.values()) branch.end();
    this.#lostBefore = this.numbers.lost;
    await this.#bridges.end();
  }

  #endBranches(principal: string | undefined): void {
    for (const [{ connection }, branch] of this.#branches) {
      if (connection.principal === principal) branch.end();
    }
  }

  /** By which link a request of a client is passed on to this server. */
  linkFor(exchange: Exchange): Link {
    const conversation = conversationOf(exchange);
    return conversation === undefined
      ? exchange.link
      : this.#branchOf(conversation).linkFor(exchange);
  }

  async #open(account: string | undefined): Promise<Bridge> {
    const { bridge: options, logger, onMessage } = this.#options;
    const { target, guard } = await this.#handle.upstream({ account });
    if (this.#isClosed) throw new KitError('closed', `${this.name} is no longer served`);
    if (this.#stopped !== undefined) throw this.#stopped;
    return createBridge(target, {
      ...options,
      guard,
      logger,
      onMessage,
      mayRepeat: () => this.retries.mayRetry(),
      onConversation: (session) => this.#joined(session, guard(session)),
    });
  }

  /** A conversation of a client has begun; what is given back is called when lists of the server may have changed. */
  #joined(session: Session, tools: HeldTools): () => void {
    // Where a conversation is no more than its requests, lists need none of a client.
    if (session.isStateless && !this.isPersonal) return () => this.stale();
    const changed = this.#lister.joined(session, tools);
    // Somebody has logged in: the first from whom it can be learned what there is.
    if (this.wantsLogin) this.stale();
    return changed;
  }

  #pass(exchange: Exchange): MaybePromise<unknown> {
    const conversation = conversationOf(exchange);
    if (conversation === undefined) return this.#ask(exchange);
    // What it was a part of may have ended with its server, and the client's own conversation may not.
    return this.#branchOf(this.#outer.get(conversation) ?? conversation).serve(exchange);
  }

  #ask(exchange: Exchange): MaybePromise<unknown> {
    const opened = this.openedFor(exchange);
    if (opened !== undefined) return opened.serve(exchange);
    return this.#bridge(this.#accountOf(exchange)).then((bridge) => bridge.serve(exchange));
  }

  #branchOf(outer: Conversation): Branch {
    let branch = this.#branches.get(outer);
    if (branch === undefined) {
      if (outer.hasEnded) throw new RpcError(rpcErrors.internal, 'The client has gone');
      branch = new Branch(outer, {
        serve: (exchange) => this.#ask(exchange),
        hear: this.#options.hear,
        greeted: (ask) => teachTools(this.#listing, ask),
        ended: () => this.#branches.delete(outer),
      });
      this.#branches.set(outer, branch);
      this.#outer.set(branch.conversation, outer);
    }
    return branch;
  }

  async #recall(): Promise<void> {
    const [tools, others] = await Promise.all([
      this.#handle.recalledTools().catch(() => undefined),
      this.#handle.recalledOthers().catch(() => undefined),
    ]);
    if ((tools ?? others) === undefined || this.#listing !== undefined || this.#isClosed) return;
    this.#listing = recalledListing(tools, others);
    this.#learned();
  }

  async #list(): Promise<void> {
    try {
      // Not what may be seen, but may not be used.
      await this.#bridge();
      const listing = await this.#lister.list();
      if (this.#isClosed || this.isStopped) return;
      this.#listing = listing;
      this.#problem = undefined;
      const { prompts, resources, templates, instructions } = listing;
      void this.#handle.keepOthers({ prompts, resources, templates, instructions });
      this.breaker.reset();
    } catch (error) {
      if (this.#isClosed || this.isStopped) return;
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
