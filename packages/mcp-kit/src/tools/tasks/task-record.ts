import { isRecord, rpcErrors, type ErrorObject, type Params } from '#jsonrpc';
import {
  isAnswer,
  isOver,
  type ClientView,
  type DetailedTask,
  type InputRequest,
  type Learnt,
  type TaskStatus,
} from '#protocol';

/** The contract whose words a result is in: that of the set, or what older clients see instead. */
export type Form = 'current' | 'legacy';

/** A task as it is kept: all that is needed to tell of it, and to make its call once more. */
export interface TaskRecord {
  readonly taskId: string;
  /** Whose it is: nobody else has it. */
  readonly caller: string | null;
  /** Whom the transport knows, at whose expense it is. */
  readonly account: string | null;
  readonly client: ClientView;
  /** Of the call. */
  readonly params: Params;
  /** In whose words its result is. */
  readonly form: Form;
  /** The call may be made once more, should its process die. */
  readonly isRepeatable: boolean;
  readonly createdAt: string;
  readonly ttlMs: number;
  readonly lastUpdatedAt: string;
  readonly status: TaskStatus;
  readonly statusMessage?: string | undefined;
  /** Which process works on it, and how many have. */
  readonly owner: string;
  readonly owners: number;
  /** What is asked now. */
  readonly questions: Readonly<Record<string, Pick<InputRequest, 'method' | 'params'>>>;
  readonly answers: Learnt['answers'];
  readonly effects: Learnt['effects'];
  readonly isCancelled?: true | undefined;
  readonly result?: object | undefined;
  readonly error?: ErrorObject | undefined;
}

/** What becomes of a record; the same one where nothing does. */
export type Change = (record: TaskRecord) => TaskRecord;

/** How a call has ended. */
export type Ending = { readonly result: object } | { readonly error: ErrorObject };

/** Something that happened to a task that is not over; nothing happens to one that is. */
function happening(change: Change): Change {
  return (record) => {
    if (isOver(record)) return record;
    const next = change(record);
    return next === record ? record : { ...next, lastUpdatedAt: new Date().toISOString() };
  };
}

/** Its handler wants to know something. A name stands for one question as long as the task lives, and so for one answer. */
export function asking(questions: TaskRecord['questions']): Change {
  return happening((record) => {
    const isNew = ([key]: readonly [string, unknown]): boolean =>
      !Object.hasOwn(record.answers, key) && !Object.hasOwn(record.questions, key);
    const added = Object.entries(questions).filter(isNew);
    if (added.length === 0) return record;
    const all = { ...record.questions, ...Object.fromEntries(added) };
    return { ...record, status: 'input_required', questions: all };
  });
}

/** Its client has answered: what was not asked, or is no answer, is left out. */
export function answering(responses: Readonly<Record<string, unknown>>): Change {
  return happening((record) => {
    const questions: Record<string, Pick<InputRequest, 'method' | 'params'>> = {};
    const answers: Record<string, unknown> = { ...record.answers };
    for (const [key, question] of Object.entries(record.questions)) {
      const response = Object.hasOwn(responses, key) ? responses[key] : undefined;
      if (isAnswer({ ...question, needs: {} }, response)) answers[key] = response;
      else questions[key] = question;
    }
    const left = Object.keys(questions).length;
    if (left === Object.keys(record.questions).length) return record;
    return { ...record, questions, answers, status: left === 0 ? 'working' : 'input_required' };
  });
}

/** An effect of its handler was done, once for all. */
export function noting(key: string, value: unknown): Change {
  return happening((record) => ({ ...record, effects: { ...record.effects, [key]: { value } } }));
}

/** How far it has got. */
export function saying(statusMessage: string): Change {
  return happening((record) =>
    record.statusMessage === statusMessage ? record : { ...record, statusMessage },
  );
}

/** Its client does not want it any more. Whoever works on it decides what becomes of it. */
export const cancelling: Change = happening((record) =>
  record.isCancelled ? record : { ...record, isCancelled: true },
);

/** Nobody will work on it any more, whatever may have been done. */
export const cancelled: Change = happening((record) => ({
  ...ended(record),
  isCancelled: true,
  status: 'cancelled',
}));

/** Its call has ended. One that was given up is cancelled, unless it came to an end all the same. */
export function ending(end: Ending): Change {
  return happening((record) => {
    const head = ended(record);
    const hasFailed = 'error' in end || ('isError' in end.result && end.result.isError === true);
    if (record.isCancelled && hasFailed) return { ...head, status: 'cancelled' };
    if ('result' in end) return { ...head, status: 'completed', result: end.result };
    return { ...head, status: 'failed', statusMessage: end.error.message, error: end.error };
  });
}

/** What happens only as long as a process has the task. */
export function ownedBy(owner: string, change: Change): Change {
  return (record) => (record.owner === owner ? change(record) : record);
}

/** Another process works on it from now on. */
export function takenUp(owner: string): Change {
  return happening((record) => ({ ...record, owner, owners: record.owners + 1 }));
}

/** What nobody needs any more of a task that is over. */
function ended(record: TaskRecord): TaskRecord {
  const { statusMessage: _said, ...rest } = record;
  return { ...rest, questions: {}, answers: {}, effects: {} };
}

/** How the task of a process fails that has died, where nobody may do its work once more. */
export const ownerLost: ErrorObject = {
  code: rpcErrors.internal,
  message:
    'The server was restarted while it worked on this task, and it is not known whether it took effect. Look at the present state before asking again.',
  data: { code: 'E_OWNER_LOST', outcome: 'unknown', retryable: false },
};

/** A task as its client is told of it. */
export function detailed(record: TaskRecord, pollIntervalMs: number): DetailedTask {
  const { taskId, status, statusMessage, createdAt, lastUpdatedAt, ttlMs } = record;
  const { questions, result, error } = record;
  const head = { taskId, status, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs };
  const task = statusMessage === undefined ? head : { ...head, statusMessage };
  switch (status) {
    case 'input_required':
      return { ...task, inputRequests: questions };
    case 'completed':
      return { ...task, result };
    case 'failed':
      return { ...task, error };
    default:
      return task;
  }
}

/** Reads a record back; nothing for what is none. */
export function parseTask(text: string): TaskRecord | undefined {
  const value: unknown = JSON.parse(text);
  // Only tasks are kept where this was found.
  return isRecord(value) ? (value as unknown as TaskRecord) : undefined;
}
