export type { Change, Plan } from './changes.ts';
export { withContent } from './call.ts';
export type { Contract, CreateContract } from './contract/contract.ts';
export {
  tool,
  type GovernedTraits,
  type Tool,
  type ToolDefinition,
  type ToolExample,
  type ToolTraits,
} from './tool.ts';
export type { Envelope } from './contract/envelope.ts';
export { fail, failureCodes, ToolFailure, type Failure, type FailureCode } from './failure.ts';
export type { Infer, InferInput } from './infer.ts';
export type { Manifest } from './manifest/manifest.ts';
export { toolSet, type ToolSet, type ToolSetOptions } from './tool-set.ts';
export type { Trace } from './trace/traces.ts';
export { withJsonSchema, type AnySchema } from '#schema';
