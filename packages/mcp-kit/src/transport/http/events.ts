import type { Id } from '#jsonrpc';

/** An event that carries a message. */
export function messageEvent(id: string, text: string): string {
  return `event: message\nid: ${id}\ndata: ${text}\n\n`;
}

/** The same, of which nobody can say that it was the last that came. */
export function plainEvent(text: string): string {
  return `event: message\ndata: ${text}\n\n`;
}

/** An event without a message: gives the client a place to come back to, and says how soon. */
export function primingEvent(id: string, retryMs: number): string {
  return `id: ${id}\nretry: ${retryMs}\ndata: \n\n`;
}

/** What the events of a stream say of themselves. */
interface Naming {
  /** How a position appears on the wire. */
  readonly eventId: (position: number) => string;
  /** How soon a client that lost it may come back. */
  readonly retryMs: number;
}

/** An entry of a log as it goes out. */
export function eventOf({ eventId, retryMs }: Naming, position: number, text: string): string {
  if (noteIn(text) !== undefined) return '';
  const id = eventId(position);
  return text === '' ? primingEvent(id, retryMs) : messageEvent(id, text);
}

/** What a stream is for: the requests whose answers end it, or whatever belongs to no request. */
export type Purpose = readonly Id[] | 'listening';

/** What is said of a stream in its log, which no client hears of. */
export interface Note {
  /** In the first entry. */
  readonly purpose?: Purpose | undefined;
  /** The node that has it. */
  readonly node?: string | undefined;
  /** Its node does not go on with it. */
  readonly isOver?: true | undefined;
}

/** No message begins like this. */
const noteMark = '\u0001';

export function noteText(note: Note): string {
  return noteMark + JSON.stringify(note);
}

/** The note that an entry is, if it is one: it was written by the stream that the log is of. */
export function noteIn(text: string): Note | undefined {
  return text.startsWith(noteMark) ? (JSON.parse(text.slice(1)) as Note) : undefined;
}
