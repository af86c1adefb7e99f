import type { WorkflowHead } from 'mcp-kit/tools/workflow';

/** Where the runs of workflows are kept, and whom bugs are told. */
export type WorkflowOptions = Pick<WorkflowHead<{ readonly type: 'object' }>, 'store' | 'logger'>;

/** What all workflows that write say of themselves. */
export const writes = {
  layer: 'core',
  category: 'workflow',
  safety: 'mutating',
  commits: true,
} as const;
