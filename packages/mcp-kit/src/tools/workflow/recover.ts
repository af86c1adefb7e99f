import type { Logger } from '#base';
import type { CompiledSchema } from '#schema';
import { InputNeeded, type Context, type Spans } from '#server';
import type { RiskLevel } from '../changes.ts';
import { fail, type ToolFailure } from '../failure.ts';
import { execute } from './execute.ts';
import { findRun, Journal, openRuns, type JournalOptions, type RunRecord } from './journal.ts';
import { reportOf, type RunReport } from './report.ts';
import type { AnyStage, Driver } from './stage.ts';

/** How to see to the runs of a workflow. */
export interface WorkflowRuns {
  /** The runs that have not come to an end: under way, interrupted, or only taken back in part. */
  runs(): Promise<readonly RunReport[]>;
  /** What is known of a run, also of one that has ended within the last day; nothing for one that is not the caller's. */
  report(runId: string, context?: Context): Promise<RunReport | undefined>;
  /** Goes on with an interrupted run; within a call, which can ask the user, pass its context. One that was taken back is refused. */
  resume(runId: string, context?: Context): Promise<RunReport>;
  /** Takes a run back: one that was interrupted, one that is left in part, or one that is done. */
  undo(runId: string, context?: Context): Promise<RunReport>;
}

/** What has not come to an end. */
export async function listRuns({ journal }: Definition): Promise<readonly RunReport[]> {
  return (await openRuns(journal)).map(reportOf);
}

export async function reportRun(
  { journal }: Definition,
  runId: string,
  context: Context | undefined,
): Promise<RunReport | undefined> {
  const found = await findRun(journal, runId);
  return found === undefined || !isOwn(found.record, context) ? undefined : reportOf(found.record);
}

interface TakingUp {
  readonly context: Context | undefined;
  /** Absent: the one it had. */
  readonly direction: 'back' | undefined;
}

/** Brings a run to an end that its own process has not brought there. */
export async function takeUp(
  definition: Definition,
  runId: string,
  { context, direction }: TakingUp,
): Promise<RunReport> {
  const { name, journal: options, stages, graceMs, logger } = definition;
  const found = await findRun(options, runId);
  if (found === undefined || !isOwn(found.record, context)) {
    throw fail('E_NOT_FOUND', `No run ${runId} of ${name} is remembered.`);
  }
  const { record, text } = found;
  if (record.status === 'undone' && direction !== 'back') throw takenBack(runId);
  if (record.status === 'undone' || (record.status === 'done' && direction !== 'back')) {
    return reportOf(record);
  }
  const turned: RunRecord = { ...record, status: 'open', direction: direction ?? record.direction };
  const journal = await Journal.claim(options, turned, text);
  const driver = context ?? driverWithoutCall(record);
  try {
    return reportOf(await execute({ workflow: name, stages, journal, driver, graceMs, logger }));
  } catch (error) {
    if (context !== undefined || !(error instanceof InputNeeded)) throw error;
    throw fail('E_PRECONDITION_FAILED', 'The run waits for an answer of its user.', {
      suggestion: 'Resume it within a call, which can ask.',
    });
  }
}

/** There is nothing to go on with in a run of which nothing is left. */
export function takenBack(runId: string): ToolFailure {
  return fail('E_CONFLICT', `Run ${runId} was taken back: it cannot be gone on with.`, {
    suggestion:
      'Call the workflow again to have it done; with another idempotencyKey, if it had one.',
  });
}

/** A caller's runs are its own; a program that is no caller may see to all. */
function isOwn({ principal }: RunRecord, context: Context | undefined): boolean {
  return context === undefined || (context.principal ?? null) === principal;
}

const unwatched: Spans = { span: (_name, work) => work(unwatched) };

/** What drives a run where nobody waits, and nobody can be asked. */
function driverWithoutCall({ principal }: RunRecord): Driver {
  return {
    ...unwatched,
    signal: new AbortController().signal,
    principal: principal ?? undefined,
    conversation: undefined,
    traceHeaders: {},
    ask: (requests) => Promise.reject(new InputNeeded(requests)),
    progress: () => undefined,
    commit: () => Promise.resolve(undefined),
  };
}

/** What a workflow returns of its own. */
export interface Returned {
  readonly schema: CompiledSchema;
  readonly value: (outputs: never) => unknown;
  /** What is read of it. */
  readonly show: ((value: never) => string) | undefined;
}

/** All that defines a workflow. */
export interface Definition {
  readonly name: string;
  readonly ownRisk: RiskLevel;
  readonly stages: readonly AnyStage[];
  readonly journal: JournalOptions;
  readonly graceMs: number;
  readonly logger: Logger;
  readonly returned: Returned | undefined;
}
