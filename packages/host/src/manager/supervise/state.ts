import type { ServerEntry } from '../config/entry.ts';
import type { Assessment } from '../trust/assess.ts';

/**
 * `disabled`: switched off where it is written down. `refused`: not trusted, or its entry cannot be used.
 * `idle`: nothing is asked of it. `starting`: being opened. `ready`: open. `waiting`: lost or failed, and tried again
 * at a time that is set. `stopped`: given up until somebody asks for it.
 */
export type ServerState =
  | 'disabled'
  | 'refused'
  | 'idle'
  | 'starting'
  | 'ready'
  | 'waiting'
  | 'stopped';

/** From each state, those that may follow. A session that its holder uses opens itself, so most can become ready. */
export const moves: Readonly<Record<ServerState, readonly ServerState[]>> = {
  disabled: [],
  refused: ['starting', 'ready', 'idle'],
  idle: ['starting', 'ready'],
  starting: ['ready', 'waiting', 'stopped', 'refused', 'idle'],
  ready: ['waiting', 'stopped', 'idle'],
  waiting: ['starting', 'ready', 'stopped', 'idle'],
  stopped: ['starting', 'ready', 'idle'],
};

/** How one server is. */
export interface ServerStatus {
  readonly name: string;
  readonly state: ServerState;
  /** Since when, in milliseconds since 1970. */
  readonly since: number;
  /** What went wrong last, while it matters. */
  readonly error?: Error | undefined;
  /** When it is tried again, in milliseconds since 1970. */
  readonly retryAt?: number | undefined;
  /** How often it was opened. */
  readonly starts: number;
  /** The process of the server, while it has one and is open. */
  readonly pid?: number | undefined;
  /** The revision that is spoken with it, while it is open. */
  readonly version?: string | undefined;
  /** Where it is written down; none for a channel that the caller brought. */
  readonly entry?: ServerEntry | undefined;
  /** Whether its user trusts it, once that was looked at. */
  readonly trust?: Assessment['verdict'] | undefined;
}
