import type {
  CocosBackend,
  Committed,
  Edit,
  EditDefinition,
  EditPlan,
  Loose,
  WriteOptions,
} from '#cocos/backend';
import type { Context } from 'mcp-kit/server';
import {
  type AnySchema,
  type Infer,
  type InferInput,
  tool,
  type Tool,
  type ToolDefinition,
} from 'mcp-kit/tools';
import { exact } from './exact.ts';
import { telling } from './failures.ts';
import { storedNames } from './schemas.ts';

/** A tool that only looks; where it answers undefined, nothing is answered. */
type ReadDefinition<In extends AnySchema, Out extends AnySchema> = Omit<
  ToolDefinition<In, Out>,
  'run'
> & {
  run(args: Infer<In>, context: Context): Promise<Loose<InferInput<Out>>>;
};

/** Makes a tool that only looks. */
export function readTool<const In extends AnySchema, const Out extends AnySchema>(
  definition: ReadDefinition<In, Out>,
): Tool {
  return tool<In, Out>({
    layer: 'core',
    safety: 'readonly',
    idempotent: true,
    ...definition,
    run: (args, context) =>
      telling(async () => exact<InferInput<Out>>(await definition.run(args, context))) as never,
  });
}

/** The point of no return of a write: what it will answer is kept with it, where that is known before. */
export function committing<Done>(
  context: Pick<Context, 'commit'>,
  answerTo: (done: Done) => unknown,
): NonNullable<WriteOptions<Done>['beforeWrite']> {
  return (done) => (done === undefined ? context.commit() : context.commit(answerTo(done)));
}

interface EditToolPlan extends Pick<EditPlan, 'changes' | 'state'> {
  readonly shown: Readonly<Record<string, unknown>>;
  readonly planned: EditPlan;
}

/** What is asked of any tool that edits. */
export interface Asked {
  readonly scenePath?: string | undefined;
  readonly storedNames?: boolean | undefined;
}

/** The edit that a call of its tool means. */
export const editFor = ({ op }: EditDefinition, args: object): Edit =>
  // The input schema of the edit has checked them.
  ({ op, ...args }) as Edit;

/** The tool that an edit is offered by: it does and undoes the edit at once. */
export function editTool(backend: CocosBackend, definition: EditDefinition): Tool {
  const {
    op: _op,
    tool: name = '',
    run: _run,
    byMessages: _by,
    input,
    output,
    ...rest
  } = definition;
  const { storedNames: _stored, ...head } = rest;
  // What works in a scene says in which.
  const isInScene = Object.hasOwn(input.properties, 'scenePath');
  const answerTo = ({ results: [result] }: Pick<EditPlan, 'results'>, { document }: EditPlan) => {
    const { op: _, ...answered } = result ?? { op: undefined };
    return { scenePath: isInScene ? document : undefined, ...answered };
  };
  return tool<AnySchema, AnySchema, EditToolPlan>({
    layer: 'core',
    safety: 'mutating',
    commits: true,
    ...head,
    name,
    input: { ...input, properties: { ...input.properties, storedNames } },
    output: {
      ...output,
      properties: {
        ...output.properties,
        transactionId: {
          type: 'string',
          description: 'To undo it. Absent: nothing had to be done.',
        },
      },
    },
    plan: (args, context) =>
      telling(async () => {
        const { storedNames: isStored, ...own } = args as Asked;
        const planned = await backend.plan([editFor(definition, own)], {
          document: own.scenePath,
          storedNames: isStored,
          newId: (label) => context.newId(label),
        });
        const { changes, state } = planned;
        return { changes, state, shown: answerTo(planned, planned), planned };
      }),
    apply: ({ planned }, context) =>
      telling(async () => {
        const answer = (done: Committed): object => ({
          ...answerTo(done, planned),
          transactionId: done.transaction?.transactionId,
        });
        return answer(await planned.commit(name, { beforeWrite: committing(context, answer) }));
      }),
  });
}
