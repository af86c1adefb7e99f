import { fail } from '../failure.ts';
import { goBack } from './back.ts';
import { goForward } from './forward.ts';
import { takenOver, type RunRecord } from './journal.ts';
import type { Running } from './running.ts';
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
    const isLeft = record.stages.some(({ leftover }) => leftover !== undefined);
    if (isLeft) await journal.release();
    else await journal.close('undone');
    return record;
  } catch (error) {
    await journal.release();
    throw error;
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
