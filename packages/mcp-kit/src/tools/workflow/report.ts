import type { JsonSchema } from '#protocol';
import { changesSchema, type Change } from '../changes.ts';
import { fail, failureSchema, type Failure, type ToolFailure } from '../failure.ts';
import type { RunRecord, StageRecord, StageStatus } from './journal.ts';

/** What became of one stage. */
export interface StageReport {
  readonly stage: string;
  /** `skipped`: it was not begun, and will not be. */
  readonly status: StageStatus | 'skipped';
  readonly durationMs: number;
  readonly output?: unknown;
  readonly error?: Failure | undefined;
}

/** Something that a run has changed and could not take back. */
interface Leftover {
  readonly stage: string;
  readonly reason: string;
  /** What it was to change; all of it may be so, or a part. */
  readonly changes: readonly Change[];
}

/** What is known of a run. */
export interface RunReport {
  readonly runId: string;
  readonly workflow: string;
  /** `open`: it is under way, or was interrupted, or could not be taken back as a whole. */
  readonly status: 'open' | 'done' | 'undone';
  /** Whether it is being done or taken back. */
  readonly direction: 'forward' | 'back';
  readonly startedAt: string;
  readonly stages: readonly StageReport[];
  readonly notUndone: readonly Leftover[];
  /** Why it is or was taken back, where that was not asked for. */
  readonly failure?: Failure | undefined;
}

/** What is told of a run. */
export function reportOf(record: RunRecord): RunReport {
  const { runId, workflow, status, direction, startedAt, failure } = record;
  return {
    runId,
    workflow,
    status,
    direction,
    startedAt,
    stages: stagesOf(record),
    notUndone: leftoversOf(record),
    failure,
  };
}

/** What became of each stage, in the order they were defined in. */
export function stagesOf({ stages, direction }: RunRecord): readonly StageReport[] {
  return stages.map(({ stage, status, durationMs, output, error }) => ({
    stage,
    status: status === 'planned' && direction === 'back' ? 'skipped' : status,
    durationMs,
    output: error === undefined ? output : undefined,
    error,
  }));
}

/** The changes of a stage, or of all: what was done where that is known, else what was planned. */
export function changesOf(records: readonly StageRecord[]): readonly Change[] {
  return records.flatMap(({ stage, plan, changes = plan.changes }) =>
    changes.map((change) => ({ ...change, stage })),
  );
}

function leftoversOf({ stages }: RunRecord): readonly Leftover[] {
  return stages.flatMap((record) => {
    const { stage, leftover: reason } = record;
    return reason === undefined ? [] : [{ stage, reason, changes: changesOf([record]) }];
  });
}

/** How a run that was taken back is told: where and why it failed, and what is left of it. */
export function runFailure(record: RunRecord): ToolFailure {
  const { runId, failure = fail('E_CONFLICT', 'The run was taken back.').failure } = record;
  const { code, message, stage, suggestion } = failure;
  const notUndone = leftoversOf(record);
  const isClean = notUndone.length === 0;
  const begun = record.begun.some((name) => name !== stage);
  const rest = isClean
    ? begun
      ? 'What was done before it has been undone.'
      : 'Nothing was changed.'
    : `Not undone: ${notUndone.map((left) => `${left.stage} (${left.reason})`).join('; ')}`;
  const advice = isClean
    ? suggestion
    : `Look at details.notUndone and put it right, or have run ${runId} undone once more.`;
  const said = /[.!?]$/.test(message) ? message : `${message}.`;
  const where = stage === undefined ? said : `Stage ${stage} failed: ${said}`;
  return fail(code, `${where} ${rest}`, {
    // Whoever tries again must not find the rest of this run in the way.
    retryable: failure.retryable && isClean,
    suggestion: advice,
    stage,
    details: { runId, stages: stagesOf(record), notUndone },
  });
}

/** The failure that it is to its caller when a run has come to another end than was asked for, or to none. */
export function endedOtherwise(report: RunReport, wanted: RunReport['status']): ToolFailure {
  const { runId, stages, notUndone, failure } = report;
  const why = wanted === 'undone' || failure === undefined ? '' : ` ${failure.message}`;
  const left = notUndone.map(({ stage, reason }) => `${stage} (${reason})`).join('; ');
  const end = left === '' ? 'It was taken back.' : `It was taken back but for: ${left}`;
  const code = wanted === 'done' ? (failure?.code ?? 'E_CONFLICT') : 'E_CONFLICT';
  return fail(code, `Run ${runId} is not ${wanted}.${why} ${end}`, {
    // Another try as it is ends alike: what was taken back is not gone on with, and what is left has a reason.
    retryable: false,
    suggestion:
      left === ''
        ? undefined
        : 'Put right what details.notUndone says, or have it undone once more.',
    stage: wanted === 'undone' ? undefined : failure?.stage,
    details: { runId, stages, notUndone },
  });
}

const text = { type: 'string' };
const stageSchema: JsonSchema = {
  type: 'object',
  properties: {
    stage: text,
    status: {
      enum: ['planned', 'applying', 'applied', 'failed', 'undone', 'not_undone', 'skipped'],
    },
    durationMs: { type: 'number' },
    output: {},
    error: failureSchema,
  },
  required: ['stage', 'status', 'durationMs'],
};

/** What every workflow returns besides its own value. */
export const runSchema: { readonly runId: JsonSchema; readonly stages: JsonSchema } = {
  runId: text,
  stages: { type: 'array', items: stageSchema },
};

/** Describes a `RunReport`. */
export const reportSchema: JsonSchema = {
  type: 'object',
  properties: {
    ...runSchema,
    workflow: text,
    status: { enum: ['open', 'done', 'undone'] },
    direction: { enum: ['forward', 'back'] },
    startedAt: text,
    notUndone: {
      type: 'array',
      items: {
        type: 'object',
        properties: { stage: text, reason: text, changes: changesSchema },
        required: ['stage', 'reason', 'changes'],
      },
    },
    failure: failureSchema,
  },
  required: ['runId', 'workflow', 'status', 'direction', 'startedAt', 'stages', 'notUndone'],
};
