import { KitError } from '#base';
import { RpcError, type Channel, type Connection } from '#jsonrpc';
import { modernVersion, type Era, type Target } from '#protocol';
import { legacyFacts, type Identity, type ServerFacts } from './facts.ts';
import { within, type Limit } from './limit.ts';
import type { SessionOptions } from './options.ts';
import { isDeclinedByStatus, probe, type Finding, type EraCache } from './probe.ts';

/** A conversation whose two sides know which era they speak. */
export interface Agreed {
  readonly connection: Connection;
  readonly facts: ServerFacts;
}

/** Which eras may be spoken. */
type Eras = Readonly<Record<Era, boolean>>;

const choices: Readonly<Record<'auto' | Era, Eras>> = {
  auto: { legacy: true, modern: true },
  legacy: { legacy: true, modern: false },
  modern: { legacy: false, modern: true },
};

/** The eras that the owner of a session lets it speak: that of the revision to be offered, where one is named. */
export function erasOf({ era = 'auto', protocolVersion }: SessionOptions): Eras {
  if (protocolVersion === undefined) return choices[era];
  const named = protocolVersion === modernVersion ? 'modern' : 'legacy';
  if (choices[era][named]) return choices[named];
  throw new KitError('invalid_argument', `revision ${protocolVersion} is not of the ${era} era`, {
    hint: 'Leave era out: it follows from protocolVersion.',
  });
}

export interface Plan {
  readonly eras: Eras;
  readonly identity: Identity;
  readonly eraCache: EraCache;
  /** How long a server may be silent after the probe before the legacy era is tried as well. */
  readonly probeTimeoutMs: number;
  /** How long it may take in all. */
  readonly timeoutMs: number;
  /** The only clock of it. Stopping it ends all that was opened. */
  readonly limit: Limit;
  connect(channel: Channel): Connection;
}

/** How long an answer to the probe may come after the answer to the handshake that was sent after it. */
const lateMs = 500;

/** Opens a conversation with a server of either era. What was opened on the way and is not used is closed. */
export async function negotiate(target: Target, plan: Plan): Promise<Agreed> {
  const { limit, eraCache, eras } = plan;
  const opened = new Map<Connection, Channel>();
  const open = async (to: Target): Promise<Connection> => {
    const channel = await dial(to, limit.signal);
    const connection = plan.connect(channel);
    opened.set(connection, channel);
    return connection;
  };
  try {
    const remembered = eras.legacy && eras.modern ? await eraCache.get(target.key) : undefined;
    const { agreed, isPassing } = await limit.within(agree(target, { ...plan, remembered }, open));
    opened.delete(agreed.connection);
    const { era } = agreed.facts.edge;
    // Only what was found out: a verdict that was merely used would never grow old, and one that was ordered is none.
    const isNew = era !== remembered && eras.modern && isPassing !== true;
    if (isNew) await eraCache.set(target.key, era);
    return agreed;
  } catch (error) {
    const reason: unknown = limit.signal.aborted ? limit.signal.reason : reasonOf(error);
    throw withLastWords(reason, [...opened.values()]);
  } finally {
    await Promise.all([...opened.keys()].map((connection) => connection.close()));
  }
}

/** Opens a channel; one that opens when nobody wants it any more is closed. */
async function dial(target: Target, signal: AbortSignal): Promise<Channel> {
  signal.throwIfAborted();
  const channel = await target.dial(signal);
  if (!signal.aborted) return channel;
  await channel.close();
  throw signal.reason;
}

/** What there is to say about a server that hung up is why. */
function reasonOf(error: unknown): unknown {
  const hungUp = error instanceof KitError && error.code === 'closed';
  return hungUp && error.cause instanceof KitError ? error.cause : error;
}

type Open = (target: Target) => Promise<Connection>;

interface Outcome {
  readonly agreed: Agreed;
  /** It was found out while the server was not well: another time it may be otherwise. */
  readonly isPassing?: boolean | undefined;
}

async function agree(
  target: Target,
  plan: Plan & { readonly remembered: Era | undefined },
  open: Open,
): Promise<Outcome> {
  const first = await open(target);
  if (plan.eras.modern && plan.remembered !== 'legacy') {
    return findOut(target, { plan, open, connection: first });
  }
  try {
    return { agreed: await handshake(target, { plan, open, connection: first }) };
  } catch (error) {
    if (!plan.eras.modern || !isDeclined(error, first)) throw error;
    // What was remembered no longer holds.
    const connection = first.open ? first : await open(target);
    return findOut(target, { plan, open, connection, isLast: connection !== first });
  }
}

/** Finds out by asking which era the server speaks. */
async function findOut(target: Target, approach: Approach): Promise<Outcome> {
  const { plan, open, connection, isLast = false } = approach;
  const { finding, begun } = await probeWithin(target, approach);
  if (finding.kind === 'answered') {
    return { agreed: await goOnModern(target, approach, { facts: finding.facts, begun }) };
  }
  const isOver = finding.kind === 'failed' && !mayEndOnProbe(finding.error, connection);
  if (isOver || !plan.eras.legacy || (isLast && !connection.open)) throw finding.error;
  try {
    if (connection.open) {
      const agreed = await (begun?.agreed ?? handshake(target, approach));
      await begun?.confirm();
      return { agreed, isPassing: finding.kind === 'unclear' };
    }
  } catch (error) {
    if (isLast || !mayEndOnProbe(error, connection)) throw error;
  }
  // Some servers end when anything but `initialize` comes first.
  await connection.close();
  return { agreed: await handshake(target, { plan, open, connection: await open(target) }) };
}

/** Goes on in the modern era; on a pipe that may be bound to the legacy one by the handshake, with another one. */
async function goOnModern(
  target: Target,
  { plan, open, connection }: Approach,
  { facts, begun }: { readonly facts: ServerFacts; readonly begun: Begun | undefined },
): Promise<Agreed> {
  if (target.wire === 'http' || begun === undefined || (await isRefused(begun, plan))) {
    return { connection, facts };
  }
  await connection.close();
  const another = await open(target);
  const finding = await probe(another, plan.identity);
  if (finding.kind !== 'answered') throw finding.error;
  return { connection: another, facts: finding.facts };
}

function isGone(error: unknown, connection: Connection): boolean {
  return error instanceof KitError && error.code === 'closed' && !connection.open;
}

/** Whether the server has ended, and perhaps because of what it was asked. */
function mayEndOnProbe(error: unknown, connection: Connection): boolean {
  return isGone(error, connection) && !isEndedByItself(error);
}

/** Whether the server is there, and just does not speak this way. */
function isDeclined(error: unknown, connection: Connection): boolean {
  const strange = error instanceof KitError && error.code === 'unsupported_version';
  return strange || mayBeOldest(error) || mayEndOnProbe(error, connection);
}

/** The handshake of the legacy era, under way while the probe has no answer yet. */
interface Begun {
  readonly agreed: Promise<Agreed>;
  /** Tells the server that its answer counts. */
  confirm(): Promise<void>;
}

interface Probed {
  readonly finding: Finding;
  readonly begun?: Begun | undefined;
}

/** What is known of the server so far, and how to reach it. */
interface Approach {
  readonly plan: Plan & { readonly remembered?: Era | undefined };
  readonly open: Open;
  readonly connection: Connection;
  /** Its process has ended once already: it is not started a third time. */
  readonly isLast?: boolean | undefined;
}

/**
 * Probes, but not for ever: a server that does not answer what it does not know would never be reached, and one that
 * takes seconds to start would be taken for it. So the handshake is begun as well then, and both answers are looked at.
 */
async function probeWithin(target: Target, approach: Approach): Promise<Probed> {
  const { plan, connection } = approach;
  const abandon = new AbortController();
  const probing = probe(connection, plan.identity, { signal: abandon.signal });
  if (!plan.eras.legacy) return { finding: await probing };
  const early = await within(probing, patienceOf(plan));
  if (early !== undefined) return { finding: early };
  const begun = target.wire === 'http' ? beginBeside(target, approach) : beginOn(connection, plan);
  // Whoever looks at it does so later, or not at all.
  begun.agreed.catch(() => {});
  const finding = await Promise.race([
    probing,
    begun.agreed.then(
      async () => (await within(probing, Math.min(lateMs, plan.limit.leftMs / 2))) ?? silent,
      // A server of the modern era may refuse it; its other answer is then soon to come.
      async () => (await within(probing, plan.probeTimeoutMs)) ?? silent,
    ),
  ]);
  if (finding === silent) abandon.abort();
  return { finding, begun };
}

const silent: Finding = { kind: 'declined', error: undefined };

/** One that is known to have spoken the modern era is waited for, because most likely it is starting. */
function patienceOf({ probeTimeoutMs, timeoutMs, remembered }: Approach['plan']): number {
  return remembered === 'modern' ? timeoutMs / 2 : Math.min(probeTimeoutMs, timeoutMs / 2);
}

/** On a pipe both questions go the same way: a second process would be in the way of the first. */
function beginOn(connection: Connection, { identity }: Plan): Begun {
  const opening = requestInitialize(connection, identity);
  return {
    agreed: opening.then((facts) => ({ connection, facts })),
    confirm: () => confirmInitialized(connection),
  };
}

/** Over HTTP the handshake has a conversation of its own, which is ended as a whole if the probe is answered. */
function beginBeside(target: Target, { plan, open }: Approach): Begun {
  const begin = async (): Promise<Agreed> =>
    handshake(target, { plan, open, connection: await open(target) });
  return { agreed: begin(), confirm: () => Promise.resolve() };
}

/** Whether the server has said no to the handshake; one that has not may be bound to the legacy era by it. */
function isRefused({ agreed }: Begun, { probeTimeoutMs }: Plan): Promise<boolean> {
  const refused = agreed.then(
    () => false,
    (error: unknown) => error instanceof RpcError,
  );
  return within(refused, probeTimeoutMs).then((answer) => answer === true);
}

/** The legacy era; and where the server does not know its HTTP either, the oldest transport. */
async function handshake(target: Target, approach: Approach): Promise<Agreed> {
  const agreed = await greet(target, approach);
  await confirmInitialized(agreed.connection);
  return agreed;
}

async function greet(target: Target, { plan, open, connection }: Approach): Promise<Agreed> {
  const { identity } = plan;
  try {
    return { connection, facts: await requestInitialize(connection, identity) };
  } catch (error) {
    const { fallback } = target;
    if (fallback === undefined || !mayBeOldest(error)) throw error;
    try {
      const other = await open(fallback);
      return { connection: other, facts: await requestInitialize(other, identity) };
    } catch {
      // The first answer says more about what is wrong.
      throw error;
    }
  }
}

function mayBeOldest(error: unknown): boolean {
  return error instanceof RpcError || (error instanceof KitError && isDeclinedByStatus(error));
}

/** Opens, or opens anew, a conversation of the legacy era. */
export async function initialize(connection: Connection, identity: Identity): Promise<ServerFacts> {
  const facts = await requestInitialize(connection, identity);
  await confirmInitialized(connection);
  return facts;
}

/** The clock is that of the whole opening: nothing that the server says meanwhile prolongs it. */
const noClock = { timeoutMs: Infinity, maxTotalMs: Infinity } as const;

/** The first half: until it is confirmed the server waits. */
async function requestInitialize(
  connection: Connection,
  { info, capabilities, offers, tellsRoots, more }: Identity,
): Promise<ServerFacts> {
  const { roots } = capabilities;
  const params = {
    ...more,
    protocolVersion: offers,
    // Only this era has a notification for it.
    capabilities: tellsRoots
      ? { ...capabilities, roots: { listChanged: true, ...roots } }
      : capabilities,
    clientInfo: info,
  };
  return legacyFacts(await connection.request('initialize', params, noClock), offers);
}

/** How long a server may take over the end of the handshake; one that answers later is not waited for. */
const confirmMs = 5000;

/** The second half, which a server can refuse over HTTP. */
async function confirmInitialized(connection: Connection): Promise<void> {
  const method = 'notifications/initialized';
  const telling = connection.tell(method).catch((error: unknown) => {
    if (!(error instanceof KitError)) throw error;
    const { code, message, hint, details } = error;
    // Whoever hangs up is lost like anybody else: that is noticed elsewhere.
    if (code === 'closed') return;
    throw new KitError(code, `${method}: ${message}`, { hint, details, cause: error });
  });
  // Perhaps it is not waited for any more.
  telling.catch(() => {});
  await within(telling, confirmMs);
}

/** In whatever words a server complains of what it was asked, one of these is among them. */
const aboutMessages =
  /initiali[sz]|discover|method|handshake|protocol|json-?rpc|request|params|_meta/i;

/** Whether a process has ended for a reason of its own: with a failure, and words that are not about what it was asked. */
function isEndedByItself(error: unknown): boolean {
  const cause = error instanceof KitError ? error.cause : undefined;
  if (!(cause instanceof KitError) || cause.code !== 'process_failed') return false;
  const { exitCode, stderr } = cause.details ?? {};
  if (typeof exitCode !== 'number' || exitCode === 0) return false;
  return typeof stderr === 'string' && stderr.trim() !== '' && !aboutMessages.test(stderr);
}

/** The same error; where the time was up, with what the server has said beside the conversation. */
function withLastWords(error: unknown, channels: readonly Channel[]): unknown {
  if (!(error instanceof KitError) || error.code !== 'timeout') return error;
  const words = channels.map((channel) => channel.lastWords()).findLast(Boolean);
  if (words === undefined) return error;
  return new KitError('timeout', `${error.message}; it said:\n${words}`, {
    hint: error.hint,
    cause: error.cause,
    details: { ...error.details, stderr: words },
  });
}
