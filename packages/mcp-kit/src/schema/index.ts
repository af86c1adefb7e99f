export { foreignSchema, type ForeignVerdict } from './foreign-schema.ts';
export type { Issue } from './issue.ts';
export { nearMiss, slipFinder } from './near-miss.ts';
export { warmValidator } from './json-validator.ts';
export {
  compileSchema,
  withJsonSchema,
  type AnySchema,
  type Checked,
  type CompiledSchema,
  type CompileOptions,
} from './schema.ts';
export type { StandardSchema } from './standard-schema.ts';
