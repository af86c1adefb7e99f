import type { Logger } from '#base';
import type { Session, ToolGuard, Verdicts } from '#client';
import type { Era } from '#protocol';
import type { Crossing } from './crossing.ts';

export interface BridgeOptions {
  /** Which era to speak with the server; by default the client's own, and the other one where the server knows no other. */
  readonly era?: 'auto' | Era;
  /** How long the server may take to answer or give a sign of progress; ten minutes. */
  readonly timeoutMs?: number | undefined;
  /** How long opening a conversation with the server may take, its start included; a minute. */
  readonly connectTimeoutMs?: number;
  /** What is known of the server's era; shared by the process unless given. */
  readonly verdicts?: Verdicts;
  /** Conversations with the server at the same time; 64. A process each, where the server is one. */
  readonly maxUpstreams?: number | undefined;
  /** How long a conversation that no client needs any more is kept for the next one; half a minute. */
  readonly idleMs?: number;
  /** How long a call waits for a client that was asked something; ten minutes. */
  readonly parkedMs?: number;
  /**
   * 32-byte keys that bind to its caller what a caller carries between questions; the first seals, all open. Bridges behind
   * one address need the same; without any, what is carried is of no use after a restart.
   */
  readonly stateKeys?: readonly Uint8Array[];
  /** Hears every message on either side, in the order in which they cross. */
  readonly onMessage?: ((crossing: Crossing) => void) | undefined;
  /** Decides which tools of the server clients may see and call; made for each conversation with it. */
  readonly guard?: (session: Session) => ToolGuard;
  readonly logger?: Logger;
}
