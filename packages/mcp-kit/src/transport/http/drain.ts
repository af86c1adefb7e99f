import type { Server } from 'node:http';
import { net } from '#base';
import type { Endpoint } from './endpoint.ts';

export interface DrainOptions {
  /** How long calls under way may take; 1 s. */
  readonly timeoutMs?: number;
  /** Connections without a request for this long are closed; 500 ms. */
  readonly quietMs?: number;
}

/** Shared by whoever drains a server with its listener. */
export interface Draining {
  begun: boolean;
  lastRequestMs: number;
}

/** How long answers under way may still take when the server closes. */
const closeGraceMs = 1000;
/** The same when they have had their time already. */
const lastGraceMs = 200;
const lookEveryMs = 20;

/** Ends every session, stream and connection. */
export async function close(
  server: Server,
  endpoint: Endpoint,
  graceMs: number = closeGraceMs,
): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  await endpoint.close();
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(timer);
}

/** Lets what is under way end, then closes; gives how many calls were not answered in time. */
export async function drain(
  what: { readonly server: Server; readonly endpoint: Endpoint; readonly draining: Draining },
  { timeoutMs = 1000, quietMs = 500 }: DrainOptions = {},
): Promise<number> {
  const { server, endpoint, draining } = what;
  const begunMs = performance.now();
  draining.begun = true;
  draining.lastRequestMs = begunMs;
  // Not by the method of HTTP servers: that one closes idle connections at once, and a request may be on its way on each.
  await stopAccepting(server);
  const isOver = async (): Promise<boolean> => (await connectionsOf(server)) === 0;
  const isQuiet = (): boolean => performance.now() - draining.lastRequestMs >= quietMs;
  const isLate = (): boolean => performance.now() - begunMs >= timeoutMs;
  while (!isLate() && !(await isOver()) && !(endpoint.load().calls === 0 && isQuiet())) {
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
  }
  const { calls } = endpoint.load();
  await close(server, endpoint, lastGraceMs);
  return calls;
}

function connectionsOf(server: Server): Promise<number> {
  return new Promise((resolve) => server.getConnections((_, count) => resolve(count)));
}

/**
 * Closes the door when nobody stands in it: the system has connections that Node has not taken yet, and would reset them. In a
 * turn Node first takes who is there, so that after turns in which nobody came nobody waits.
 */
async function stopAccepting(server: Server): Promise<void> {
  let quietTurns = 0;
  const arrived = (): void => {
    quietTurns = -1;
  };
  server.on('connection', arrived);
  while (quietTurns < 2) {
    await new Promise((resolve) => setImmediate(resolve));
    quietTurns += 1;
  }
  server.off('connection', arrived);
  net().Server.prototype.close.call(server);
}
