import { isRecord } from '#jsonrpc';
import type { Outcome } from '../contract/contract.ts';
import { withStages, type Failure } from '../failure.ts';
import type { CallScope } from './call-scope.ts';

/** Whatever a workflow fails for, its caller learns in which stage, and what became of each. */
export function staged(outcome: Outcome, call: CallScope): Outcome {
  const { stages } = call.entry.tool;
  if (outcome.ok || stages === undefined) return outcome;
  const { failure } = outcome;
  const named: Failure = { ...failure, stage: failure.stage ?? stageUnderWay(call, stages) };
  const isTold = isRecord(failure.details) && Array.isArray(failure.details['stages']);
  if (isTold) return { ...outcome, failure: named };
  const status = isUntouched(call) ? 'skipped' : 'applying';
  const known = stages.map((stage) => ({ stage, status, durationMs: 0 }));
  return { ...outcome, failure: withStages(named, known) };
}

/** The stage that the call is in; before the first one it is called `prepare`. */
function stageUnderWay({ spans }: CallScope, stages: readonly string[]): string {
  const open = spans.findLast(
    ({ name, durationMs }) => durationMs === null && stages.includes(name),
  );
  return open?.name ?? 'prepare';
}

/** Whether surely nothing was changed: nothing was begun, or the tool says itself when it begins. */
function isUntouched({ plan, entry, committed }: CallScope): boolean {
  return plan === undefined || (entry.tool.commits === true && !committed);
}
