import type {
  CocosBackend,
  Committed,
  Edit,
  EditPlan,
  EditResults,
  WriteOptions,
} from '#cocos/backend';
import type { Change } from '#cocos/document';
import type { Context } from 'mcp-kit/server';
import {
  type AnySchema,
  defineTool,
  type Infer,
  type InferInput,
  type RiskLevel,
  type Tool,
  type ToolDefinition,
  type ToolTraits,
  type GovernedTraits,
} from 'mcp-kit/tools';
import { telling } from './failures.ts';

/** A tool that only looks. */
export function readTool<const In extends AnySchema, const Out extends AnySchema>(
  definition: ToolDefinition<In, Out>,
): Tool {
  return defineTool<In, Out>({
    layer: 'core',
    safety: 'readonly',
    idempotent: true,
    ...definition,
    run: (args, context) => telling(() => definition.run(args, context)),
  });
}

/** The schema of an object, to which a value can be added. */
type ObjectSchema = AnySchema & {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, unknown>>;
};

/** A tool that is one list of edits. */
export interface EditTool<
  In extends AnySchema,
  Out extends ObjectSchema,
  List extends readonly Edit[],
>
  extends ToolTraits, GovernedTraits {
  readonly name: string;
  readonly description: string;
  readonly input: In;
  readonly output: Out;
  /** What is to be done; `scenePath` of the arguments is where. */
  edits(args: Infer<In>): List;
  /** What is answered besides what was changed. */
  answer(results: EditResults<List>, args: Infer<In>): InferInput<Out>;
  /** How bad a mistake with these arguments would be, where that differs. */
  risk?(args: Infer<In>): RiskLevel | undefined;
}

/** A tool that is made of edits, so that it can be a part of many at once. */
export interface EditingTool extends Tool {
  readonly editsFor: (args: never) => readonly Edit[];
}

interface EditToolPlan {
  readonly changes: readonly Change[];
  readonly state: string;
  readonly riskLevel?: RiskLevel;
  readonly shown: Readonly<Record<string, unknown>>;
  readonly planned: EditPlan;
  readonly args: unknown;
}

/** The point of no return of a write: what it will answer is kept with it, where that is known before. */
export function committing<Done>(
  context: Pick<Context, 'commit'>,
  answerTo: (done: Done) => unknown,
): NonNullable<WriteOptions<Done>['beforeWrite']> {
  return (done) => (done === undefined ? context.commit() : context.commit(answerTo(done)));
}

/** Makes a tool of edits: all of them are done at once, and can be undone at once. */
export function editTool<
  const In extends AnySchema,
  const Out extends ObjectSchema,
  const List extends readonly Edit[],
>(backend: CocosBackend, tool: EditTool<In, Out, List>): EditingTool {
  const { edits, answer, risk, output, ...head } = tool;
  // What works in a scene says in which.
  const taken: unknown = (head.input as Readonly<Record<string, unknown>>)['properties'];
  const isInScene = Object.hasOwn(Object(taken), 'scenePath');
  const placed = (answered: object, { document }: EditPlan): object =>
    isInScene && document !== undefined ? { scenePath: document, ...answered } : answered;
  const described = {
    ...output,
    properties: {
      ...(isInScene ? { scenePath: { type: 'string' } } : {}),
      ...output.properties,
      transactionId: { type: 'string', description: 'To undo it. Absent: nothing had to be done.' },
    },
  };
  const made = defineTool<In, AnySchema, EditToolPlan>({
    layer: 'core',
    safety: 'mutating',
    commits: true,
    ...head,
    output: described as AnySchema,
    plan: (args, context) =>
      telling(async (): Promise<EditToolPlan> => {
        const { scenePath } = args as { readonly scenePath?: string };
        const newId = (label: string): string => context.newId(label);
        const planned = await backend.plan(edits(args), { document: scenePath, newId });
        const { changes, state, results } = planned;
        const riskLevel = risk?.(args);
        const shown = placed(answer(results, args) as object, planned) as EditToolPlan['shown'];
        const risky = riskLevel === undefined ? {} : { riskLevel };
        return { changes, state, shown, planned, args, ...risky };
      }),
    apply: ({ planned, args }: EditToolPlan, context) =>
      telling(async () => {
        const answerTo = ({ results, transaction }: Committed): object => {
          const own = answer(results as EditResults<List>, args as Infer<In>) as object;
          const answered = placed(own, planned);
          const { transactionId } = transaction ?? {};
          return transactionId === undefined ? answered : { ...answered, transactionId };
        };
        const done = await planned.commit(tool.name, {
          beforeWrite: committing(context, answerTo),
        });
        return answerTo(done);
      }),
  });
  return { ...made, editsFor: edits };
}
