import {
  describeError,
  KitError,
  traceTarget,
  watchUnreadable,
  withoutUndefined,
  type Logger,
  type Target,
} from 'mcp-kit/internal';
import type { HttpEvent } from 'mcp-kit/transport/http-client';
import { openSession, type InputHandlers, type Session, type SessionOptions } from 'mcp-kit/client';
import type { ClientSettings } from '../config/dialects/mcp-kit.ts';
import type { ServerEntry } from '../config/entry.ts';
import { forSessions, type ManagerOptions } from '../options.ts';
import type { Opened, SessionHooks } from '../supervise/opened.ts';
import type { ToolCache } from '../tools/cache.ts';
import { ToolPolicy, type Holding } from '../tools/tool-policy.ts';
import type { Assessment } from '../trust/assess.ts';
import { admit, type AdmissionRules } from './admission.ts';
import { wayTo, type TargetPlace, type Way } from './target.ts';

/** A server that speaks another revision than the configuration asks for. */
export interface VersionMismatch {
  readonly server: string;
  readonly asked: string;
  readonly spoken: string;
}

/** What all openings of a manager have in common. */
export interface Openings {
  readonly options: ManagerOptions;
  readonly client: ClientSettings;
  readonly admission: AdmissionRules;
  readonly place: Omit<TargetPlace, 'onStderr' | 'onHttp'>;
  readonly toolCache: ToolCache;
  readonly logger: Logger;
  /** Told after each opening; without a mismatch where there is none. */
  versionChecked(server: string, mismatch?: VersionMismatch): void;
}

/** The same, with the logins of one account. */
export function forAccount(openings: Openings, account: string | undefined): Openings {
  const { place } = openings;
  return { ...openings, place: { ...place, logins: { ...place.logins, account } } };
}

/** What one opening wants to know as it goes. */
export type EntryHooks = SessionHooks & { assessed(verdict: Assessment['verdict']): void };

/** A way to a server that is written down, as far as it may be used; looked at again at every dial. */
export interface Approach {
  readonly target: Target;
  readonly holding: Holding;
  readonly isTrusted: boolean;
  /** Lets go of the connections that it keeps for later. */
  release(): void;
}

export async function approach(
  entry: ServerEntry,
  openings: Openings,
  assessed: EntryHooks['assessed'],
): Promise<Approach> {
  const { onStderr, onHttp, onUnreadable, targets = {} } = openings.options;
  const { name } = entry;
  const given = Object.hasOwn(targets, name) ? targets[name] : undefined;
  const holding: Holding = { known: {} };
  const place = {
    ...openings.place,
    onStderr: onStderr && ((text: string) => onStderr(name, text)),
    onHttp: onHttp && ((event: HttpEvent) => onHttp(name, event)),
  };
  let way: Way | undefined;
  let isTrusted = false;
  const look = async (): Promise<Target> => {
    const admitted = await admit(entry, openings.admission, assessed);
    holding.known = admitted.known;
    isTrusted = admitted.egress === undefined;
    way?.release();
    way =
      given === undefined ? await wayTo(admitted, entry, place) : { target: given, release() {} };
    return onUnreadable === undefined
      ? way.target
      : watchUnreadable(way.target, (what) => onUnreadable(name, what));
  };
  const target = lookedAtEachTime(await look(), look);
  return { target, holding, isTrusted, release: () => way?.release() };
}

/** Opens a session with a server that is written down, if it may be used. */
export async function openEntry(
  entry: ServerEntry,
  openings: Openings,
  hooks: EntryHooks,
): Promise<Opened> {
  const { name } = entry;
  const { target, holding, isTrusted, release } = await approach(entry, openings, hooks.assessed);
  try {
    const reached = { name, target, entry, holding, isTrusted };
    const opened = await openTarget(reached, openings, hooks);
    void opened.session.closed.then(release);
    return opened;
  } catch (error) {
    release();
    throw error;
  }
}

/** A server that was lost is looked at again before it is dialled: its program may have changed, its approval may be gone. */
function lookedAtEachTime(first: Target, look: () => Promise<Target>): Target {
  let next: Target | undefined = first;
  const guard = (one: Target, find: (found: Target) => Target | undefined): Target => ({
    ...one,
    dialsAnew: true,
    fallback: one.fallback && guard(one.fallback, (found) => find(found)?.fallback),
    dial: async (signal) => {
      const found = find(next ?? (await look()));
      next = undefined;
      if (found === undefined)
        throw new KitError('closed', `${one.label} is reached otherwise now`);
      return found.dial(signal);
    },
  });
  return guard(first, (found) => found);
}

/** A server that is known by how to reach it. */
export interface Reached {
  readonly name: string;
  readonly target: Target;
  readonly entry?: ServerEntry | undefined;
  /** What is written down about its tools, also where it is not reached as that says. */
  readonly tools?: ServerEntry['tools'] | undefined;
  readonly holding?: Holding | undefined;
  /** Whether it can be reached again. */
  readonly heals?: boolean | undefined;
  /** Whether it may ask anything of this side. */
  readonly isTrusted?: boolean | undefined;
}

/** Opens a session with a server that is known by how to reach it. */
export async function openTarget(
  reached: Reached,
  openings: Openings,
  hooks: SessionHooks,
): Promise<Opened> {
  const { name, entry, tools = entry?.tools, holding = { known: {} }, heals = true } = reached;
  const { admission, logger, toolCache: cache } = openings;
  const { isTrusted = true } = reached;
  const options = isTrusted ? openings.options : withoutAnswers(openings.options);
  const { onTrace } = options;
  const client = isTrusted ? clientFor(entry, openings.client) : {};
  const target =
    onTrace === undefined
      ? reached.target
      : traceTarget(reached.target, (...crossing) => onTrace(name, ...crossing), logger);
  const guard: { policy?: ToolPolicy } = {};
  const toolsChanged = (): void => {
    guard.policy?.forget();
    try {
      openings.options.onToolsChanged?.(name);
    } catch (error) {
      logger.error('onToolsChanged: a handler failed', { error: describeError(error) });
    }
  };
  const session = await openSession(target, {
    ...sessionOptions(options, client),
    timeoutMs: entry?.timeouts.requestMs ?? options.timeoutMs,
    connectTimeoutMs: entry?.timeouts.startupMs ?? options.connectTimeoutMs,
    ...listeners(name, options, toolsChanged),
    label: name,
    logger,
    heal: heals,
    breaker: hooks.breaker,
    signal: hooks.signal,
    onLost: hooks.onLost,
    onOpened: () => {
      hooks.onOpened?.();
      toolsChanged();
    },
  });
  await checkVersion(session, name, { ...openings, client });
  const { receipts } = admission;
  const policy = new ToolPolicy(session, { name, entry, tools, holding, cache, receipts });
  guard.policy = policy;
  return { session: session.guarded(policy), policy };
}

/** Whoever is not trusted is not told where the user works, and asks nothing of them or of their model. */
function withoutAnswers(options: ManagerOptions): ManagerOptions {
  const { inputs: _inputs, onRequest: _onRequest, capabilities: _capabilities, ...rest } = options;
  return rest;
}

/** What the configuration says of this side to a server: what its own file does, or whoever made the manager. */
function clientFor(entry: ServerEntry | undefined, client: ClientSettings): ClientSettings {
  const isOfOther = entry !== undefined && client.file !== undefined;
  return isOfOther && client.file !== entry.provenance.file ? {} : client;
}

function listeners(
  name: string,
  { onNotification, onRequest, onError }: ManagerOptions,
  toolsChanged: () => void,
): Partial<SessionOptions> {
  return {
    onNotification: (notification) => {
      if (notification.method === 'notifications/tools/list_changed') toolsChanged();
      return onNotification?.(name, notification);
    },
    onError: onError && ((error) => onError(name, error)),
    onRequest: onRequest && ((request, context) => onRequest(name, request, context)),
  };
}

function sessionOptions(options: ManagerOptions, client: ClientSettings): SessionOptions {
  const given = Object.fromEntries(forSessions.map((name) => [name, options[name]]));
  return {
    ...withoutUndefined(given),
    capabilities: { ...client.capabilities, ...options.capabilities },
    inputs: inputsOf(options, client),
    protocolVersion: client.protocolVersion,
  };
}

/** Roots that the configuration names are answered without a handler. */
function inputsOf({ inputs = {} }: ManagerOptions, { roots }: ClientSettings): InputHandlers {
  return roots === undefined || inputs.roots !== undefined ? inputs : { ...inputs, roots };
}

async function checkVersion(
  session: Session,
  server: string,
  { options, client, logger, versionChecked }: Openings,
): Promise<void> {
  const { versionCheck = 'warn' } = options;
  const { protocolVersion: asked } = client;
  const { version: spoken } = session;
  if (asked === undefined || asked === spoken || versionCheck === 'ignore') {
    versionChecked(server);
    return;
  }
  versionChecked(server, { server, asked, spoken });
  const message = `mcp initialize protocolVersion mismatch (server=${server}): client=${asked}, server=${spoken}`;
  if (versionCheck === 'warn') {
    logger.warn(message);
    return;
  }
  await session.close();
  throw new KitError('unsupported_version', message, {
    hint: 'Ask for the revision that the server speaks, or let another one pass with versionCheck.',
  });
}
