import { crypto, type MaybePromise } from '#base';
import type { Answers, CommitNote, Context, Requests, Spans } from '#server';
import type { Plan } from '../changes.ts';

/** What a stage may use besides what it is given. */
export interface StageContext extends Spans {
  /** Fires when the time of the stage is up, and when nobody waits for the workflow any more. */
  readonly signal: AbortSignal;
  /** Names this stage of this run, however often it is tried: an idempotency key to pass on to whom it calls. */
  readonly key: string;
  /** Who asked for the run. */
  readonly principal: string | undefined;
  /** The session or connection that the run is driven from, as that of a tool. */
  readonly conversation: object | undefined;
  /** What to tell whom it calls, so that traces join. */
  readonly traceHeaders: Readonly<Record<string, string>>;
  /** A name for something new: under one run, the same label gives the same name. */
  newId(label: string): string;
  /** The point of no return, as that of a tool, right before the first change; for `apply` only. */
  commit(...answer: readonly [output?: unknown]): Promise<CommitNote | undefined>;
}

/** What `plan` of a stage may use. */
export interface PlanContext extends StageContext {
  /** Asks the user before anything is done; in the modern era the plan is made again when the answers arrive. */
  ask<T extends Requests>(requests: T): Promise<Answers<T>>;
}

/** What decides the types of one stage. */
interface StageTypes {
  readonly args: unknown;
  /** What the stages before it have planned, and returned. */
  readonly plans: object;
  readonly outputs: object;
}

/**
 * One step of a workflow. Plans, answers and outputs are kept in the journal, so they must be JSON, and should hold no secrets.
 */
export interface Stage<
  Types extends StageTypes,
  Name extends string,
  P extends Plan,
  Q extends Requests,
  Output,
> {
  /** The stages that must be done before this one begins, and whose values it gets. Absent: all above it. */
  readonly after?: readonly Name[] | undefined;
  /** How long `apply`, `undo` and `find` may take, each. */
  readonly timeoutMs?: number | undefined;
  /** Applying the same plan again under the same key changes nothing more. */
  readonly idempotent?: boolean | undefined;
  /** Looks, says what would change, and touches nothing; the stages before it have only been planned as well. */
  plan(
    known: {
      readonly args: Types['args'];
      readonly plans: Pick<Types['plans'], Name & keyof Types['plans']>;
    },
    context: PlanContext,
  ): MaybePromise<P>;
  /** What to ask the user once the stages before it are done. The workflow waits, and this stage has not begun. */
  ask?(known: {
    readonly plan: P;
    readonly outputs: Pick<Types['outputs'], Name & keyof Types['outputs']>;
  }): Q | undefined;
  /** Does exactly what the plan says. Throw `fail(…)` for a failure the caller can act on. */
  apply(
    known: {
      readonly plan: P;
      readonly outputs: Pick<Types['outputs'], Name & keyof Types['outputs']>;
      readonly answers: Answers<Q>;
    },
    context: StageContext,
  ): MaybePromise<Output>;
  /**
   * Takes back what `apply` did. Without an `output` it is not known how far `apply` got, so it looks for itself what there is
   * to undo; it may be tried again.
   */
  undo?(
    known: { readonly plan: P; readonly output: Output | undefined },
    context: StageContext,
  ): MaybePromise<void>;
  /** Whether `apply` has taken effect: what it returned, or nothing. For when it broke off, and nobody knows. */
  find?(
    known: { readonly plan: P },
    context: StageContext,
  ): MaybePromise<{ readonly output: Output } | undefined>;
}

/** A stage of any types, as a workflow holds it. */
export interface AnyStage {
  readonly name: string;
  readonly after: readonly string[];
  readonly timeoutMs?: number | undefined;
  readonly idempotent?: boolean | undefined;
  plan(known: never, context: PlanContext): MaybePromise<Plan>;
  ask?(known: never): Requests | undefined;
  apply(known: never, context: StageContext): MaybePromise<unknown>;
  undo?(known: never, context: StageContext): MaybePromise<void>;
  find?(
    known: never,
    context: StageContext,
  ): MaybePromise<{ readonly output: unknown } | undefined>;
}

/** Who drives a run: a call, or a program that takes up what was interrupted. */
export type Driver = Pick<
  Context,
  'signal' | 'principal' | 'conversation' | 'traceHeaders' | 'span' | 'ask' | 'progress' | 'commit'
>;

/** What a stage of a run gets to use. */
export function stageContext(
  run: { readonly runId: string; readonly driver: Driver },
  stage: AnyStage,
  within: {
    readonly signal: AbortSignal;
    readonly spans: Spans;
    readonly commit?: StageContext['commit'] | undefined;
  },
): StageContext {
  const { runId, driver } = run;
  const derive = (label: string): string =>
    crypto().hash('sha256', `${runId}\n${stage.name}\n${label}`, 'base64url').slice(0, 22);
  return {
    signal: within.signal,
    key: derive('key'),
    principal: driver.principal,
    conversation: driver.conversation,
    traceHeaders: driver.traceHeaders,
    newId: (label) => derive(`id ${label}`),
    // What is taken back is taken back, whoever waits for it.
    commit: within.commit ?? (() => Promise.resolve(undefined)),
    span: (name, work) => within.spans.span(name, work),
  };
}

/** Asks for a stage; two stages may give their questions the same names. */
export async function askFor<T extends Requests>(
  driver: Driver,
  stage: AnyStage,
  requests: T,
): Promise<Answers<T>> {
  const named = Object.entries(requests).map(([key, request]) => [`${stage.name}.${key}`, request]);
  const answers: Record<string, unknown> = await driver.ask(Object.fromEntries(named) as Requests);
  const own = Object.keys(requests).map((key) => [key, answers[`${stage.name}.${key}`]]);
  // Each is the answer to the question of its name.
  return Object.fromEntries(own) as Answers<T>;
}
