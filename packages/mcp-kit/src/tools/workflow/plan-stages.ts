import type { Logger } from '#base';
import { RpcError } from '#jsonrpc';
import { InputNeeded, type Context } from '#server';
import { describeChanges, faultOfPlan, stateOf, type Plan, type RiskLevel } from '../changes.ts';
import { ToolFailure, withStages, type Failure } from '../failure.ts';
import type { StageReport } from './report.ts';
import { asJson, stageFailure } from './running.ts';
import { askFor, stageContext, type AnyStage } from './stage.ts';

/** The plans of all stages as one. */
export interface WorkflowPlan extends Plan {
  readonly runId: string;
  readonly plans: Readonly<Record<string, Plan>>;
}

interface Planning {
  readonly workflow: string;
  readonly runId: string;
  readonly args: unknown;
  /** How bad a mistake is in a stage whose plan does not say. */
  readonly ownRisk: RiskLevel;
  readonly context: Context;
  readonly logger: Logger;
}

/** Plans one stage after the other; each sees what those before it would do. */
export async function planStages(
  stages: readonly AnyStage[],
  planning: Planning,
): Promise<WorkflowPlan> {
  const plans: Record<string, Plan> = {};
  const planned: StageReport[] = [];
  for (const own of stages) {
    const { name: stage } = own;
    const seen = Object.fromEntries(own.after.map((name) => [name, plans[name]]));
    const startedMs = performance.now();
    const lasted = (): number => Math.round(performance.now() - startedMs);
    try {
      plans[stage] = await planStage(own, seen, planning);
    } catch (error) {
      if (!(error instanceof ToolFailure)) throw error;
      const { failure } = error;
      const failed: StageReport = { stage, status: 'failed', durationMs: lasted(), error: failure };
      throw brokenOff(failure, [...planned, failed], stages);
    }
    planned.push({ stage, status: 'planned', durationMs: lasted() });
  }
  const plan = joinPlans(plans, planning);
  return { ...plan, shown: { ...plan.shown, stages: planned } };
}

/** The failure of a plan, with what is known of each stage. */
function brokenOff(
  failure: Failure,
  known: readonly StageReport[],
  stages: readonly AnyStage[],
): ToolFailure {
  const skipped = stages
    .slice(known.length)
    .map(({ name: stage }): StageReport => ({ stage, status: 'skipped', durationMs: 0 }));
  return new ToolFailure(withStages(failure, [...known, ...skipped]));
}

async function planStage(stage: AnyStage, plans: object, planning: Planning): Promise<Plan> {
  const { context, runId, args } = planning;
  const { signal } = context;
  try {
    const plan = await context.span(stage.name, (spans) => {
      const own = stageContext({ runId, driver: context }, stage, { signal, spans });
      const ask: Context['ask'] = (requests) => askFor(context, stage, requests);
      return stage.plan({ args, plans } as never, { ...own, ask });
    });
    const fault = faultOfPlan(plan);
    if (fault !== undefined) throw new Error(`its plan is wrong: ${fault}`);
    return asJson(plan, 'plan');
  } catch (error) {
    if (error instanceof RpcError || error instanceof InputNeeded) throw error;
    throw new ToolFailure(stageFailure(error, stage, planning));
  }
}

/** One plan of many: what is tried, sealed and compared is all of it. */
export function joinPlans(
  plans: Readonly<Record<string, Plan>>,
  { runId, ownRisk }: Pick<Planning, 'runId' | 'ownRisk'>,
): WorkflowPlan {
  const named = Object.entries(plans);
  const riskLevel = highestOf(named.map(([, plan]) => plan.riskLevel ?? ownRisk));
  const parts = named.map(
    ([name, { changes, summary = describeChanges(changes) }]) => `${name}: ${summary}`,
  );
  return {
    changes: named.flatMap(([stage, { changes }]) => changes.map((each) => ({ ...each, stage }))),
    state: Object.fromEntries(named.map(([name, plan]) => [name, stateOf(plan)])),
    riskLevel,
    shown: shownOf(named.map(([, plan]) => plan)),
    summary: `In ${named.length} stages it would: ${parts.join(' | ')}.`,
    runId,
    plans,
  };
}

function shownOf(plans: readonly Plan[]): Plan['shown'] {
  const parts = plans.map(({ shown }) => shown).filter((shown) => shown !== undefined);
  return parts.length === 0 ? undefined : (Object.assign({}, ...parts) as Plan['shown']);
}

const risks: readonly RiskLevel[] = ['low', 'medium', 'high'];

function highestOf(levels: readonly RiskLevel[]): RiskLevel | undefined {
  return risks[Math.max(...levels.map((level) => risks.indexOf(level)))];
}
