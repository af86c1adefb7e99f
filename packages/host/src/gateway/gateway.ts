import type { BridgeOptions, Crossing } from 'mcp-kit/bridge';
import {
  silentLogger,
  type Implementation,
  type Layer,
  type Logger,
  type Service,
  type Target,
} from 'mcp-kit/internal';
import {
  adHocEntry,
  createManager,
  Manager,
  readRules,
  type Disclosure,
  type GatewaySettings,
  type LimitRule,
  type PolicyRule,
  type ResultSettings,
} from '@mcp-kit/host';
import type { GatewayCatalog } from './catalog.ts';
import { createFaces, selected } from './faces.ts';
import { presentations } from './presentation.ts';
import { createBounds } from './govern/bounds.ts';
import { createKeyStore, type KeyStore } from './govern/once.ts';
import { createLogins } from './logins/logins.ts';
import { loginPages, type LoginPages } from './logins/pages.ts';
import { createAsker, type AskPerson } from './policy/ask.ts';
import type { Decided } from './policy/layer.ts';
import { createPolicy, type Policy } from './policy/policy.ts';
import { createViews } from './policy/view.ts';
import { logTroubles, type GatewayStatus } from './status.ts';
import { createTaskNames } from './tasks.ts';
import { Upstreams } from './upstream/upstreams.ts';

/** How a gateway presents itself, how long it waits, and how much it lets be under way. */
export interface GatewayOptions {
  /** Who it is to clients and to servers. */
  readonly info?: Implementation | undefined;
  /** What it is told, instead of what the configuration of the manager says. */
  readonly settings?: GatewaySettings | undefined;
  /** Only this group: it is what the gateway serves, and no other server is opened. */
  readonly group?: string | undefined;
  /** How long a list waits for servers of which nothing is known yet; 1.5 s. */
  readonly waitMs?: number | undefined;
  /** How old what is known of a server may become before the next list has it asked again; a minute. */
  readonly revalidateMs?: number | undefined;
  /** Requests at the same time at each server; 256. */
  readonly maxCalls?: number | undefined;
  /** What clients see of many tools: all, a few that find and call them, or what suits each; the configuration, or `auto`. */
  readonly disclosure?: Disclosure | undefined;
  /** When results of tools are kept instead of shown; the configuration, or above 25,000 tokens. `false`: never. */
  readonly results?: ResultSettings | false | undefined;
  /** How conversations with each server are held. */
  readonly bridge?: Omit<BridgeOptions, 'guard' | 'logger' | 'mayRepeat' | 'onMessage'> | undefined;
  /** What sees every request to a server, and its outcome; made for each server. */
  readonly observe?: ((server: string) => Layer) | undefined;
  /** Hears every message that crosses on behalf of clients, with the server it is of. */
  readonly onMessage?: ((server: string, crossing: Crossing) => void) | undefined;
  /** Told how it is whenever something was learned of a server, instead of the logger. */
  readonly onChange?: ((status: GatewayStatus) => void) | undefined;
  /** What may be used, by whom, and about what the user is asked. The rules of configuration files count as well; the strictest wins. */
  readonly policy?: readonly PolicyRule[] | undefined;
  /** Asks a person where a rule says so and the client cannot ask its user. */
  readonly ask?: AskPerson | undefined;
  /** Told what rules have decided. */
  readonly onDecision?: ((decided: Decided) => void) | undefined;
  /** Where clients and browsers reach it over HTTP, once that is known: people come there to log in to servers. */
  readonly publicUrl?: (() => string | undefined) | undefined;
  /** Where it is kept what was done under which idempotency key; in memory. */
  readonly keys?: KeyStore | undefined;
  readonly logger?: Logger | undefined;
}

/** Many servers as one. Any transport can serve it, to clients of either era. */
export interface Gateway extends Service, AsyncDisposable {
  /** What clients see. */
  catalog(): GatewayCatalog;
  status(): GatewayStatus;
  /** One of the servers by itself, with its own names; nothing where there is no such server. */
  server(name: string): Service | undefined;
  /** A group of the servers, as `settings` has it; nothing where there is no such group. */
  group(name: string): Service | undefined;
  /** Where people log in to servers that each uses with their own account: pages to be served beside its endpoint at this path. */
  pages(path?: string): LoginPages;
  /** Settles when something is known of every server: what it has, or why it cannot be used. */
  settled(): Promise<void>;
  /** Looks again whether servers may be used: their user may have approved of them, or no longer does. */
  reconsider(): void;
  /** Ends all conversations with a server, and opens it again; settles when it is known how that went. */
  restart(name: string): Promise<void>;
  /** Ends all conversations with a server; it is not used until it is restarted, or changed in the configuration. */
  stop(name: string): Promise<void>;
  /** Ends all conversations with servers, and the manager where the gateway was made of targets. */
  close(): Promise<void>;
}

const self: Implementation = { name: 'mcp-kit-gateway', version: '1' };
const defaultWaitMs = 1500;
const defaultRevalidateMs = 60_000;
const defaultMaxCalls = 256;

/**
 * Makes one server of many: those of a manager, whose trust and configuration count, or those that the targets lead to. All are
 * opened at once; lists are made of what is known of each, and never wait for one that is slow or gone.
 */
export function gateway(
  servers: Manager | Readonly<Record<string, Target>>,
  options: GatewayOptions = {},
): Gateway {
  return servers instanceof Manager
    ? createGateway(servers, options)
    : createGateway(managerOf(servers, options), options, true);
}

/** Whoever gives a target has decided that it may be used. */
function managerOf(targets: Readonly<Record<string, Target>>, options: GatewayOptions): Manager {
  const { info = self, logger } = options;
  const entries = Object.entries(targets).map(([server, { wire, label }]) =>
    adHocEntry(wire === 'http' ? { url: 'http://localhost' } : { unix: label }, server),
  );
  return createManager({
    entries,
    targets,
    trust: 'trusted',
    receipts: false,
    toolCache: false,
    ...info,
    logger,
  });
}

/** All rules that count now: those of the program, then those of the files. */
function policyOf(settings: GatewaySettings, { policy = [] }: GatewayOptions): Policy {
  const own = { rules: readRules(policy, { file: '', pointer: '' }) };
  return createPolicy([own, ...(settings.policy ?? [])]);
}

/** What is made of something, made anew when that is another. */
function latest<From, Made>(from: () => From, make: (given: From) => Made): () => Made {
  let known: { readonly from: From; readonly made: Made } | undefined;
  return () => {
    const given = from();
    if (known !== undefined && known.from === given) return known.made;
    const isSame = known !== undefined && JSON.stringify(known.from) === JSON.stringify(given);
    known = { from: given, made: isSame && known !== undefined ? known.made : make(given) };
    return known.made;
  };
}

const noLimits: readonly LimitRule[] = [];

function createGateway(manager: Manager, options: GatewayOptions, isOwner = false): Gateway {
  const { logger = silentLogger, waitMs = defaultWaitMs, info = self, group } = options;
  const { onChange = logTroubles(logger) } = options;
  const settings = (): GatewaySettings => {
    const told = options.settings ?? manager.gatewaySettings;
    const { disclosure = told.disclosure, results = told.results } = options;
    return { ...told, disclosure, results };
  };
  const selection = selected(group, settings);
  const shownAs = presentations(settings);
  let policy = policyOf(settings(), options);
  const boundsNow = latest(() => settings().limits ?? noLimits, createBounds);
  const logins = createLogins({ manager, logger, publicUrl: options.publicUrl });
  const upstreams: Upstreams = new Upstreams(manager, {
    logins,
    policy: () => policy,
    asker: createAsker(options.ask),
    decided: options.onDecision,
    bounds: boundsNow,
    keys: options.keys ?? createKeyStore(),
    logger,
    waitMs,
    revalidateMs: options.revalidateMs ?? defaultRevalidateMs,
    maxCalls: options.maxCalls ?? defaultMaxCalls,
    bridge: options.bridge ?? {},
    isServed: (name) => selection().server(name) && !shownAs(name).isHidden,
    shownAs,
    observe: options.observe,
    onMessage: options.onMessage,
    learned(before, after) {
      onChange(upstreams.status());
      if (before.hash !== after.hash) logRefused(after, logger);
      faces.learned();
    },
  });
  const views = createViews({
    policy: () => policy,
    listing: (name) => upstreams.get(name)?.listing,
  });
  const tasks = createTaskNames(options.bridge?.stateKeys);
  const faces = createFaces({ upstreams, info, waitMs, tasks, settings, views });
  const { service, catalog } = faces.of(group);
  const unwatch = manager.watch({
    reloaded() {
      const next = policyOf(settings(), options);
      if (JSON.stringify(next.rules) === JSON.stringify(policy.rules)) return;
      policy = next;
      faces.viewsChanged();
      upstreams.policyChanged();
    },
  });
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    faces.close();
    unwatch();
    logins.close();
    await upstreams.close();
    if (isOwner) await manager.close();
  };
  return {
    ...service,
    catalog,
    status: () => ({ ...upstreams.status(), hash: catalog().hash }),
    pages: (path = '/mcp') => loginPages(logins, path),
    settled: () => upstreams.settled(),
    reconsider: () => upstreams.reconsider(),
    server: (name) => upstreams.service(name),
    group: (name) => (group === undefined || name === group ? faces.group(name) : undefined),
    restart: async (name) => upstreams.require(name).restart(),
    stop: async (name) => upstreams.require(name).stop(),
    close: () => (closing ??= close()),
    [Symbol.asyncDispose]() {
      return this.close();
    },
  };
}

function logRefused({ refused }: GatewayCatalog, logger: Logger): void {
  for (const { kind, server, item } of refused) {
    logger.error(`${server}: the ${kind} ${item} is not offered: its name is taken`);
  }
}
