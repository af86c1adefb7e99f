import type { Connection } from '#jsonrpc';
import { legacyFacts, type Identity, type ServerFacts } from './facts.ts';

/** How long a question that opens a conversation may take; nothing that the server says meanwhile prolongs it. */
export interface OpeningLimits {
  readonly timeoutMs: number;
  readonly maxTotalMs: number;
  readonly signal?: AbortSignal;
}

/** Opens, or opens anew, a conversation of the older era. */
export async function initialize(
  connection: Connection,
  identity: Identity,
  limits: OpeningLimits,
): Promise<ServerFacts> {
  const facts = await requestInitialize(connection, identity, limits);
  confirmInitialized(connection);
  return facts;
}

/** The first half: until it is confirmed the server waits. */
export async function requestInitialize(
  connection: Connection,
  { info, capabilities, offers, tellsRoots, more }: Identity,
  limits: OpeningLimits,
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
  return legacyFacts(await connection.request('initialize', params, limits), offers);
}

export function confirmInitialized(connection: Connection): void {
  void connection.notify('notifications/initialized');
}
