import type { Login, LoginStep } from 'mcp-kit/auth';
import {
  KitError,
  silentLogger,
  type Channel,
  type Params,
  type StopSignal,
} from 'mcp-kit/internal';
import type { CallOptions, Session, ToolResult } from 'mcp-kit/client';
import { compareEntries, requireUnique, type Reloaded } from './compare.ts';
import type { ServerEntry } from './config/entry.ts';
import type { GatewaySettings } from './config/gateway/settings.ts';
import { recall, type AdmissionRules } from './connect/admission.ts';
import {
  recordApproval,
  removeApproval,
  trustIn,
  unapprovedOf,
  type Approval,
  type AssessedEntry,
} from './approval.ts';
import { givenTarget, type GivenStreams } from './connect/given.ts';
import { atLoginOf, examineLogin, logIn } from './connect/login.ts';
import { forAccount, openEntry, openTarget } from './connect/open.ts';
import type { Openings, VersionMismatch } from './connect/open.ts';
import { openingsOf } from './connect/openings.ts';
import { upstreamFor } from './connect/upstream.ts';
import type { LoginOptions, ManagedConfig, ManagerOptions, ManagerWatcher } from './options.ts';
import { initializeResultOf, type InitializeResult } from './initialize-result.ts';
import { handleOf, type ServerHandle } from './server-handle.ts';
import type { ServerStatus } from './supervise/state.ts';
import { ServerRegistry } from './supervise/registry.ts';
import type { Open, Opened } from './supervise/opened.ts';
import type { Supervisor } from './supervise/supervisor.ts';
import { waitWithin, type WaitLimits } from './supervise/wait.ts';
import { catalogOf, type Catalog } from './tools/catalog.ts';
import type { ToolListing } from './tools/listing.ts';
import { noSuchTool, placeOfName, placesIn, type ToolPlace } from './tools/qualified-name.ts';
import { keptOf, recallTools } from './tools/recall.ts';
import { customChannelRefusal } from './trust/rules.ts';
import { Watchers } from './watchers.ts';

/** How long the tools of servers that are being opened are waited for. */
const catalogWaitMs = 250;

/** Manages servers: opens each when it is asked for, keeps it open, and lets none do what its user has not approved. */
export function createManager(options: ManagerOptions): Manager {
  return new Manager(options);
}

/** Many servers, each opened when it is asked for and kept open until `close`. */
export class Manager implements AsyncDisposable {
  readonly #options: ManagerOptions;
  readonly #admission: AdmissionRules;
  readonly #servers = new ServerRegistry();
  /** Listings for catalogs that are under way. */
  readonly #listings = new WeakMap<Supervisor, Promise<ToolListing>>();
  readonly #mismatches = new Map<string, VersionMismatch>();
  readonly #watchers: Watchers;
  #openings: Openings;
  #gatewaySettings: GatewaySettings;
  /** The tools of the last catalog, by their qualified names. */
  #places: ReadonlyMap<string, ToolPlace> = new Map();
  #isClosed = false;

  constructor(options: ManagerOptions) {
    const { gateway = {}, logger = silentLogger, onNotification } = options;
    this.#options = options;
    this.#gatewaySettings = gateway;
    this.#watchers = new Watchers(options, logger);
    const told: ManagerOptions = {
      ...options,
      onNotification: (server, notification) => {
        this.#watchers.tell((watcher) => watcher.heard?.(server, notification));
        return onNotification?.(server, notification);
      },
    };
    this.#openings = openingsOf(told, (server, mismatch) => {
      if (mismatch === undefined) this.#mismatches.delete(server);
      else this.#mismatches.set(server, mismatch);
    });
    this.#admission = this.#openings.admission;
    requireUnique(options.entries);
    for (const entry of options.entries) this.#add(entry);
  }

  /** How every server is, sorted by name. */
  servers(): readonly ServerStatus[] {
    return this.#servers.all.map(({ status }) => status);
  }

  status(name: string): ServerStatus {
    return this.#servers.get(name).status;
  }

  /** What the configuration tells a gateway, now. */
  get gatewaySettings(): GatewaySettings {
    return this.#gatewaySettings;
  }

  isConnected(name: string): boolean {
    return this.#servers.find(name)?.session !== undefined;
  }

  get connectedServerNames(): readonly string[] {
    const open = this.#servers.all.filter(({ session }) => session !== undefined);
    return open.map(({ name }) => name);
  }

  /** What the server said of itself; undefined while it is not connected. */
  initializeResult(name: string): InitializeResult | undefined {
    const { session } = this.#servers.get(name);
    return session && initializeResultOf(session);
  }

  /** Servers that were found to speak another revision than was asked for. */
  get versionMismatches(): readonly VersionMismatch[] {
    return [...this.#mismatches.values()];
  }

  /** Opens every server at the same time; settles when each is open or has failed, which its status tells. */
  async connectAll(options?: { readonly signal?: AbortSignal }): Promise<readonly ServerStatus[]> {
    this.#refuseClosed();
    const enabled = this.#servers.all.filter(({ status }) => status.state !== 'disabled');
    await Promise.allSettled(enabled.map((supervisor) => supervisor.connect(options)));
    return this.servers();
  }

  /** Talks to a server over what the caller brings: a channel, or streams with one message per line. */
  async attach(
    name: string,
    given: Channel | GivenStreams,
    { unchecked = false }: { readonly unchecked?: boolean | undefined } = {},
  ): Promise<Session> {
    this.#refuseClosed();
    if (!unchecked && this.#admission.trust !== 'trusted') {
      throw customChannelRefusal('start' in given ? 'JSON-RPC client' : 'IO', name);
    }
    const target = givenTarget(name, given);
    const known = this.#servers.find(name);
    const reached = { name, target, tools: known?.entry?.tools, heals: false };
    const open: Open = (hooks) => openTarget(reached, this.#openings, hooks);
    const supervisor = known ?? this.#manage(name, undefined, open);
    return (await supervisor.connectGiven(open)).session;
  }

  /** The tools of all servers that are switched on. Those that take longer than `waitMs` show what they had last time. */
  async tools({
    waitMs = catalogWaitMs,
    signal,
  }: { readonly waitMs?: number; readonly signal?: AbortSignal } = {}): Promise<Catalog> {
    this.#refuseClosed();
    const enabled = this.#servers.all.filter(({ status }) => status.state !== 'disabled');
    const servers = enabled.map((supervisor) => ({
      name: supervisor.name,
      listing: () => this.#listing(supervisor),
      recalled: () => recallTools(supervisor.entry, this.#openings),
      status: () => supervisor.status,
    }));
    const catalog = await waitWithin(catalogOf(servers, waitMs), 'listing tools', { signal });
    this.#places = placesIn(catalog);
    return catalog;
  }

  /**
   * Calls a tool by the qualified name that the catalog has for it, which is the one that models were given. What a call of
   * this kind may not do is refused as by `server(name).callTool`.
   */
  async callTool<T = unknown>(
    qualifiedName: string,
    args?: Params,
    options?: CallOptions,
  ): Promise<ToolResult<T>> {
    this.#refuseClosed();
    const place = await this.#placeOf(qualifiedName, options?.signal);
    return this.server(place.server).callTool<T>(place.tool, args, options);
  }

  /** One server: everything that can be asked of it. It is opened by the first question. */
  server(name: string): ServerHandle {
    this.#servers.get(name);
    return handleOf({
      open: (limits) => this.#open(name, limits),
      forgive: () => this.#servers.get(name).forgive(),
      take: () => this.#servers.get(name).take(),
      upstream: (choice) => upstreamFor(this.#entryOf(name), this.#openings, choice),
      kept: keptOf(
        () => this.#servers.find(name)?.entry,
        () => this.#openings,
      ),
    });
  }

  /** Whether a server is trusted, and what has changed since it was. */
  async trustOf(name: string): Promise<AssessedEntry> {
    const assessed = await trustIn(this.#entryOf(name), this.#admission);
    if (this.#admission.trust !== 'trusted') this.#servers.get(name).trust = assessed.verdict;
    return assessed;
  }

  /** Records that the user approves of a server as it is now. With `pin` it is opened and its tools are recorded too. */
  async approve(
    name: string,
    { by, pin = true }: { readonly by: string; readonly pin?: boolean },
  ): Promise<Approval> {
    const entry = this.#entryOf(name);
    const receipt = await recordApproval(entry, this.#admission, { by });
    // Not before: whoever opens it meanwhile would hold it to what was approved earlier.
    await this.disconnect(name);
    this.#servers.get(name).trust = undefined;
    if (!pin) return { receipt };
    try {
      // What was not pinned before is pinned when it is first listed.
      const server = this.server(name);
      await server.connect({ forgive: true });
      await server.listTools();
      return { receipt: (await recall(entry, this.#admission.receipts)).receipt ?? receipt };
    } catch (cause) {
      return { receipt, unpinned: cause instanceof Error ? cause : new Error(String(cause)) };
    }
  }

  /** Takes the approval of a server back, and ends it; whether there was one. */
  async revoke(name: string): Promise<boolean> {
    const entry = this.#entryOf(name);
    const wasApproved = await removeApproval(entry, this.#admission);
    await this.disconnect(name);
    this.#servers.get(name).trust = undefined;
    this.#watchers.tell((watcher) => watcher.revoked?.(name));
    return wasApproved;
  }

  /** The servers of which there is no approval, whichever process took it back; none where all are trusted. */
  unapproved(): Promise<readonly string[]> {
    return unapprovedOf(this.#servers.entries, this.#admission);
  }

  /** Logs in to a server that its user trusts, whatever was kept. */
  async login(name: string, options: LoginOptions): Promise<Login> {
    const login = await logIn(this.#entryOf(name), this.#openings, options);
    if (options.account === undefined) this.#servers.get(name).forgive();
    return login;
  }

  /** Forgets the tokens for a server, or of an account there, has them revoked where possible, and ends what they hold open; whether there were any. */
  async logout(name: string, account?: string): Promise<boolean> {
    const openings = forAccount(this.#openings, account);
    const wasLoggedIn = await atLoginOf(this.#entryOf(name), openings, (one) => one.logout());
    if (account === undefined) await this.disconnect(name);
    this.#watchers.tell((watcher) => watcher.loggedOut?.(name, account));
    return wasLoggedIn;
  }

  /** Who is logged in to a server, or to an account there, without asking anybody. */
  whoami(name: string, account?: string): Promise<Login | undefined> {
    const openings = forAccount(this.#openings, account);
    return atLoginOf(this.#entryOf(name), openings, (one) => one.whoami());
  }

  /** The accounts that are logged in to a server, beside its own user. */
  accounts(name: string): Promise<readonly string[]> {
    return atLoginOf(this.#entryOf(name), this.#openings, (one) => one.accounts());
  }

  /** What stands between here and being let in by a server, step by step; nobody is asked to log in. */
  examineLogin(name: string): Promise<readonly LoginStep[]> {
    return examineLogin(this.#entryOf(name), this.#openings);
  }

  /**
   * Goes over to a new configuration. Servers that are the same in it are not disturbed; what it says of this side counts
   * for sessions that are opened from now on.
   */
  async reload({ entries, client, gateway }: ManagedConfig): Promise<Reloaded> {
    this.#refuseClosed();
    requireUnique(entries);
    const outcome = compareEntries(this.#servers.entries, entries);
    const next = new Map(entries.map((entry) => [entry.name, entry]));
    if (client !== undefined) this.#openings = { ...this.#openings, client };
    if (gateway !== undefined) this.#gatewaySettings = gateway;
    const changed = [...outcome.added, ...outcome.changed, ...outcome.removed];
    await Promise.all(changed.map((name) => this.#replace(name, next.get(name))));
    this.#watchers.tell((watcher) => watcher.reloaded?.(outcome));
    return outcome;
  }

  /** Tells of what happens from now on; the function that is given back ends that. */
  watch(watcher: ManagerWatcher): () => void {
    return this.#watchers.add(watcher);
  }

  /** Ends the session with a server; it may be opened again. */
  async disconnect(name: string): Promise<void> {
    await this.#servers.get(name).stop();
  }

  /** Ends everything; nothing can be opened any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#servers.end();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Most names say it by themselves; the others are those of the last catalog, or of one that is asked for now. */
  async #placeOf(name: string, signal: StopSignal | undefined): Promise<ToolPlace> {
    const said = placeOfName(name);
    if (said !== undefined && this.#servers.find(said.server) !== undefined) return said;
    if (!this.#places.has(name)) await waitWithin(this.tools(), `finding ${name}`, { signal });
    const place = this.#places.get(name);
    if (place === undefined) throw noSuchTool(name);
    return place;
  }

  async #open(name: string, limits: WaitLimits): Promise<Opened> {
    this.#refuseClosed();
    return this.#servers.get(name).connect(limits);
  }

  /** Puts a server in the place of the one that had its name, if any; it is opened again if that was in use. */
  async #replace(name: string, entry: ServerEntry | undefined): Promise<void> {
    const wasWanted = this.#servers.find(name)?.isWanted === true;
    this.#servers.remove(name);
    const next = entry && this.#add(entry);
    if (wasWanted && next?.status.state === 'idle') next.connect().catch(() => {});
    await this.#servers.hasLeft(name);
  }

  /** What is asked again before it is answered is asked once. */
  #listing(supervisor: Supervisor): Promise<ToolListing> {
    const underWay = this.#listings.get(supervisor);
    if (underWay !== undefined) return underWay;
    const listing = supervisor
      .connect()
      .then(({ policy }) => policy.listing())
      .finally(() => this.#listings.delete(supervisor));
    this.#listings.set(supervisor, listing);
    return listing;
  }

  #add(entry: ServerEntry): Supervisor {
    const supervisor: Supervisor = this.#manage(entry.name, entry, (hooks) =>
      openEntry(entry, this.#openings, {
        ...hooks,
        assessed: (verdict) => {
          supervisor.trust = verdict;
        },
      }),
    );
    return supervisor;
  }

  #manage(name: string, entry: ServerEntry | undefined, open: Open): Supervisor {
    const { reconnect = true } = this.#options;
    return this.#servers.add({
      name,
      entry,
      isRemote: entry?.transport.kind === 'http',
      // What the caller brought only the caller can bring again.
      reconnects: reconnect && entry !== undefined,
      open,
      onChange: (status) => {
        this.#watchers.tell((watcher) => watcher.changed?.(status));
      },
    });
  }

  #entryOf(name: string): ServerEntry {
    const { entry } = this.#servers.get(name);
    if (entry !== undefined) return entry;
    throw new KitError('invalid_argument', `mcp server ${name} is not in any configuration`);
  }

  #refuseClosed(): void {
    if (this.#isClosed) throw new KitError('closed', 'the manager is closed');
  }
}
