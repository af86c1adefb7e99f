import type { Session, StormBreaker } from 'mcp-kit/client';
import type { ToolPolicy } from '../tools/tool-policy.ts';

/** What the supervisor wants to hear from a session it is given. */
export interface SessionHooks {
  readonly breaker: StormBreaker;
  readonly signal: AbortSignal;
  onLost(cause: Error | undefined): void;
  onOpened(): void;
}

/** A session with a server, and what guards it. */
export interface Opened {
  readonly session: Session;
  readonly policy: ToolPolicy;
}

/** Opens a session with the server. */
export type Open = (hooks: SessionHooks) => Promise<Opened>;
