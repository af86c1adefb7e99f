import { KitError } from 'mcp-kit/internal';
import { createAgent, proxyFor, type HttpClientOptions } from 'mcp-kit/transport/http-client';
import {
  createEgress,
  type Assessment,
  type Egress,
  type EgressPolicy,
  type LoadedConfig,
  type Manager,
  type ServerEntry,
  type TransportSettings,
} from '@mcp-kit/host';
import {
  interpolate,
  routeOf,
  untrustedRules,
  type HttpSettings,
  type InterpolationContext,
  type Network,
} from '@mcp-kit/host/internal';
import { cluesIn, lastLines, outputClues, type Reached } from '../clues.ts';
import type { Target } from '../target.ts';
import type { Seen } from '../witness.ts';
import { authRung, loginRungs } from './auth.ts';
import { configRung } from './config.ts';
import { programRung, socketRung } from './local.ts';
import { networkRungs } from './network.ts';
import { probe, type Question } from './probe.ts';
import { failedRung, skippedRungs, type Rung, type RungName } from './rung.ts';
import { callRung, openRung, toolsRung, versionRung, type ToolCall } from './session.ts';
import { trustRung } from './trust.ts';

/** A server to be examined, and what that takes. */
export interface Subject {
  readonly entry: ServerEntry;
  readonly manager: Manager;
  /** What the files say; nothing for a server that was named on the command line. */
  readonly config: Pick<LoadedConfig, 'errors' | 'warnings'> | undefined;
  readonly policy: Partial<EgressPolicy>;
  readonly context: InterpolationContext;
  /** How servers that are trusted are reached, where their entries do not say. */
  readonly network: Network;
  /** How long each step over the network may take. */
  readonly timeoutMs: number;
  /** What was seen of it so far beside its answers. */
  readonly seen: () => Seen;
  readonly reached: Reached;
  /** What was typed, where the server is in no file. */
  readonly target: Target | undefined;
  /** A tool to be called as well. */
  readonly call?: ToolCall | undefined;
}

const ways: Readonly<Record<TransportSettings['kind'], readonly RungName[]>> = {
  stdio: ['program', 'start', 'version', 'tools'],
  unix: ['socket', 'version', 'tools'],
  http: ['dns', 'tcp', 'tls', 'http', 'auth', 'version', 'tools'],
};

/** Goes from the configuration to the tools, and stops where the next step cannot work. */
export async function examine(subject: Subject): Promise<readonly Rung[]> {
  const rungs: Rung[] = [];
  for await (const rung of steps(subject)) rungs.push(rung);
  const seen = new Set(rungs.map(({ name }) => name));
  const failed = rungs.find(({ state }) => state === 'failed');
  if (failed === undefined) return rungs;
  const rest = ['trust' as const, ...wayOf(subject.entry)].filter((name) => !seen.has(name));
  return [...rungs, ...skippedRungs(rest, `${failed.name} failed`)];
}

function wayOf({ transport }: ServerEntry): readonly RungName[] {
  const way = ways[transport.kind];
  const isPlain = transport.kind === 'http' && /^http:/i.test(transport.url);
  return isPlain ? way.filter((name) => name !== 'tls') : way;
}

async function* steps(subject: Subject): AsyncGenerator<Rung> {
  const { entry, context, config } = subject;
  const written = configRung(entry, { config, env: context.env });
  const [resolved, unresolved] = resolve(subject);
  if (unresolved !== undefined) {
    yield failedRung('config', unresolved);
    return;
  }
  yield written;
  if (written.state === 'failed') return;
  const { rung, verdict } = await trusted(subject);
  yield rung;
  if (rung.state === 'failed') return;
  const { transport } = verdict === 'trusted' ? resolved : entry;
  const before = transport.kind === 'http' ? remote : local;
  for (const step of await before({ ...subject, entry: { ...entry, transport } }, verdict)) {
    yield step;
    if (step.state === 'failed') return;
  }
  yield* session(subject);
}

/** The entry with its variables resolved, or why they cannot be. */
function resolve(subject: Subject): readonly [ServerEntry, Error?] {
  const { entry, context, config } = subject;
  // What was typed is meant as it is.
  if (config === undefined) return [entry];
  try {
    const { entry: resolved } = interpolate(entry, context);
    requireHttp(resolved);
    return [resolved];
  } catch (error) {
    return [entry, error as Error];
  }
}

/** Says nothing of the URL itself, which may hold the values of variables by now. */
function requireHttp({ name, transport }: ServerEntry): void {
  if (transport.kind !== 'http') return;
  const url = URL.canParse(transport.url) ? new URL(transport.url) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return;
  throw new KitError('invalid_config', `mcp server ${name}: not the URL of an HTTP server`, {
    hint: 'Use an address that begins with http:// or https://, also once its variables are resolved.',
  });
}

async function trusted({
  entry,
  manager,
  policy,
}: Subject): Promise<{ readonly rung: Rung; readonly verdict: Assessment['verdict'] }> {
  try {
    const standing = await manager.trustOf(entry.name);
    const rules = standing.verdict === 'trusted' ? [] : untrustedRules(entry, policy);
    return { rung: trustRung(entry.name, standing, rules), verdict: standing.verdict };
  } catch (error) {
    return { rung: failedRung('trust', error), verdict: 'untrusted' };
  }
}

async function local({ entry, context, timeoutMs }: Subject): Promise<readonly Rung[]> {
  const { transport } = entry;
  if (transport.kind === 'unix') return [await socketRung(transport, timeoutMs)];
  if (transport.kind !== 'stdio') return [];
  return [await programRung(transport, { cwd: context.workspaceFolder, env: context.env })];
}

/** Goes the way to a URL. One that is not trusted is reached by the way that judges where it leads, as always. */
async function remote(
  { entry, manager, policy, timeoutMs, context, network }: Subject,
  verdict: Assessment['verdict'],
): Promise<readonly Rung[]> {
  const { transport, name } = entry;
  if (transport.kind !== 'http') return [];
  const url = new URL(transport.url);
  const isTrusted = verdict === 'trusted';
  const way: Egress | undefined = isTrusted ? undefined : createEgress(policy, { server: name });
  const found = await routeTo(url, { transport, isTrusted, context, network });
  if ('name' in found) return [found];
  const { proxy, ...route } = found;
  const own = createAgent(url, { ...route, proxy, connectTimeoutMs: timeoutMs });
  const agent = way?.agentFor(url) ?? own;
  try {
    const isProxied = proxy !== undefined;
    const seen = await probe({ ...questionFor(transport, url), agent, isProxied, timeoutMs });
    const rungs = networkRungs(seen, { url, proxy });
    if (rungs.some(({ state }) => state === 'failed')) return rungs;
    const credentials = Object.keys(transport.headers).some((header) =>
      /auth|key|token|cookie/i.test(header),
    );
    const isAsked = seen.response?.status === 401 && !credentials && entry.oauth !== false;
    if (!isAsked) return [...rungs, authRung(seen.response, { credentials, server: name })];
    const examined = await manager.examineLogin(name);
    return [...rungs, ...loginRungs(seen.response, examined, { server: name, isTrusted })];
  } finally {
    way?.destroy();
    own.destroy();
  }
}

interface Routing extends Pick<Subject, 'context' | 'network'> {
  readonly transport: HttpSettings;
  readonly isTrusted: boolean;
}

/** The proxy and the certificates for a URL, or what is wrong with them; whoever is not trusted has none. */
async function routeTo(
  url: URL,
  { transport, isTrusted, context, network }: Routing,
): Promise<Rung | { readonly proxy?: URL | undefined; readonly ca?: HttpClientOptions['ca'] }> {
  if (!isTrusted) return {};
  let stage: RungName = 'tls';
  try {
    const { proxy, ca } = await routeOf(transport, context.workspaceFolder, network);
    stage = 'proxy';
    return { proxy: proxyFor(url, proxy), ca };
  } catch (error) {
    return failedRung(stage, error);
  }
}

/** Headers that say where a message goes and where it ends: not for a file to decide. */
const framing = /^(host|connection|content-length|transfer-encoding|upgrade|expect|te|trailer)$/i;

/** A question that opens no session: what is at this URL, and does it know who asks? */
function questionFor(
  { flavour, headers }: HttpSettings,
  url: URL,
): Omit<Question, 'agent' | 'isProxied' | 'timeoutMs'> {
  const own = Object.entries(headers).filter(([name]) => !framing.test(name));
  const common = { ...Object.fromEntries(own), 'user-agent': 'mcp-kit' };
  if (flavour === 'sse') {
    return { url, method: 'GET', headers: { ...common, accept: 'text/event-stream' } };
  }
  return {
    url,
    method: 'POST',
    headers: {
      ...common,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  };
}

async function* session(subject: Subject): AsyncGenerator<Rung> {
  const { entry, manager, call } = subject;
  const { kind } = entry.transport;
  const opened = await openRung(() => manager.server(entry.name).connect(), kind);
  if ('failed' in opened) {
    const failed = clarified(opened.failed, subject);
    if (kind === 'stdio' && failed.name !== 'start') yield startRung('the process runs', subject);
    yield failed;
    return;
  }
  const { ms } = opened;
  if (kind === 'stdio') yield { ...startRung('the process runs and answers', subject), ms };
  const version = await versionRung(opened.session, kind === 'stdio' ? undefined : ms);
  yield clarified(version, subject);
  if (version.state === 'failed') return;
  if (opened.session.capabilities.tools === undefined) {
    yield { name: 'tools', state: 'skipped', said: 'the server has none' };
    return;
  }
  const tools = await toolsRung(entry.name, () => manager.server(entry.name).listTools());
  yield clarified(tools, subject);
  if (tools.state === 'failed' || call === undefined) return;
  const searched = { server: entry.name, target: subject.target };
  yield clarified(await callRung(call, manager.server(entry.name), searched), subject);
}

/** A process that runs; what it writes where only messages should be is worth a warning. */
function startRung(said: string, { seen, reached }: Subject): Rung {
  const { stderr } = seen();
  const { lines, fix } = outputClues(seen(), reached);
  const words = lastLines(stderr).map((line) => `stderr: ${line}`);
  const state = fix === undefined ? 'ok' : 'warning';
  return { name: 'start', state, said, more: [...lines, ...words], fix };
}

/** A rung that failed, with what was seen meanwhile that explains it, and what to do about that. */
function clarified(rung: Rung, { seen, reached }: Subject): Rung {
  if (rung.state !== 'failed') return rung;
  const { lines, fix } = cluesIn(seen(), reached);
  const said = [rung.said, ...(rung.more ?? [])];
  const news = lines.filter((line) => !said.includes(line.replace(/^stderr: /, '')));
  return { ...rung, more: [...(rung.more ?? []), ...news], fix: fix ?? rung.fix };
}
