import type { MaybePromise } from '#base';
import type { CallToolResult, Icon, Meta, ToolAnnotations } from '#protocol';
import type { AnySchema } from '#schema';
import type { Context } from '#server';
import type { Infer, InferInput } from './infer.ts';

/** How a tool relates to others and to the world; published with it. */
export interface ToolTraits {
  readonly layer?: 'core' | 'advanced' | 'internal';
  readonly category?: string;
  readonly safety?: 'readonly' | 'mutating' | 'destructive';
  readonly idempotent?: boolean;
  /** Takes `dryRun: true` to say what it would change, and changes nothing. */
  readonly supportsDryRun?: boolean;
  readonly prerequisites?: readonly string[];
  readonly examples?: readonly { readonly input: Readonly<Record<string, unknown>> }[];
}

interface ToolHead extends ToolTraits {
  /** Letters, digits, `_`, `-` and `.`, at most 128. */
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly annotations?: ToolAnnotations;
  readonly icons?: readonly Icon[];
  readonly _meta?: Meta;
}

/** Without an output schema: text, a whole result, or any JSON value. With one: the value it describes. */
type Returned<Out> = [Out] extends [AnySchema] ? InferInput<Out> : ToolValue;

export type ToolValue =
  | string
  | CallToolResult
  | object
  | number
  | boolean
  | null
  | undefined
  | void;

export interface ToolDefinition<In extends AnySchema, Out> extends ToolHead {
  /** What the tool takes: a Standard Schema (zod, …) or plain JSON Schema. Absent: no arguments. */
  readonly input?: In;
  /** What the tool returns as structured content; checked on every call. */
  readonly output?: Out;
  /** Does the work. Throw `fail(…)` for a failure the caller can act on; anything else thrown is a bug. */
  run(args: Infer<In>, context: Context): MaybePromise<Returned<Out>>;
}

/** A tool of any shape, as a set holds it. */
export interface Tool extends ToolHead {
  readonly input?: AnySchema;
  readonly output?: AnySchema;
  run(args: never, context: Context): MaybePromise<unknown>;
}

/** Types the arguments and the result of `run` from the schemas. */
export function defineTool<
  const In extends AnySchema = { readonly type: 'object' },
  const Out extends AnySchema | undefined = undefined,
>(definition: ToolDefinition<In, Out>): Tool {
  return definition as Tool;
}
