/** What happened so far, for diagnosis. */
export interface SessionStats {
  /** Messages that could not be read. */
  readonly malformed: number;
  /** How the first of them began. */
  readonly samples: readonly string[];
  /** Notifications lost because their listener was too slow. */
  readonly droppedNotifications: number;
  /** Handlers that took longer than they may. */
  readonly handlerTimeouts: number;
  /** How often a conversation was opened. */
  readonly handshakes: number;
}
