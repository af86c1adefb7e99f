export {
  cocosToolList,
  cocosTools,
  openCocosServer,
  type CocosServer,
  type CocosServerOptions,
  type CocosToolsOptions,
} from './cocos-tools.ts';
export type { WorkflowOptions } from './workflows/workflow-options.ts';
