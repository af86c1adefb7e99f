import {
  KitError,
  modernVersion,
  shellWord,
  withoutFolders,
  type Era,
  type Logger,
} from 'mcp-kit/internal';
import { showChange, type ServerState, type ServerStatus, type Withheld } from '@mcp-kit/host';
import type { BreakerState } from './upstream/breaker.ts';
import type { GatewayCatalog, Refused } from './catalog.ts';
import { isRefusal } from './layers.ts';
import type { Logins } from './logins/logins.ts';
import { firstListing } from './logins/first-tool.ts';
import { isLoginNeeded } from './logins/wanted.ts';
import type { Listing } from './upstream/listing.ts';
import type { Presentation } from './presentation.ts';
import type { Upstream } from './upstream/upstream.ts';

/** How one server of a gateway is. */
export interface UpstreamStatus {
  readonly name: string;
  readonly state: ServerState;
  /** Why it cannot be used. */
  readonly reason?: string | undefined;
  /** What to do about it. */
  readonly next?: string | undefined;
  /** Since when it is in that state, in milliseconds since 1970. */
  readonly since: number;
  /** When it is tried again, in milliseconds since 1970. */
  readonly retryAt?: number | undefined;
  /** The process of a conversation with it, while there is one: of the first client, or the gateway's own. */
  readonly pid?: number | undefined;
  /** The revision that is spoken in that, and its era. */
  readonly version?: string | undefined;
  readonly era?: Era | undefined;
  /** How often it was restarted, or a conversation with it was lost. */
  readonly restarts: number;
  /** How often a conversation on behalf of a client was lost. */
  readonly lost: number;
  /** `live`, or `cache`: what it had when it was last seen; absent where nothing is known. */
  readonly listing?: 'live' | 'cache' | undefined;
  readonly tools: number;
  readonly prompts: number;
  readonly resources: number;
  readonly templates: number;
  /** Tools that are not what was approved. */
  readonly withheld: readonly string[];
  /** What is different about them, line by line. */
  readonly differences: readonly string[];
  /** Where each principal has a login of their own: how many are asked to log in now. */
  readonly logins?: number | undefined;
  /** Conversations with it on behalf of clients. */
  readonly conversations: number;
  /** Whether requests reach it: not while it has failed again and again. */
  readonly breaker: BreakerState;
}

/** How a gateway is. */
export interface GatewayStatus {
  /** Of all that is listed: the same as long as nothing changes. */
  readonly hash: string;
  readonly servers: readonly UpstreamStatus[];
  /** What is not offered, because its name is taken. */
  readonly refused: readonly Refused[];
}

/** How a gateway and its servers are. */
export function statusOf(
  managed: readonly ServerStatus[],
  { all, catalog: { hash, refused }, shownAs, logins }: Known,
): GatewayStatus {
  const servers = managed.map((one) => {
    const upstream = all.get(one.name);
    const status = upstreamStatus(one, upstream, shownAs(one.name));
    return upstream?.isPersonal ? personal(status, { upstream, error: one.error, logins }) : status;
  });
  return { hash, servers, refused };
}

/** That its own user has not logged in is no trouble, as long as it is known what it has. */
function personal(
  status: UpstreamStatus,
  { upstream: { problem, listing }, error, logins }: Personal,
): UpstreamStatus {
  const { name } = status;
  const whole = { ...status, logins: logins.waiting(name) };
  if (!isLoginNeeded(problem ?? error)) return whole;
  const state = whole.conversations > 0 ? 'ready' : 'idle';
  if (listing !== firstListing) return { ...whole, state, reason: undefined, next: undefined };
  const reason = 'nobody has logged in to it yet, so it is not known what it has';
  const next = `Whoever uses it logs in when they call it; to have it listed before: mcpctl login ${shellWord(name)}`;
  return { ...whole, state, reason, next };
}

interface Personal extends Pick<Known, 'logins'> {
  readonly upstream: Upstream;
  /** What has become of the conversation of its own user. */
  readonly error: Error | undefined;
}

interface Known {
  readonly all: ReadonlyMap<string, Upstream>;
  readonly catalog: GatewayCatalog;
  readonly logins: Pick<Logins, 'waiting'>;
  shownAs(name: string): Presentation;
}

const neverUsed = { conversations: 0, lost: 0, restarts: 0 };

function upstreamStatus(
  managed: ServerStatus,
  upstream: Upstream | undefined,
  as: Presentation,
): UpstreamStatus {
  const { name, since, retryAt } = managed;
  // The manager's own conversation ends when a client has one: the server is there all the same.
  const { pid, version } = upstream?.session ?? managed;
  const error = upstream?.problem ?? (managed.state === 'ready' ? undefined : managed.error);
  return {
    name,
    state: stateOf(managed, upstream, error),
    since,
    ...saidOf(error),
    retryAt,
    pid,
    version,
    era: eraOf(version),
    ...(upstream?.numbers ?? neverUsed),
    ...countsOf(upstream?.listing, as),
    breaker: upstream?.breaker.state ?? 'closed',
  };
}

function saidOf(error: Error | undefined): Pick<UpstreamStatus, 'reason' | 'next'> {
  return {
    reason: error && withoutFolders(error.message),
    next: error instanceof KitError ? error.hint : undefined,
  };
}

function eraOf(version: string | undefined): Era | undefined {
  if (version === undefined) return undefined;
  return version === modernVersion ? 'modern' : 'legacy';
}

function stateOf(
  { state }: ServerStatus,
  upstream: Upstream | undefined,
  error: Error | undefined,
): ServerState {
  if (upstream?.isStopped === true) return 'stopped';
  if (isRefusal(error)) return 'refused';
  return state === 'idle' && upstream?.session !== undefined ? 'ready' : state;
}

type Counts = Pick<
  UpstreamStatus,
  'listing' | 'tools' | 'prompts' | 'resources' | 'templates' | 'withheld' | 'differences'
>;

/** Counts what clients see. */
function countsOf(listing: Listing | undefined, as: Presentation): Counts {
  if (listing === undefined || listing === firstListing) {
    return { tools: 0, prompts: 0, resources: 0, templates: 0, withheld: [], differences: [] };
  }
  const { tools, prompts, resources, templates, withheld, from } = listing;
  return {
    listing: from,
    tools: tools.filter((tool) => as.show('tool', tool)).length,
    prompts: prompts.filter((prompt) => as.show('prompt', prompt)).length,
    resources: resources.filter(({ uri }) => !as.hidesUri(uri)).length,
    templates: templates.filter(({ uriTemplate }) => !as.hidesUri(uriTemplate)).length,
    withheld: withheld.map(({ name }) => name),
    differences: withheld.flatMap(differencesOf).slice(0, maxDifferences),
  };
}

const maxDifferences = 100;

function differencesOf({ name, changes }: Withheld): readonly string[] {
  return changes.flatMap(showChange).map((line) => `${name}: ${line}`);
}

/** Logs why servers cannot be used, once for each reason. */
export function logTroubles(logger: Logger): (status: GatewayStatus) => void {
  const logged = new Map<string, string | undefined>();
  return ({ servers }) => {
    for (const { name, reason } of servers) {
      if (reason !== undefined && logged.get(name) !== reason) logger.warn(`${name}: ${reason}`);
      logged.set(name, reason);
    }
  };
}

const maxInstructions = 2000;

/** What a model is told before anything else: which servers there are, which cannot be used and why, and how to use the others. */
export function instructionsFor(
  servers: readonly UpstreamStatus[],
  instructions: (name: string) => string | undefined,
): string | undefined {
  const names = servers.filter(({ state }) => state !== 'disabled').map(({ name }) => name);
  if (names.length === 0) return undefined;
  const lines = [
    `Tools and prompts of these servers: ${names.join(', ')}. Their names begin with that of their server.`,
  ];
  const troubles = troublesIn(servers);
  if (troubles !== undefined) lines.push(troubles);
  for (const name of names) {
    const said = instructions(name);
    if (said !== undefined && said !== '')
      lines.push('', `${name}: ${said.slice(0, maxInstructions)}`);
  }
  return lines.join('\n');
}

/** Which servers cannot be used now, and why; nothing where all can. */
export function troublesIn(servers: readonly UpstreamStatus[]): string | undefined {
  const troubled = servers.filter(({ state, reason }) => state !== 'disabled' && reason);
  if (troubled.length === 0) return undefined;
  const lines = troubled.map(({ name, reason = '' }) => `- ${name}: ${firstLine(reason)}`);
  return ['These cannot be used now; tell your user when you would need one:', ...lines].join('\n');
}

function firstLine(text: string): string {
  const [line = ''] = text.split('\n', 1);
  return line.slice(0, 200);
}
