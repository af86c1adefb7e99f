import type { Context } from '#server';
import type { Change, Plan } from '../changes.ts';
import { tool, type Tool } from '../tool.ts';
import { fail } from '../failure.ts';
import { takenBack, type WorkflowRuns } from './recover.ts';
import { endedOtherwise, reportSchema, type RunReport, type StageReport } from './report.ts';

const closed = { type: 'object', additionalProperties: false } as const;
const runId = { type: 'string', description: 'Which run; a workflow tells it.' } as const;

/** Tools with which callers see to their own runs: list what was interrupted, go on with it, take it back. */
export function workflowTools(workflows: readonly WorkflowRuns[]): readonly Tool[] {
  return [
    listTool(workflows),
    recoveryTool(workflows, {
      name: 'execute_workflow_resume',
      description: 'Goes on with a workflow that was interrupted.',
      does: 'apply',
      wanted: 'done',
      concerns: ['planned', 'applying'],
      work: (workflow, run, context) => workflow.resume(run, context),
    }),
    recoveryTool(workflows, {
      name: 'execute_workflow_undo',
      description: 'Takes back what a workflow has done.',
      does: 'undo',
      wanted: 'undone',
      concerns: ['applying', 'applied', 'not_undone', 'failed'],
      work: (workflow, run, context) => workflow.undo(run, context),
    }),
  ];
}

function listTool(workflows: readonly WorkflowRuns[]): Tool {
  return tool({
    name: 'list_workflow_runs',
    description: 'Lists the runs of workflows that have not come to an end.',
    category: 'workflow',
    safety: 'readonly',
    examples: [{ input: {} }],
    input: { ...closed, properties: {} },
    output: {
      type: 'object',
      properties: { runs: { type: 'array', items: reportSchema } },
      required: ['runs'],
    },
    async run(_args, context) {
      const runs: RunReport[] = [];
      for (const workflow of workflows) {
        for (const { runId: id } of await workflow.runs()) {
          const own = await workflow.report(id, context);
          if (own?.status === 'open') runs.push(own);
        }
      }
      return { runs };
    },
  });
}

interface Recovery {
  readonly name: string;
  readonly description: string;
  readonly does: string;
  /** How a run is when it was done. */
  readonly wanted: RunReport['status'];
  /** The stages it has to do with. */
  readonly concerns: readonly StageReport['status'][];
  readonly work: (workflow: WorkflowRuns, runId: string, context: Context) => Promise<RunReport>;
}

interface RecoveryPlan extends Plan {
  readonly id: string;
}

function recoveryTool(workflows: readonly WorkflowRuns[], recovery: Recovery): Tool {
  const { name, description, does, wanted, concerns, work } = recovery;
  const find = async (id: string, context: Context): Promise<[WorkflowRuns, RunReport]> => {
    for (const workflow of workflows) {
      const report = await workflow.report(id, context);
      if (report !== undefined) return [workflow, report];
    }
    throw fail('E_NOT_FOUND', `No run ${id} is remembered.`);
  };
  const look = async (id: string, context: Context): Promise<RecoveryPlan> => {
    const [, { workflow, stages, status, direction }] = await find(id, context);
    if (status === 'undone' && wanted === 'done') throw takenBack(id);
    const changes: Change[] = [];
    for (const { stage, status: at } of stages) {
      if (concerns.includes(at)) changes.push({ type: does, target: `${workflow} ${id}`, stage });
    }
    const statuses = stages.map((stage) => stage.status);
    return { changes, state: { status, direction, statuses }, id };
  };
  return tool({
    name,
    description,
    category: 'workflow',
    safety: does === 'undo' ? 'destructive' : 'mutating',
    idempotent: true,
    riskLevel: 'medium',
    errors: {
      E_NOT_FOUND: 'No such run of the caller is remembered.',
      E_CONFLICT: 'The run is under way, or was taken back, or could not be brought to that end.',
    },
    examples: [{ input: { runId: 'x' }, fails: 'E_NOT_FOUND' }],
    input: { ...closed, properties: { runId }, required: ['runId'] },
    output: reportSchema,
    // A stage may ask when it is resumed: what was planned is the same in all rounds.
    plan: ({ runId: id }, context) => context.once('recovery', () => look(id, context)),
    resumable: true,
    async apply({ id }: RecoveryPlan, context) {
      const [workflow] = await find(id, context);
      const report = await work(workflow, id, context);
      if (report.status !== wanted) throw endedOtherwise(report, wanted);
      return report;
    },
  });
}
