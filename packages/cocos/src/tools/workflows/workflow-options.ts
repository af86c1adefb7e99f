import type { WorkflowHead } from 'mcp-kit/tools/workflow';

/** Where the runs of workflows are kept, whom bugs are told, and how much is answered. */
export type WorkflowOptions = Pick<
  WorkflowHead<{ readonly type: 'object' }>,
  'store' | 'logger' | 'tellsOutputs'
>;
