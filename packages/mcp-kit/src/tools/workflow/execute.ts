import { fail, ToolFailure, withStages } from '../failure.ts';
import { goForward } from './forward.ts';
import { takenOver, type RunRecord, type StageRecord } from './journal.ts';
import { stagesOf } from './report.ts';
import { findEffect, performStage, recordOf, stageFailure, type Running } from './running.ts';
import type { AnyStage } from './stage.ts';

/** Brings a run to an end: does what is left of it, or takes back what was done. Throws while it cannot come to one. */
export async function execute(running: Running): Promise<RunRecord> {
  const { journal, stages } = running;
  const { record } = journal;
  try {
    checkVersion(record, stages);
    if (record.direction === 'forward') {
      const failure = await goForward(running);
      if (failure === undefined) {
        await journal.close('done');
        return record;
      }
      await journal.saveIfPossible();
    }
    await goBack(running);
    if (journal.lost) throw takenOver();
    const isPartial = record.stages.some(({ leftover }) => leftover !== undefined);
    if (isPartial) await journal.release();
    else await journal.close('undone');
    return record;
  } catch (error) {
    await journal.release();
    // Nobody can tell what to do next; how far it got is known.
    if (!(error instanceof ToolFailure)) throw error;
    throw new ToolFailure(withStages(error.failure, stagesOf(record)));
  }
}

/** What a stage has done can only be gone on with, or taken back, by that stage. */
function checkVersion(record: RunRecord, stages: readonly AnyStage[]): void {
  const begun = record.stages.map(({ stage }) => stage).join(', ');
  const known = stages.map(({ name }) => name).join(', ');
  if (begun === known) return;
  throw fail(
    'E_PRECONDITION_FAILED',
    `The run has the stages ${begun}; the workflow has ${known}.`,
    {
      suggestion: 'Take it up with the version that it was begun with.',
    },
  );
}

/** Takes back what has been applied, last first, as far as that is possible; the journal says what is left. */
async function goBack(running: Running): Promise<void> {
  const { journal, stages } = running;
  for (const name of journal.record.begun.toReversed()) {
    // Whoever has taken it over decides.
    if (journal.lost) return;
    const stage = stages.find((each) => each.name === name);
    if (stage === undefined) continue;
    const record = recordOf(running, stage);
    if (!isLeft(record)) continue;
    if (record.status === 'applying') breakOff(record);
    const leftover = await takeBack(running, stage, record);
    settle(record, leftover);
    await journal.saveIfPossible();
  }
}

function isLeft({ status, restored }: StageRecord): boolean {
  if (status === 'failed') return restored !== true;
  return status !== 'planned' && status !== 'undone';
}

/** Nobody has said what became of it. */
function breakOff(record: StageRecord): void {
  record.status = 'failed';
  record.error = fail('E_CONFLICT', 'It broke off.', { stage: record.stage }).failure;
  record.doubt = 'effect';
}

/** Why something of the stage is left, if so. */
async function takeBack(
  running: Running,
  stage: AnyStage,
  record: StageRecord,
): Promise<string | undefined> {
  if (record.doubt === 'running') return 'It did not stop in time, and may still take effect.';
  try {
    const effect = await effectOf(running, stage, record);
    if (effect === 'none') return undefined;
    if (stage.undo === undefined) {
      return effect === 'unknown'
        ? 'It is not known whether it took effect, and it has no undo.'
        : 'It has no undo.';
    }
    const known = { plan: record.plan, output: record.output };
    const ended = await performStage(running, stage, {
      name: `undo ${stage.name}`,
      work: (context) => stage.undo?.(known as never, context),
    });
    if (ended.in === 'time') return undefined;
    throw fail('E_TIMEOUT', `Undoing it was not done within ${stage.timeoutMs} ms.`);
  } catch (error) {
    const { code, message } = stageFailure(error, stage, running);
    return `Undoing it failed: ${code}: ${message}`;
  }
}

/** Whether there is anything to take back. */
async function effectOf(
  running: Running,
  stage: AnyStage,
  record: StageRecord,
): Promise<'none' | 'some' | 'unknown'> {
  const { status, plan, changes = plan.changes } = record;
  if (status === 'applied' || status === 'not_undone') {
    return changes.length === 0 && stage.undo === undefined ? 'none' : 'some';
  }
  if (stage.find !== undefined) {
    const found = await findEffect(running, stage, record);
    if (found !== undefined) {
      record.output = found.output;
      return 'some';
    }
    if (stage.undo === undefined) return 'none';
  }
  const refused = status === 'failed' && record.doubt === undefined;
  // A part of it may have been done all the same; only `undo` can tell.
  return refused && stage.undo === undefined ? 'none' : 'unknown';
}

function settle(record: StageRecord, leftover: string | undefined): void {
  const applied = record.status === 'applied' || record.status === 'not_undone';
  if (leftover === undefined) {
    delete record.leftover;
    if (applied) record.status = 'undone';
    else record.restored = true;
    return;
  }
  record.leftover = leftover;
  if (applied) record.status = 'not_undone';
}
