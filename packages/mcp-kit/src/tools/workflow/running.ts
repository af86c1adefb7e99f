import { describeError, KitError, startTimer, type Logger, type MaybePromise } from '#base';
import { RpcError } from '#jsonrpc';
import { knownFailure } from '../call.ts';
import { notJsonAt } from '../changes.ts';
import { fail, type Failure } from '../failure.ts';
import type { Journal, RunRecord, StageRecord } from './journal.ts';
import { stageContext, type AnyStage, type Driver, type StageContext } from './stage.ts';

/** What the parts of a run have in common. */
export interface Running {
  readonly workflow: string;
  readonly stages: readonly AnyStage[];
  readonly journal: Journal;
  readonly driver: Driver;
  readonly graceMs: number;
  readonly logger: Logger;
  /** What a run that is done is answered with. */
  readonly answerOf?: ((record: RunRecord) => Promise<object>) | undefined;
}

/** What the journal has of a stage. */
export function recordOf({ journal }: Pick<Running, 'journal'>, stage: AnyStage): StageRecord {
  const record = journal.record.stages.find(({ stage: name }) => name === stage.name);
  if (record !== undefined) return record;
  throw new KitError('invalid_argument', `the run has no stage "${stage.name}"`);
}

/** What was thrown in a stage, as a failure of that stage; a bug is told to the log. */
export function stageFailure(
  error: unknown,
  stage: AnyStage,
  { workflow, logger }: Pick<Running, 'workflow' | 'logger'>,
): Failure {
  const known = error instanceof RpcError ? refused(error) : knownFailure(error);
  if (known !== undefined) return { ...known, stage: stage.name };
  logger.error(`workflow ${workflow}: stage ${stage.name} failed`, { error: describeError(error) });
  return fail('E_INTERNAL', 'Internal error', { stage: stage.name }).failure;
}

/** The client cannot be asked. */
function refused({ message }: RpcError): Failure {
  return fail('E_PRECONDITION_FAILED', message).failure;
}

/** A value as the journal will give it back, so that a run does not depend on whether it was interrupted. */
export function asJson<T>(value: T, what: string): T {
  const fault = notJsonAt(value, what);
  if (fault !== undefined) throw new Error(fault);
  const text = JSON.stringify(value) as string | undefined;
  return text === undefined ? value : (JSON.parse(text) as T);
}

/** A part of the work of a stage. */
interface Performance<T> {
  /** What traces call it. */
  readonly name: string;
  readonly signal?: AbortSignal | undefined;
  readonly commit?: StageContext['commit'] | undefined;
  readonly work: (context: StageContext) => MaybePromise<T>;
}

/** Does work of a stage, with its span and its deadline. */
export async function performStage<T>(
  { driver, graceMs, journal }: Running,
  stage: AnyStage,
  { name, signal, commit, work }: Performance<T>,
): Promise<Ended<T>> {
  const { runId } = journal.record;
  const { timeoutMs } = stage;
  return driver.span(name, (spans) =>
    withDeadline(
      (own) => work(stageContext({ runId, driver }, stage, { signal: own, spans, commit })),
      { timeoutMs, graceMs, signal },
    ),
  );
}

/** Looks what became of a stage that broke off; for stages that can tell. */
export async function findEffect(
  running: Running,
  stage: AnyStage,
  { plan }: StageRecord,
): Promise<{ readonly output: unknown } | undefined> {
  const ended = await performStage(running, stage, {
    name: `find ${stage.name}`,
    work: (context) => stage.find?.({ plan } as never, context),
  });
  if (ended.in === 'time') return ended.value;
  throw fail('E_TIMEOUT', `What became of it was not found out within ${stage.timeoutMs} ms.`);
}

/** How long work may take, and how long it may take to stop. */
interface Deadline {
  readonly timeoutMs: number | undefined;
  readonly graceMs: number;
  /** Ends the work early; what it returns nevertheless counts. */
  readonly signal?: AbortSignal | undefined;
}

/** How work under a deadline ended; `late` has nothing for work that threw, `stuck` is still going on. */
export type Ended<T> =
  | { readonly in: 'time'; readonly value: T }
  | { readonly in: 'late'; readonly value?: T }
  | { readonly in: 'stuck' };

/** Does work whose signal fires when its time is up, and waits a little for it to stop; throws what it throws in time. */
async function withDeadline<T>(
  work: (signal: AbortSignal) => MaybePromise<T>,
  { timeoutMs = Infinity, graceMs, signal }: Deadline,
): Promise<Ended<T>> {
  const controller = new AbortController();
  const give = (): void => controller.abort(signal?.reason);
  if (signal?.aborted === true) give();
  else signal?.addEventListener('abort', give, { once: true });
  const timers: NodeJS.Timeout[] = [];
  let isLate = false;
  const stuck = new Promise<Ended<T>>((resolve) => {
    if (timeoutMs === Infinity) return;
    const expire = (): void => {
      isLate = true;
      timers.push(startTimer(() => resolve({ in: 'stuck' }), graceMs));
      controller.abort(new DOMException('the time for the stage is up', 'TimeoutError'));
    };
    timers.push(startTimer(expire, timeoutMs));
  });
  const ended = async (): Promise<Ended<T>> => {
    try {
      const value = await work(controller.signal);
      return isLate ? { in: 'late', value } : { in: 'time', value };
    } catch (error) {
      if (isLate) return { in: 'late' };
      throw error;
    }
  };
  try {
    return await Promise.race([ended(), stuck]);
  } finally {
    signal?.removeEventListener('abort', give);
    for (const timer of timers) clearTimeout(timer);
  }
}
