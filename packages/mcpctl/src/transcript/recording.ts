import type { Params } from 'mcp-kit/internal';
import type { ClientCapabilities, Era, Implementation, ServerCapabilities } from 'mcp-kit/protocol';

/** Something the server said or asked while a call was under way. */
export type Event =
  | { readonly kind: 'notice'; readonly method: string; readonly params: Params }
  | Question;

/** What a server asked of its client, and what it was told. */
export interface Question {
  readonly kind: 'question';
  readonly method: string;
  readonly params: Params;
  answer?: Outcome | undefined;
}

/** A result, or an error. */
export type Outcome =
  | { readonly result: unknown }
  | {
      readonly error: { readonly code: number; readonly message: string; readonly data?: unknown };
    };

/** A request that was answered, in the words that both eras have in common. */
export interface RecordedCall {
  readonly method: string;
  readonly params: Params;
  readonly events: readonly Event[];
  readonly outcome: Outcome;
}

/** What a server said of itself. */
interface Greeting {
  readonly info: Implementation;
  readonly capabilities: ServerCapabilities;
  readonly instructions?: string | undefined;
}

/** What was recorded of one server. */
export interface Recording {
  /** Its name in a recording of a gateway. */
  readonly server: string | undefined;
  readonly era: Era;
  /** What the client could do: servers may have other tools for those who cannot. */
  readonly client: ClientCapabilities;
  readonly greeting: Greeting | undefined;
  readonly calls: readonly RecordedCall[];
  /** Requests without an answer. */
  readonly unanswered: number;
}

/** What was recorded of each server, and what of it differs from time to time. */
export interface Transcript {
  readonly recordings: readonly Recording[];
  readonly ignore: readonly string[];
}
