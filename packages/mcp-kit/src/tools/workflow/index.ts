export { defineWorkflow, type Workflow, type WorkflowHead } from './define-workflow.ts';
export type { Leftover, RunReport, StageReport } from './report.ts';
export type { PlanContext, Stage, StageContext } from './stage.ts';
export { workflowTools } from './workflow-tools.ts';
