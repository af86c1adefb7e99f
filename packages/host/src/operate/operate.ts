import type { EgressPolicy } from 'mcp-kit/auth';
import {
  createBudget,
  files,
  KitError,
  pause,
  processBudget,
  silentLogger,
  weightOfCall,
  withoutUndefined,
  type Budget,
  type KeyRing,
  type Logger,
  type Service,
} from 'mcp-kit/internal';
import {
  profileOf,
  serveHttp,
  type EndpointOptions,
  type HttpListening,
  type HttpOptions,
  type Pages,
  type TlsIdentity,
} from 'mcp-kit/transport/http';
import { createAuthentication, type Authentication } from './auth/authentication.ts';
import { createAdmit } from './admit.ts';
import { CallCounts, observeCalls, type EndedCall } from './observe/calls.ts';
import type { Metric } from './observe/exposition.ts';
import type { Reasons } from './pages/pages.ts';
import { joinOthers } from './agreement.ts';
import { createLimits } from './limits.ts';
import { callLog } from './observe/logs.ts';
import { createMetrics, type Metrics } from './observe/metrics.ts';
import { openOperationsPort, type OperationsPort } from './pages/operations-port.ts';
import { createPages, metadataUrlOf } from './pages/pages.ts';
import { createChallenges } from './refusals.ts';
import { watchStore, type WatchedStore } from './store-health.ts';
import { scopeLayer, scopeRules } from './scopes.ts';
import type { ServerSettings } from './settings.ts';

/** What a server is exposed with beside its settings. */
export interface OperateOptions extends Pick<
  EndpointOptions,
  'profile' | 'answer' | 'sessions' | 'store' | 'node'
> {
  /** What is served at other paths. */
  readonly services?: HttpOptions['services'];
  /** What else is shown. */
  readonly pages?: Pages | undefined;
  /** What else would keep calls from being served well. */
  readonly reasons?: Reasons | undefined;
  /** What else is counted, beside the numbers of the endpoint. */
  readonly metrics?: (() => readonly Metric[]) | undefined;
  readonly logger?: Logger | undefined;
  /** Log one line per call; needs a logger that shows `info`. */
  readonly logCalls?: boolean | undefined;
  /** Seals what clients carry, and the ids of sessions; processes that share a store have the same. */
  readonly keys?: KeyRing | undefined;
  /** How issuers of tokens are reached: by default https, and this machine for an issuer that is here. */
  readonly egress?: EgressPolicy | undefined;
  /** Where the settings find secrets. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** A server that is exposed to others. */
export interface Operated {
  readonly url: string;
  /** Where the numbers are. */
  readonly metricsUrl: string | undefined;
  readonly listening: HttpListening;
  /** The numbers now, as Prometheus reads them. */
  metrics(): string;
  /** Why calls that come now would not be served well; none when it is ready. */
  notReady(): readonly string[];
  /** Reads the certificate, the file of API keys and the ring of keys again; what cannot be read stays as it was. */
  reload(): Promise<void>;
  /** Says that it is not ready, waits, takes no new connections, lets calls end; gives how many did not in time. */
  drain(): Promise<number>;
  close(): Promise<void>;
}

const mebibyte = 1024 * 1024;

/** What is there before anybody can call. */
interface Parts {
  readonly settings: ServerSettings;
  readonly logger: Logger;
  readonly authentication: Authentication | undefined;
  readonly counts: CallCounts;
  readonly budget: Budget;
  readonly metrics: Metrics;
  readonly reasons: Reasons;
  readonly watched: WatchedStore | undefined;
  /** What is known only later. */
  readonly state: State;
}

interface State {
  listening?: HttpListening | undefined;
  draining: boolean;
}

/** Serves over HTTP with everything that `settings` switch on: authorization, limits, numbers, health. */
export async function operateHttp(
  service: Service,
  settings: ServerSettings,
  options: OperateOptions = {},
): Promise<Operated> {
  const parts = await prepare(service, settings, options);
  const { metrics, reasons } = parts;
  const operations =
    settings.metrics &&
    (await openOperationsPort(settings.metrics.port, { metrics: () => metrics.text(), reasons }));
  let leave: (() => Promise<void>) | undefined;
  try {
    const { keys } = options;
    const { logger, watched } = parts;
    const { leaseMs } = options.sessions ?? {};
    const agreeing = { keys, settings, logger, leaseMs, serves: titleOf(service) };
    leave = watched && (await joinOthers({ ...agreeing, store: watched.store }));
    const listening = await open(service, parts, options);
    parts.state.listening = listening;
    return operated(parts, { listening, operations, leave, keys });
  } catch (error) {
    await leave?.();
    await operations?.close();
    throw error;
  }
}

async function prepare(
  service: Service,
  settings: ServerSettings,
  options: OperateOptions,
): Promise<Parts> {
  const { logger = silentLogger, env = process.env, egress } = options;
  const watched = options.store && watchStore(options.store, logger);
  const state: State = { draining: false };
  const counts = new CallCounts();
  const { auth, publicUrl } = settings;
  const authentication =
    auth && (await createAuthentication(auth, { publicUrl, logger, env, egress }));
  const { calls: most = Infinity, memoryMiB } = settings.limits ?? {};
  const budget = memoryMiB === undefined ? processBudget() : createBudget(memoryMiB * mebibyte);
  return {
    settings,
    logger,
    authentication,
    counts,
    budget,
    metrics: createMetrics(counts, () => state.listening?.endpoint, {
      knows: (what, name) => service.knows?.(what, name) === true,
      store: watched?.health,
      more: options.metrics,
    }),
    reasons: () => {
      const hasRoom = budget.admits('calls', weightOfCall(0));
      const own = [
        state.draining ? 'it is about to stop' : undefined,
        counts.total >= most ? 'too many calls are under way' : undefined,
        hasRoom ? undefined : 'too much memory is held for clients',
      ].filter((reason) => reason !== undefined);
      return own.concat(authentication?.reasons() ?? [], options.reasons?.() ?? []);
    },
    watched,
    state,
  };
}

async function open(
  service: Service,
  parts: Parts,
  options: OperateOptions,
): Promise<HttpListening> {
  const { settings, logger, authentication, counts, budget, metrics, reasons, state } = parts;
  const store = parts.watched?.store;
  const { path = '/mcp', publicUrl: named, tls, auth, limits = {} } = settings;
  const { profile, answer, sessions, node, keys, services } = options;
  const log = options.logCalls === true ? callLog(logger) : undefined;
  const ended = (call: EndedCall): void => {
    metrics.ended(call);
    log?.(call);
  };
  const publicUrl = (): string => named ?? state.listening?.url ?? '';
  const issuers = authentication?.issuers ?? [];
  const scopes = scopeRules(auth ?? {});
  const challenges = createChallenges({
    metadataUrl: () => (issuers.length > 0 ? metadataUrlOf(publicUrl()) : undefined),
    scopes: scopes.base,
  });
  const admitting = createLimits(limits, counts);
  return serveHttp(service, {
    profile,
    answer,
    services,
    store,
    node,
    sessionKeys: store && keys?.keys('session'),
    sessions: { ...sessions, ...withoutUndefined(settings.sessions ?? {}) },
    ...listeningOptions(settings),
    tls: tls && (await readTls(tls)),
    logger,
    budget,
    admit: createAdmit({
      limits: admitting,
      logger,
      auth: authentication && { ...authentication, challenges, scopes },
    }),
    layers: {
      observe: observeCalls(counts, ended),
      scopes: authentication && scopeLayer(scopes, challenges.insufficient),
      limits: admitting.layer,
    },
    observer: metrics.observer,
    pages: {
      ...options.pages,
      ...createPages({
        path,
        publicPath: named === undefined ? path : new URL(named).pathname,
        publicUrl,
        reasons,
        title: titleOf(service),
        issuers,
        scopes: scopes.base,
        secured: auth !== undefined,
        profile: profileOf(options),
      }),
    },
  });
}

function listeningOptions(settings: ServerSettings) {
  const { host = '127.0.0.1', port = 0, path = '/mcp', auth, publicUrl } = settings;
  const { allowedHosts = [], allowedOrigins = [], trustedProxies = [] } = settings;
  const names = publicUrl === undefined ? [] : [new URL(publicUrl).hostname];
  return {
    host,
    port,
    path,
    // Whoever must say who they are may come from anywhere.
    insecure: settings.insecure === true || auth !== undefined,
    allowedHosts: [...allowedHosts, ...names],
    allowedOrigins,
    trustedProxies,
  };
}

/** What is open while a server is exposed. */
interface Opened {
  readonly listening: HttpListening;
  readonly operations: OperationsPort | undefined;
  /** Says that this process is not there any more. */
  readonly leave: (() => Promise<void>) | undefined;
  readonly keys: KeyRing | undefined;
}

function operated(parts: Parts, { listening, operations, leave, keys }: Opened): Operated {
  const { settings, authentication, metrics, reasons, state } = parts;
  const { tls, drain: { delayMs = 0, timeoutMs = 1000 } = {} } = settings;
  const closing = new AbortController();
  const close = async (): Promise<void> => {
    closing.abort();
    await listening.close();
    await operations?.close();
    await leave?.();
  };
  return {
    url: listening.url,
    metricsUrl: operations?.url,
    listening,
    metrics: () => metrics.text(),
    notReady: reasons,
    async reload() {
      const renewed = tls && readTls(tls).then((identity) => listening.renewTls(identity));
      // One file that cannot be read must not keep the others from being read.
      const all = await Promise.allSettled([authentication?.reload(), renewed, keys?.refresh()]);
      const failures = all.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
      if (failures.length > 0) throw failures[0];
    },
    async drain() {
      state.draining = true;
      // Whoever closes it meanwhile does not want to wait.
      if (delayMs > 0) await pause(delayMs, closing.signal).catch(() => undefined);
      const unanswered = await listening.drain({ timeoutMs });
      await close();
      return unanswered;
    },
    close,
  };
}

/** A certificate and its key, out of the files that hold them. */
async function readTls({ cert, key }: Record<keyof TlsIdentity, string>): Promise<TlsIdentity> {
  return { cert: await readPem(cert), key: await readPem(key) };
}

async function readPem(file: string): Promise<string> {
  try {
    return await files().readFile(file, 'utf8');
  } catch (cause) {
    throw new KitError('invalid_config', `tls: ${file} cannot be read`, {
      hint: 'Give PEM files that this user may read.',
      cause,
    });
  }
}

function titleOf(service: Service): string {
  const described = service.describe();
  const name = 'title' in described ? described.title : 'name' in described ? described.name : '';
  return typeof name === 'string' && name !== '' ? name : 'MCP server';
}
