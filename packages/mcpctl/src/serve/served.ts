import { within } from '../stop.ts';
import type { Announcement } from './announce.ts';

/** A server that listens until it is closed, gently or at once. */
export interface Served {
  readonly announcement: Announcement;
  /** Ends it; `gently` waits for calls under way, and for whoever has to notice first. */
  close(gently: boolean): Promise<void>;
  /** The longest that a gentle end takes. */
  readonly longestMs: number;
}

/** Ends a server once `stop` has fired; `endMs` is the most that ending at once may take. */
export async function endServed(served: Served, stop: AbortSignal, endMs: number): Promise<void> {
  // Whoever sends SIGTERM runs others that can take over; whoever types Ctrl-C waits.
  const gently = stop.reason === 'SIGTERM';
  await within(endMs + (gently ? served.longestMs : 0), served.close(gently));
}
