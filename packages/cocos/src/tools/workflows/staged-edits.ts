import type {
  CocosBackend,
  Committed,
  Edit,
  EditContext,
  EditPlan,
  EditResult,
} from '#cocos/backend';
import { type Change, CocosError } from '#cocos/document';
import { createHash } from 'node:crypto';
import { fail } from 'mcp-kit/tools';
import type { PlanContext, StageContext } from 'mcp-kit/tools/workflow';
import { committing } from '../define-tools.ts';
import { telling, toFailure } from '../failures.ts';

/** What the stages of a workflow edit, in order. */
export interface StagedEdits extends Pick<EditContext, 'document' | 'storedNames'> {
  readonly stages: Readonly<Record<string, readonly Edit[]>>;
}

/** What a stage that edits has planned. */
export interface EditStagePlan {
  readonly changes: readonly Change[];
  readonly state: string;
  /** What new ids are derived from, the same for all stages. */
  readonly seed: string;
}

/** What the stage that writes has planned. */
export interface SavePlan extends EditStagePlan {
  readonly staged: StagedEdits;
  readonly scenePath?: string | undefined;
  readonly results: StageResults;
  /** What will be answered, for a dry run to tell. */
  readonly shown: Readonly<Record<string, unknown>>;
}

/** What became of the edits, by stage. */
type StageResults = Readonly<Record<string, readonly EditResult[]>>;

/** What was written. */
export interface Saved {
  /** The scene or prefab that was written. */
  readonly scenePath?: string | undefined;
  readonly results: StageResults;
  readonly transactionId?: string | undefined;
}

interface Known<Args> {
  readonly args: Args;
  readonly plans: object;
}

/** How many plans are kept from when they were made until they are applied; each holds whole scenes. */
const maxKept = 4;

/**
 * The stages of a workflow whose edits are one write: each stage plans its own, so that failures and changes are told
 * by stage, and the last one writes all of them or nothing.
 */
export class StagedWrite<Args> {
  readonly #backend: CocosBackend;
  readonly #name: string;
  readonly #editsFor: (args: Args) => StagedEdits;
  readonly #kept = new Map<string, EditPlan>();

  constructor(backend: CocosBackend, name: string, editsFor: (args: Args) => StagedEdits) {
    this.#backend = backend;
    this.#name = name;
    this.#editsFor = editsFor;
  }

  /** A stage that only says what will be written. */
  stage(name: string): {
    plan(known: Known<Args>, context: PlanContext): Promise<EditStagePlan>;
    apply(): undefined;
    undo(): undefined;
  } {
    return {
      plan: (known, context) => telling(() => this.#planStage(name, known, context)),
      // The stage that writes does and takes back all of it.
      apply: () => undefined,
      undo: () => undefined,
    };
  }

  /** The stage that writes; `shows` is what a dry run tells of it, `name` that of a stage with edits of its own. */
  save(
    shows: (saved: Saved) => Readonly<Record<string, unknown>>,
    name?: string,
  ): {
    plan(known: Known<Args>, context: PlanContext): Promise<SavePlan>;
    apply(known: { readonly plan: SavePlan }, context: StageContext): Promise<Saved>;
    undo(
      known: { readonly plan: SavePlan; readonly output: Saved | undefined },
      context: StageContext,
    ): Promise<void>;
    find(
      known: { readonly plan: SavePlan },
      context: StageContext,
    ): Promise<{ readonly output: Saved } | undefined>;
  } {
    return {
      plan: (known, context) =>
        telling(async () => {
          const plan = await this.#planSave(name, known, context);
          return { ...plan, shown: shows(plan) };
        }),
      apply: ({ plan }, context) => telling(() => this.#write(plan, context)),
      undo: ({ output }, { key }) => telling(() => this.#undo(output, key)),
      find: ({ plan }, { key }) => telling(() => this.#find(plan, key)),
    };
  }

  async #planStage(name: string, known: Known<Args>, context: PlanContext): Promise<EditStagePlan> {
    const staged = this.#editsFor(known.args);
    const seed = seedOf(known.plans) ?? context.newId('seed');
    const isFirst = seedOf(known.plans) === undefined;
    const { from, to, edits } = rangeOf(staged, name);
    const planned = await this.#planUpTo(staged, { seed, isFirst, to, all: edits });
    const { state } = planned;
    return { changes: planned.steps.slice(from, to).flat(), state, seed };
  }

  /** All edits are planned once; only where one of them fails, those before it are planned by themselves. */
  async #planUpTo(
    staged: StagedEdits,
    {
      seed,
      isFirst,
      to,
      all,
    }: { seed: string; isFirst: boolean; to: number; all: readonly Edit[] },
  ): Promise<EditPlan> {
    const kept = isFirst ? undefined : this.#kept.get(seed);
    if (kept !== undefined) return kept;
    try {
      return this.#keep(seed, await this.#planEdits(staged, seed, all));
    } catch (error) {
      const failed = error instanceof CocosError ? error.details?.['edit'] : undefined;
      if (typeof failed !== 'number' || failed < to) throw error;
      return await this.#planEdits(staged, seed, all.slice(0, to));
    }
  }

  #planEdits(staged: StagedEdits, seed: string, edits: readonly Edit[]): Promise<EditPlan> {
    const { document, storedNames } = staged;
    const newId = (label: string): string =>
      createHash('sha256').update(`${seed}\n${label}`).digest('base64url').slice(0, 22);
    return this.#backend.plan(edits, { document, storedNames, newId });
  }

  #keep(seed: string, plan: EditPlan): EditPlan {
    this.#kept.set(seed, plan);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > maxKept && oldest !== undefined) this.#kept.delete(oldest);
    return plan;
  }

  async #planSave(
    name: string | undefined,
    known: Known<Args>,
    context: PlanContext,
  ): Promise<Omit<SavePlan, 'shown'>> {
    const staged = this.#editsFor(known.args);
    const seed = seedOf(known.plans) ?? context.newId('seed');
    const isFirst = seedOf(known.plans) === undefined;
    const edits = allEdits(staged);
    const planned = await this.#planUpTo(staged, { seed, isFirst, to: edits.length, all: edits });
    const { from, to } = name === undefined ? { from: 0, to: 0 } : rangeOf(staged, name);
    return {
      changes: planned.steps.slice(from, to).flat(),
      state: planned.state,
      seed,
      staged,
      scenePath: planned.document,
      results: byStage(staged, planned.results),
    };
  }

  async #write({ staged, seed, state }: SavePlan, context: StageContext): Promise<Saved> {
    const kept = this.#kept.get(seed);
    this.#kept.delete(seed);
    const planned = kept ?? (await this.#planEdits(staged, seed, allEdits(staged)));
    if (planned.state !== state) {
      throw fail('E_CONFLICT', 'What the plan was made from has changed since.', {
        suggestion: 'Nothing was written. Look again and repeat the call.',
      });
    }
    const answerTo = ({ results, transaction }: Committed): Saved => {
      const { transactionId } = transaction ?? {};
      return { scenePath: planned.document, results: byStage(staged, results), transactionId };
    };
    const beforeWrite = committing(context, answerTo);
    return answerTo(await planned.commit(`${this.#name} ${context.key}`, { beforeWrite }));
  }

  async #undo(output: Saved | undefined, key: string): Promise<void> {
    const history = await this.#backend.history();
    const done = history.find(({ transactionId, label }) =>
      output === undefined ? label.endsWith(key) : transactionId === output.transactionId,
    );
    if (done !== undefined) await this.#backend.undo(done.transactionId);
  }

  /** What was written can be told by its label; what it made, only where the plan knew that before. */
  async #find(
    { results, scenePath }: SavePlan,
    key: string,
  ): Promise<{ output: Saved } | undefined> {
    if (this.#backend.kind !== 'headless') return undefined;
    const done = (await this.#backend.history()).find(({ label }) => label.endsWith(key));
    return done && { output: { scenePath, results, transactionId: done.transactionId } };
  }
}

/** Every plan of a run that has a seed has the same one. */
function seedOf(plans: object): string | undefined {
  for (const plan of Object.values(plans) as object[]) {
    if ('seed' in plan && typeof plan.seed === 'string') return plan.seed;
  }
  return undefined;
}

const allEdits = ({ stages }: StagedEdits): readonly Edit[] => Object.values(stages).flat();

/** Where the edits of a stage are among all. */
function rangeOf(
  staged: StagedEdits,
  name: string,
): { from: number; to: number; edits: readonly Edit[] } {
  let from = 0;
  for (const [stage, own] of Object.entries(staged.stages)) {
    if (stage === name) return { from, to: from + own.length, edits: allEdits(staged) };
    from += own.length;
  }
  throw toFailure(new CocosError('E_INTERNAL', `There is no stage "${name}".`));
}

function byStage({ stages }: StagedEdits, results: readonly EditResult[]): StageResults {
  let at = 0;
  return Object.fromEntries(
    Object.entries(stages).map(([stage, { length }]) => {
      const own = results.slice(at, at + length);
      at += length;
      return [stage, own];
    }),
  );
}

/** The results of one kind of edit in a stage. */
export function resultsOf<Name extends Edit['op']>(
  { results }: Pick<Saved, 'results'>,
  stage: string,
  op: Name,
): readonly EditResult<Name>[] {
  const own = results[stage] ?? [];
  // What has this name is of this kind.
  return own.filter((result) => result.op === op) as unknown as readonly EditResult<Name>[];
}

/** What every workflow that writes tells besides its own. */
export function aboutWrite({
  scenePath,
  transactionId,
}: Saved): Pick<Saved, 'scenePath' | 'transactionId'> {
  return { scenePath, transactionId };
}

/** The only result of a stage. */
export function resultOf<Name extends Edit['op']>(
  saved: Pick<Saved, 'results'>,
  stage: string,
  op: Name,
): EditResult<Name> {
  const [result] = resultsOf(saved, stage, op);
  if (result === undefined) throw new Error(`stage ${stage} has no result of ${op}`);
  return result;
}
