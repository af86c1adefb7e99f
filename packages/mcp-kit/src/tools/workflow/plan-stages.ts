import type { Logger } from '#base';
import { RpcError } from '#jsonrpc';
import { InputNeeded, type Context } from '#server';
import { describeChanges, faultOfPlan, stateOf, type Plan, type RiskLevel } from '../changes.ts';
import { ToolFailure } from '../failure.ts';
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
  for (const stage of stages) {
    const seen = Object.fromEntries(stage.after.map((name) => [name, plans[name]]));
    plans[stage.name] = await planStage(stage, seen, planning);
  }
  return joinPlans(plans, planning);
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
