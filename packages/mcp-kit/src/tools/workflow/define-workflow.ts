import { canonicalJson, KitError, stderrLogger, type Logger } from '#base';
import type { JsonSchema } from '#protocol';
import { compileSchema, type AnySchema } from '#schema';
import type { Context, Requests } from '#server';
import { createMemoryStore, type Store } from '#store';
import { checkValue } from '../call.ts';
import { applied, type Plan } from '../changes.ts';
import { tool, type Tool, type ToolHead } from '../tool.ts';
import { assertAmounts } from '../entry.ts';
import type { Infer, InferInput } from '../infer.ts';
import { riskOf } from '../manifest/manifest.ts';
import { execute } from './execute.ts';
import { findRun, Journal, type RunRecord } from './journal.ts';
import { joinPlans, planStages, type WorkflowPlan } from './plan-stages.ts';
import {
  listRuns,
  reportRun,
  takeUp,
  type Definition,
  type Returned,
  type WorkflowRuns,
} from './recover.ts';
import { changesOf, runFailure, runSchema, stagesOf, type StageReport } from './report.ts';
import type { AnyStage, Stage } from './stage.ts';

/** What a workflow is besides its stages. */
export interface WorkflowHead<In extends AnySchema> extends ToolHead {
  /** What it takes: a Standard Schema (zod, …) or plain JSON Schema. Absent: no arguments. */
  readonly input?: In | undefined;
  /** Where the journals of its runs are kept; in the memory of this process when absent. */
  readonly store?: Store | undefined;
  /** Where bugs of stages are reported. */
  readonly logger?: Logger | undefined;
  /** How long an interrupted run can be taken up; a week. */
  readonly keepMs?: number | undefined;
  /** How long a process that says nothing is taken to be alive; 30 seconds. */
  readonly leaseMs?: number | undefined;
  /** How long a stage whose time is up may take to stop; 5 seconds. */
  readonly graceMs?: number | undefined;
  /** Milliseconds on a clock that all processes of the store share. */
  readonly now?: (() => number) | undefined;
}

/** A tool made of stages: done as a whole, or taken back. Every method that adds to it returns another workflow. */
export interface Workflow<
  Args = unknown,
  Plans extends object = object,
  Outputs extends object = object,
>
  extends Tool, WorkflowRuns {
  /** Adds a stage after those that are there. */
  stage<
    const StageName extends string,
    P extends Plan,
    Output,
    const After extends keyof Plans & string = keyof Plans & string,
    Q extends Requests = Record<string, never>,
  >(
    name: StageName,
    stage: Stage<{ args: Args; plans: Plans; outputs: Outputs }, After, P, Q, Output>,
  ): Workflow<
    Args,
    Plans & { readonly [Name in StageName]: P },
    Outputs & { readonly [Name in StageName]: Output }
  >;
  /** Says what it returns besides its stages, and what people and models read of that; by default the value as JSON. */
  returns<const Out extends AnySchema>(
    schema: Out,
    value: (outputs: Outputs) => InferInput<Out>,
    show?: (value: Infer<Out>) => string,
  ): Workflow<Args, Plans, Outputs>;
}

/** Begins a workflow, which has no stages yet; its arguments are typed from the schema. */
export function defineWorkflow<const In extends AnySchema = { readonly type: 'object' }>(
  head: WorkflowHead<In>,
): Workflow<Infer<In>> {
  const { name, logger = stderrLogger(), keepMs = 7 * 24 * 60 * 60_000 } = head;
  const { leaseMs = 30_000, graceMs = 5000, now = Date.now } = head;
  assertAmounts(`workflow ${name}`, { keepMs, leaseMs });
  const store = head.store ?? createMemoryStore();
  const journal = { workflow: name, store, logger, keepMs, leaseMs, now };
  const ownRisk = riskOf({}, head);
  const definition = { name, ownRisk, stages: [], journal, graceMs, logger, returned: undefined };
  return workflowOf(head, definition);
}

function workflowOf(head: WorkflowHead<AnySchema>, definition: Definition): Workflow {
  const asTool = tool({
    ...toolHead(head),
    // The journal knows how far it got.
    resumable: true,
    output: outputSchema(definition.returned?.schema.json),
    show: (value: unknown) => showRun(value as RunAnswer, definition.returned),
    plan: (args: unknown, context: Context) => planRun(definition, args, context),
    apply: (plan: WorkflowPlan, context: Context) => applyRun(definition, plan, context),
  });
  const grown = (more: Partial<Definition>): Workflow =>
    workflowOf(head, { ...definition, ...more });
  const workflow = {
    ...asTool,
    stage: (name: string, stage: Omit<AnyStage, 'name'>) =>
      grown({ stages: [...definition.stages, checkStage(name, stage, definition)] }),
    stages: definition.stages.map(({ name }) => name),
    returns: (schema: AnySchema, value: Returned['value'], show?: Returned['show']) => {
      const subject = `output of workflow ${head.name}`;
      return grown({
        returned: { schema: compileSchema(schema, { subject, direction: 'output' }), value, show },
      });
    },
    runs: () => listRuns(definition),
    report: (runId: string, context?: Context) => reportRun(definition, runId, context),
    resume: (runId: string, context?: Context) =>
      takeUp(definition, runId, { context, direction: undefined }),
    undo: (runId: string, context?: Context) =>
      takeUp(definition, runId, { context, direction: 'back' }),
  };
  // What a stage is given is what the stages it names return: `checkStage` sees to it.
  return workflow as unknown as Workflow;
}

function toolHead(
  head: WorkflowHead<AnySchema>,
): ToolHead & { readonly input?: AnySchema | undefined } {
  const { store: _store, logger: _logger, keepMs: _keep, leaseMs: _lease, ...rest } = head;
  const { graceMs: _grace, now: _now, ...own } = rest;
  return own;
}

const stageName = /^[A-Za-z0-9_-]{1,64}$/;

function checkStage(
  name: string,
  stage: Partial<AnyStage>,
  { name: workflow, stages }: Definition,
): AnyStage {
  const above = stages.map((each) => each.name);
  const { after = above } = stage;
  const refuse = (what: string, hint?: string): KitError =>
    new KitError('invalid_argument', `workflow ${workflow}: ${what}`, hint ? { hint } : {});
  if (!stageName.test(name)) {
    throw refuse(`stage name "${name}" is not valid`, 'Use 1 to 64 letters, digits, "_" or "-".');
  }
  assertAmounts(`workflow ${workflow}, stage ${name}`, { timeoutMs: stage.timeoutMs });
  if (above.includes(name)) throw refuse(`stage ${name} is defined twice`);
  const unknown = after.find((earlier) => !above.includes(earlier));
  if (unknown !== undefined) {
    throw refuse(`stage ${name} is after "${unknown}", which is not defined above it`);
  }
  return { ...(stage as AnyStage), name, after };
}

/** What is journalled under the same name is planned already. */
async function planRun(
  { name, ownRisk, stages, journal, logger }: Definition,
  args: unknown,
  context: Context,
): Promise<WorkflowPlan> {
  // The rounds of a question are one run; other arguments are another one, whatever key they come with.
  const label = `workflow ${argumentsAsText(args)}`;
  const runId = await context.once('workflow run', () => context.newId(label));
  const found = await findRun(journal, runId);
  if (found === undefined || found.record.status === 'undone') {
    return planStages(stages, { workflow: name, runId, args, ownRisk, context, logger });
  }
  const plans = found.record.stages.map(({ stage, plan }) => [stage, plan] as const);
  return joinPlans(Object.fromEntries(plans), { runId, ownRisk });
}

/** The same text for the same arguments; what a schema made of them need not be JSON. */
function argumentsAsText(args: unknown): string {
  const plain = JSON.stringify(args, (_key, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  ) as string | undefined;
  return canonicalJson(JSON.parse(plain ?? 'null'));
}

/** Does a run as planned, or goes on with it where it was interrupted. */
async function applyRun(
  definition: Definition,
  { runId, plans }: WorkflowPlan,
  driver: Context,
): Promise<object> {
  const { name, journal: options, stages, graceMs, logger } = definition;
  const found = await findRun(options, runId);
  if (found?.record.status === 'done') return answerOf(definition, found.record);
  const fresh: RunRecord = {
    runId,
    workflow: name,
    principal: driver.principal ?? null,
    startedAt: new Date(options.now()).toISOString(),
    stages: Object.entries(plans).map(([stage, plan]) => ({
      stage,
      plan,
      status: 'planned',
      durationMs: 0,
    })),
    begun: [],
    status: 'open',
    direction: 'forward',
    owner: '',
    untilMs: 0,
  };
  const begun = found?.record.status === 'open' ? found.record : fresh;
  const journal = await Journal.claim(options, begun, found?.text);
  const ended = await execute({
    workflow: name,
    stages,
    journal,
    driver,
    graceMs,
    logger,
    answerOf: (record) => answerOf(definition, record),
  });
  if (ended.status !== 'done') throw runFailure(ended);
  return answerOf(definition, ended);
}

async function answerOf({ returned }: Definition, record: RunRecord): Promise<object> {
  const { runId, stages } = record;
  const outputs = Object.fromEntries(stages.map(({ stage, output }) => [stage, output]));
  const checked = await returned?.schema.check(returned.value(outputs as never));
  const told = stagesOf(record);
  if (checked === undefined) return applied({ runId, stages: told }, changesOf(stages));
  // Their outputs are what the value was made from.
  const brief = told.map(({ output: _, ...stage }) => stage);
  const own = checkValue(checked) as object;
  return applied({ ...own, runId, stages: brief }, changesOf(stages));
}

/** What people and models read: the value, and how long each stage took. */
function showRun({ runId: _, stages, ...own }: RunAnswer, returned: Returned | undefined): string {
  const took = stages.map(({ stage, durationMs }) => `${stage} ${durationMs} ms`).join(', ');
  if (Object.keys(own).length === 0) return took;
  // What its schema let through is what `show` takes.
  return `${returned?.show?.(own as never) ?? JSON.stringify(own)}\n${took}`;
}

interface RunAnswer {
  readonly runId: string;
  readonly stages: readonly StageReport[];
}

function outputSchema(own: JsonSchema = {}): JsonSchema {
  const { required } = own;
  const names: unknown[] = Array.isArray(required) ? required : [];
  return {
    ...own,
    type: own['type'] ?? 'object',
    properties: { ...Object(own['properties']), ...runSchema },
    required: [...names, 'runId', 'stages'],
  };
}
