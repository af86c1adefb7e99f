export {
  defineTool,
  type Tool,
  type ToolDefinition,
  type ToolTraits,
  type ToolValue,
} from './define-tool.ts';
export type { Envelope } from './envelope.ts';
export { fail, failureCodes, ToolFailure, type Failure, type FailureCode } from './failure.ts';
export type { Manifest } from './manifest.ts';
export type { Trace } from './traces.ts';
export type { Infer, InferInput } from './infer.ts';
export { toolSet, type ToolSet, type ToolSetOptions } from './tool-set.ts';
export { withJsonSchema, type AnySchema } from '#schema';
