export { defineWorkflow, type Workflow, type WorkflowHead } from './define-workflow.ts';
export type { StageStatus } from './journal.ts';
export type { WorkflowRuns } from './recover.ts';
export type { Leftover, RunReport, StageReport } from './report.ts';
export type { PlanContext, Stage, StageContext, StageTypes } from './stage.ts';
export { workflowTools } from './workflow-tools.ts';
