export { batchSchema, runBatch, type Batch, type BatchReport } from './batch.ts';
export { applied, type Change, type Plan, type RiskLevel } from './changes.ts';
export {
  defineTool,
  type CallLimit,
  type GovernedTraits,
  type Safety,
  type Tool,
  type ToolDefinition,
  type ToolExample,
  type ToolLayer,
  type ToolTraits,
  type ToolValue,
  type WriteDefinition,
} from './define-tool.ts';
export type { Entry } from './entry.ts';
export type { Envelope, EnvelopeMeta } from './envelope.ts';
export {
  fail,
  failureCodes,
  ToolFailure,
  type Failure,
  type FailureCode,
  type FailureDetails,
} from './failure.ts';
export type { CallScope } from './governed/call-scope.ts';
export type { Control } from './governed/control-fields.ts';
export type { PlanPolicy } from './governed/dry-run.ts';
export type { GovernanceOptions, Linter } from './governed/governed-contract.ts';
export type { IdempotencyOptions } from './governed/idempotency.ts';
export {
  layerOrder,
  type Handle,
  type Layer,
  type LayerName,
  type Wrap,
} from './governed/layer.ts';
export type { Caller, Permit, PermissionRequest } from './governed/permission.ts';
export type { PlanTokenOptions } from './governed/plan-token.ts';
export type { Visible } from './governed/visibility.ts';
export type { Infer, InferInput } from './infer.ts';
export type { Manifest, ManifestError, Traits } from './manifest.ts';
export type { Outcome } from './result.ts';
export { toolSet, type ToolSet, type ToolSetOptions } from './tool-set.ts';
export {
  createTraces,
  pickTrace,
  type Span,
  type Trace,
  type TraceQuery,
  type Traces,
} from './traces.ts';
export { withJsonSchema, type AnySchema } from '#schema';
export { defineWorkflow, type Workflow, type WorkflowHead } from './workflow/define-workflow.ts';
export type { StageStatus } from './workflow/journal.ts';
export type { WorkflowRuns } from './workflow/recover.ts';
export type { Leftover, RunReport, StageReport } from './workflow/report.ts';
export type { PlanContext, Stage, StageContext, StageTypes } from './workflow/stage.ts';
export { workflowTools } from './workflow/workflow-tools.ts';
