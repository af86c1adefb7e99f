import { encodeError, isRecord, rpcErrors, type Id } from '#jsonrpc';
import type { Log } from '#store';
import { noteMark } from '../event-stream.ts';

/** What a stream is for: the requests whose answers end it, or whatever belongs to no request. */
export type Purpose = readonly Id[] | 'listening';

/** How far a stream has got that another process began. */
interface Standing {
  readonly purpose: Purpose;
  readonly last: number;
  /** Its last event is the answer that ends it. */
  readonly isAnswered: boolean;
}

const pageSize = 64;

/** Reads a log from a position that must be in it; nothing when something after it, or what it is for, is lost. */
export async function standingOf(
  log: Log,
  key: string,
  after: number,
): Promise<Standing | undefined> {
  const [first] = (await log.readAfter(key, 0, 1)).entries;
  if (first?.data.startsWith(noteMark) !== true) return undefined;
  // It was noted by the stream that the log is of.
  const purpose = JSON.parse(first.data.slice(noteMark.length)) as Purpose;
  let last = after - 1;
  let text = '';
  for (;;) {
    const { entries, complete } = await log.readAfter(key, last, pageSize);
    const isThere = last >= after || entries[0]?.position === after;
    if (!complete || !isThere) return undefined;
    const end = entries.at(-1);
    if (end === undefined) return { purpose, last, isAnswered: isAnswer(text) };
    last = end.position;
    text = end.data;
  }
}

/** An answer, or those to a batch; neither a note nor the event that marks where to come back to. */
function isAnswer(text: string): boolean {
  if (text === '' || text.startsWith(noteMark)) return false;
  const message: unknown = JSON.parse(text);
  return Array.isArray(message) || (isRecord(message) && message['method'] === undefined);
}

/** What is said of calls that ended with the process that served them; nothing where there were none. */
export function lostAnswers(ids: readonly Id[]): string | undefined {
  const answers = ids.map((id) => encodeError(id, ownerLost));
  return answers.length > 1 ? `[${answers.join(',')}]` : answers[0];
}

const ownerLost = {
  code: rpcErrors.internal,
  message:
    'The server was restarted before it answered, and it is not known whether the call took effect. Look at the present state before asking again.',
  data: { code: 'E_OWNER_LOST', outcome: 'unknown', retryable: false },
};
