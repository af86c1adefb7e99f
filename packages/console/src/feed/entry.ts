/** Who is at the other end of a conversation, as far as that is known by now. */
export interface Peer {
  /** Tells conversations apart. */
  readonly id: number;
  /** The name that a client gives itself. */
  name: string | undefined;
  /** The revision that is spoken. */
  version: string | undefined;
}

/** A call of a client, for all that belongs to it. */
export interface Call {
  /** The number of the message that began it. */
  readonly seq: number;
  readonly peer: Peer | undefined;
  readonly method: string;
  /** The tool, prompt or resource that it is about, as its client calls it. */
  readonly item: string | undefined;
  /** The trace that it is sent on with, where it is. */
  readonly traceId: string | undefined;
  /** Under which name its client hears of progress. */
  readonly token: unknown;
  /** Whom it went to. */
  server: string | undefined;
}

/** How a request ended. */
export type Outcome = 'ok' | 'failed' | 'refused' | 'cancelled';

/** What was heard, as it is handed in. */
export interface Heard {
  /** The wire to a client, the one to a server, or what a server says beside it. */
  readonly wire: 'client' | 'server' | 'beside';
  /** As the one in the middle sees it. `unreadable`: it is no message; the others are lines of servers. */
  readonly direction: 'received' | 'sent' | 'unreadable' | 'stderr' | 'output' | 'state';
  readonly message: unknown;
  readonly server?: string | undefined;
  readonly peer?: Peer | undefined;
  readonly call?: Call | undefined;
  /** What an answer answers: the number of the request, its method, and when it was heard. */
  readonly answers?: Pick<Entry, 'seq' | 'atMs' | 'method'> | undefined;
  readonly method?: string | undefined;
  readonly outcome?: Outcome | undefined;
}

/** What was heard, in its place. */
export interface Entry extends Heard {
  /** Without gaps, from 1 on. */
  readonly seq: number;
  /** In milliseconds since 1970, with fractions. */
  readonly atMs: number;
  /** About how much memory it takes. */
  readonly weight: number;
}
