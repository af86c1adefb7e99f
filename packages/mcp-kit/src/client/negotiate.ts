import { createDeferred, KitError, startTimer } from '#base';
import { RpcError, type Channel, type Connection } from '#jsonrpc';
import type { Era, Target } from '#protocol';
import type { Identity, ServerFacts } from './facts.ts';
import { confirmInitialized, initialize, requestInitialize } from './handshake.ts';
import type { Limit } from './limit.ts';
import { isDeclinedByStatus, probe, type Finding } from './probe.ts';
import type { Verdicts } from './verdicts.ts';

/** A conversation whose two sides know which era they speak. */
export interface Agreed {
  readonly connection: Connection;
  readonly facts: ServerFacts;
}

export interface Plan {
  readonly era: 'auto' | Era;
  readonly identity: Identity;
  readonly verdicts: Verdicts;
  /** How long a pipe may be silent after the probe before the older era is tried as well. */
  readonly probeTimeoutMs: number;
  readonly timeoutMs: number;
  /** Stopping it ends all that was opened. */
  readonly limit: Limit;
  connect(channel: Channel): Connection;
}

/** Opens a conversation with a server of either era. What was opened on the way and is not used is closed. */
export async function negotiate(target: Target, plan: Plan): Promise<Agreed> {
  const opened = new Set<Connection>();
  const open = async (to: Target): Promise<Connection> => {
    const connection = plan.connect(await dial(to, plan.limit.signal));
    opened.add(connection);
    return connection;
  };
  const remembered = plan.era === 'auto' ? plan.verdicts.get(target.key) : undefined;
  try {
    const agreed = await plan.limit.within(agree(target, { ...plan, remembered }, open));
    opened.delete(agreed.connection);
    const { era } = agreed.facts;
    // Only what was found out: a verdict that was merely used would never grow old, and one that was ordered is none.
    if (era !== remembered && plan.era !== 'legacy') plan.verdicts.set(target.key, era);
    return agreed;
  } catch (error) {
    throw reasonOf(error);
  } finally {
    await Promise.all([...opened].map((connection) => connection.close()));
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

async function agree(
  target: Target,
  plan: Plan & { readonly remembered: Era | undefined },
  open: Open,
): Promise<Agreed> {
  let connection = await open(target);
  if (plan.era === 'legacy' || plan.remembered === 'legacy') {
    try {
      return await handshake(target, { plan, open, connection });
    } catch (error) {
      if (plan.era === 'legacy' || !isDeclined(error, connection)) throw error;
      // What was remembered no longer holds.
      if (!connection.open) connection = await open(target);
    }
  }
  const { finding, opening } = await probeWithin(target, plan, connection);
  if (finding.kind === 'modern') return { connection, facts: finding.facts };
  if (finding.kind === 'failed' && !isGone(finding.error, connection)) throw finding.error;
  if (plan.era === 'modern') throw finding.error;
  if (connection.open) {
    try {
      if (opening === undefined) return await handshake(target, { plan, open, connection });
      const facts = await opening;
      confirmInitialized(connection);
      return { connection, facts };
    } catch (error) {
      if (!isGone(error, connection)) throw error;
    }
  }
  // Some servers end when anything but `initialize` comes first.
  await connection.close();
  return handshake(target, { plan, open, connection: await open(target) });
}

function isGone(error: unknown, connection: Connection): boolean {
  return error instanceof KitError && error.code === 'closed' && !connection.open;
}

/** Whether the server is there, and just does not speak this way. */
function isDeclined(error: unknown, connection: Connection): boolean {
  const strange = error instanceof KitError && error.code === 'unsupported_version';
  return strange || mayBeOldest(error) || isGone(error, connection);
}

interface Probed {
  readonly finding: Finding;
  /** The handshake of the older era, when the probe stayed unanswered for so long that it was begun. */
  readonly opening?: Promise<ServerFacts>;
}

/**
 * Probes; on a pipe not for ever: a server that does not answer what it does not know would never be reached, and one
 * that takes seconds to start would be taken for it. So both questions are asked then, and whichever is answered counts.
 */
async function probeWithin(target: Target, plan: Plan, connection: Connection): Promise<Probed> {
  const { identity, timeoutMs, probeTimeoutMs } = plan;
  const abandon = new AbortController();
  const { signal } = abandon;
  const probing = probe(connection, identity, { timeoutMs, signal });
  if (target.wire === 'http' || plan.era === 'modern') return { finding: await probing };
  const early = await within(probing, probeTimeoutMs);
  if (early !== undefined) return { finding: early };
  const opening = requestInitialize(connection, identity, { timeoutMs, signal });
  const finding = await Promise.race([
    probing,
    opening.then(
      () => older,
      // Refused, which a server of the newer era may do; its other answer is then soon to come.
      async () => (await within(probing, probeTimeoutMs)) ?? older,
    ),
  ]);
  if (finding.kind === 'modern' || finding === older) abandon.abort();
  return { finding, opening };
}

const older: Finding = { kind: 'older', error: undefined };

async function within<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  const late = createDeferred<undefined>();
  const timer = startTimer(() => late.resolve(undefined), ms);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** The older era; and where the server does not know its HTTP either, the oldest transport. */
async function handshake(
  target: Target,
  { plan, open, connection }: { plan: Plan; open: Open; connection: Connection },
): Promise<Agreed> {
  try {
    return { connection, facts: await initialize(connection, plan.identity, plan) };
  } catch (error) {
    const { fallback } = target;
    if (fallback === undefined || !mayBeOldest(error)) throw error;
    try {
      const other = await open(fallback);
      return { connection: other, facts: await initialize(other, plan.identity, plan) };
    } catch {
      // The first answer says more about what is wrong.
      throw error;
    }
  }
}

function mayBeOldest(error: unknown): boolean {
  return error instanceof RpcError || (error instanceof KitError && isDeclinedByStatus(error));
}
