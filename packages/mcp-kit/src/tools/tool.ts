import { chain, type MaybePromise } from '#base';
import type { CallToolResult, ContentBlock, Icon, Meta, ToolAnnotations, ToolApp } from '#protocol';
import type { AnySchema } from '#schema';
import type { Context } from '#server';
import type { Plan, RiskLevel } from './changes.ts';
import type { FailureCode } from './failure.ts';
import type { Infer, InferInput } from './infer.ts';

/** Who a tool is for: everybody, those who know what they do, those who run the server. */
export type ToolLayer = 'core' | 'advanced' | 'internal';

/** What a call may do to the world. */
export type Safety = 'readonly' | 'mutating' | 'destructive';

/** A call to learn from: what to pass, and the failure it ends with if it is one that shows a failure. */
export interface ToolExample {
  readonly title?: string | undefined;
  readonly input: Readonly<Record<string, unknown>>;
  readonly fails?: FailureCode | undefined;
}

/** How much of a tool may run: at once, and within a minute. */
export interface CallLimit {
  readonly concurrent?: number | undefined;
  readonly perMinute?: number | undefined;
}

/** How a tool relates to others and to the world; published with it. */
export interface ToolTraits {
  readonly layer?: ToolLayer | undefined;
  readonly category?: string | undefined;
  readonly safety?: Safety | undefined;
  /** Calling it again with the same arguments changes nothing more. */
  readonly idempotent?: boolean | undefined;
  /** Takes `dryRun: true` to say what it would change, and changes nothing. A tool with `plan` does; say `false` where none can. */
  readonly supportsDryRun?: boolean | undefined;
  readonly prerequisites?: readonly string[] | undefined;
  readonly examples?: readonly ToolExample[] | undefined;
}

/** What only a governed set makes use of. */
export interface GovernedTraits {
  /** How bad a mistake would be; a plan may say so of itself. */
  readonly riskLevel?: RiskLevel | undefined;
  /** The failures of its own that a call can end with, and when. */
  readonly errors?: Readonly<Partial<Record<FailureCode, string>>> | undefined;
  /** How long a call may take, whatever its caller says. */
  readonly timeoutMs?: number | undefined;
  /** What all callers together may ask of it. */
  readonly limit?: CallLimit | undefined;
  /** It calls `context.commit()` right before its first change: where its time is up before that, nothing was changed. */
  readonly commits?: boolean | undefined;
}

/** What every tool says of itself. */
export interface ToolHead extends ToolTraits, GovernedTraits {
  /** Letters, digits, `_`, `-` and `.`, at most 128. */
  readonly name: string;
  readonly title?: string | undefined;
  readonly description: string;
  readonly annotations?: ToolAnnotations | undefined;
  readonly icons?: readonly Icon[] | undefined;
  /**
   * Whether a call may go on as a task, for clients that understand tasks. `auto`: what is quick is answered at once, and what is
   * not becomes a task. `always`: every call does; modern clients that understand none are refused. `never` is the same as nothing.
   */
  readonly task?: 'auto' | 'always' | 'never' | undefined;
  /** The app that shows what it answers, and who may call it. */
  readonly app?: ToolApp | undefined;
  readonly _meta?: Meta | undefined;
}

/** Without an output schema: text, a whole result, or any JSON value. With one: the value it describes. */
type Returned<Out> = [Out] extends [AnySchema] ? InferInput<Out> : ToolValue;

type ToolValue = string | CallToolResult | object | number | boolean | null | undefined | void;

interface Described<In extends AnySchema, Out> extends ToolHead {
  /** What the tool takes: a Standard Schema (zod, …) or plain JSON Schema. Absent: no arguments. */
  readonly input?: In | undefined;
  /** What the tool returns as structured content; checked on every call. */
  readonly output?: Out | undefined;
  /** What people and models read of the value, where there is an output schema; by default the value as JSON. */
  readonly show?: ([Out] extends [AnySchema] ? (value: Infer<Out>) => Shown : never) | undefined;
}

/** A text, or content of other kinds. */
type Shown = string | readonly ContentBlock[];

/** A tool that does its work in one step. */
export interface ToolDefinition<In extends AnySchema, Out> extends Described<In, Out> {
  /** Does the work. Throw `fail(…)` for a failure the caller can act on; anything else thrown is a bug. */
  run(args: Infer<In>, context: Context): MaybePromise<Returned<Out>>;
  readonly plan?: undefined;
  readonly apply?: undefined;
}

/** A tool that looks before it writes, so that a dry run tells the truth; for governed sets. */
export interface WriteDefinition<In extends AnySchema, Out, P extends Plan> extends Described<
  In,
  Out
> {
  readonly run?: undefined;
  /** Looks, says what would change, and touches nothing. Whatever else it returns is for `apply`. */
  plan(args: Infer<In>, context: Context): MaybePromise<P>;
  /**
   * `apply` may ask: in the modern era it then runs again from its start with the answers, and goes on where it was. Without
   * this it must not, and `plan` is the place to ask.
   */
  readonly resumable?: boolean | undefined;
  /** Does exactly what the plan says. Throw `fail(…)` for a failure the caller can act on. */
  apply(
    plan: P,
    context: Context,
  ): MaybePromise<[Out] extends [AnySchema] ? InferInput<Out> : void>;
}

/** A tool of any shape, as a set holds it. */
export interface Tool extends ToolHead {
  readonly input?: AnySchema | undefined;
  readonly output?: AnySchema | undefined;
  readonly show?: ((value: never) => Shown) | undefined;
  run(args: never, context: Context): MaybePromise<unknown>;
  readonly plan?: ((args: never, context: Context) => MaybePromise<Plan>) | undefined;
  readonly resumable?: boolean | undefined;
  /** The stages of a workflow: a failure is that of one of them, or of `prepare` before the first. */
  readonly stages?: readonly string[] | undefined;
  readonly apply?: ((plan: never, context: Context) => MaybePromise<unknown>) | undefined;
}

/** Types the arguments and the result from the schemas; a tool has `run`, or `plan` and `apply`. */
export function tool<
  const In extends AnySchema = { readonly type: 'object' },
  const Out extends AnySchema | undefined = undefined,
  P extends Plan = Plan,
>(definition: ToolDefinition<In, Out> | WriteDefinition<In, Out, P>): Tool {
  if (definition.plan === undefined) return definition;
  const { plan, apply } = definition;
  const run = (args: Infer<In>, context: Context): unknown =>
    chain(plan(args, context), (planned) => apply(planned, context));
  return { ...definition, run };
}
