export type { Change, Plan, RiskLevel } from './changes.ts';
export type { Contract, CreateContract } from './contract/contract.ts';
export {
  defineTool,
  type GovernedTraits,
  type Safety,
  type Tool,
  type ToolDefinition,
  type ToolExample,
  type ToolLayer,
  type ToolTraits,
} from './define-tool.ts';
export type { Entry } from './entry.ts';
export type { Envelope } from './contract/envelope.ts';
export {
  fail,
  failureCodes,
  ToolFailure,
  type Failure,
  type FailureCode,
  type FailureDetails,
} from './failure.ts';
export type { Infer, InferInput } from './infer.ts';
export type { Manifest } from './manifest/manifest.ts';
export type { Outcome } from './contract/contract.ts';
export { toolSet, type ToolSet, type ToolSetOptions } from './tool-set.ts';
export type { Trace } from './trace/traces.ts';
export { withJsonSchema, type AnySchema } from '#schema';
