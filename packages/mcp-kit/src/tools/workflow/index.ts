export { defineWorkflow, type Workflow, type WorkflowHead } from './define-workflow.ts';
export type { RunReport } from './report.ts';
export type { PlanContext, StageContext } from './stage.ts';
export { workflowTools } from './workflow-tools.ts';
