import { KitError } from '#base';
import { encodeError, isRecord, rpcErrors, type Id } from '#jsonrpc';
import type { Log, LogEntry } from '#store';
import { noteIn, noteText, type Purpose } from '../events.ts';

/** How far a stream has got that another process began. */
interface Standing {
  readonly purpose: Purpose;
  readonly node: string;
  readonly last: number;
  /** Its last event is the answer that ends it. */
  readonly isAnswered: boolean;
  /** Nobody goes on with it. */
  readonly isOver: boolean;
  /** What came after a position. */
  readonly rest: readonly LogEntry[];
}

const pageSize = 64;

/** Reads a log from a position that must be in it; nothing when something after it, or what it is for, is lost. */
export async function standingOf(
  log: Log,
  key: string,
  after?: number,
): Promise<Standing | undefined> {
  const [first] = (await log.readAfter(key, 0, 1)).entries;
  const { purpose, node = '' } = noteIn(first?.data ?? '') ?? {};
  if (first === undefined || purpose === undefined) return undefined;
  const found = await entriesFrom(log, key, after ?? first.position);
  const end = found?.at(-1);
  if (found === undefined || end === undefined) return undefined;
  const isOver = noteIn(end.data)?.isOver === true;
  const isAnswered = purpose !== 'listening' && isAnswer(end.data);
  return { purpose, node, last: end.position, isAnswered, isOver, rest: found.slice(1) };
}

/** All of a log from an entry on; nothing when one of them is lost. */
async function entriesFrom(
  log: Log,
  key: string,
  from: number,
): Promise<readonly LogEntry[] | undefined> {
  const found: LogEntry[] = [];
  for (let last = from - 1; ; last = found.at(-1)?.position ?? last) {
    const { entries, complete } = await log.readAfter(key, last, pageSize);
    if (!complete) return undefined;
    if (entries.length === 0) return found[0]?.position === from ? found : undefined;
    found.push(...entries);
  }
}

/** An answer, or those to a batch; neither a note nor the event that marks where to come back to. */
export function isAnswer(text: string): boolean {
  if (text === '' || noteIn(text) !== undefined) return false;
  const message: unknown = JSON.parse(text);
  return Array.isArray(message) || (isRecord(message) && message['method'] === undefined);
}

/** Where a stream keeps its events, and for how long. */
export interface StreamLog {
  readonly log: Log;
  readonly key: string;
  readonly retainMs: number;
}

/** Answers the calls of a stream whose node is gone, unless they were answered: that node can add nothing then. */
export async function conclude(place: StreamLog): Promise<void> {
  const standing = await standingOf(place.log, place.key);
  if (standing === undefined || standing.isAnswered || standing.purpose === 'listening') return;
  const text = lostAnswers(standing.purpose);
  if (text !== undefined) await addAfter(place, standing.last, text);
}

/** Says of a stream of this node that it is not gone on with here any more. */
export async function abandon(place: StreamLog, node: string): Promise<void> {
  const standing = await standingOf(place.log, place.key);
  if (standing?.node !== node || standing.isAnswered || standing.isOver) return;
  await addAfter(place, standing.last, noteText({ isOver: true }));
}

/** Adds to a log right after the last entry, unless somebody else has added to it since that was read. */
async function addAfter(
  { log, key, retainMs: ttlMs }: StreamLog,
  last: number,
  text: string,
): Promise<void> {
  try {
    await log.append(key, last + 1, text, { ttlMs });
  } catch (error) {
    if (!(error instanceof KitError && error.code === 'invalid_argument')) throw error;
  }
}

/** What is said of calls that ended with the process that served them; nothing where there were none. */
function lostAnswers(ids: readonly Id[]): string | undefined {
  const answers = ids.map((id) => encodeError(id, ownerLost));
  return answers.length > 1 ? `[${answers.join(',')}]` : answers[0];
}

const ownerLost = {
  code: rpcErrors.internal,
  message:
    'The server was restarted before it answered, and it is not known whether the call took effect. Look at the present state before asking again.',
  data: { code: 'E_OWNER_LOST', outcome: 'unknown', retryable: false },
};
