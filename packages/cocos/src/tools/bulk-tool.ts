import type { CocosBackend, Committed, Edit, EditDefinition, EditPlan } from '#cocos/backend';
import { CocosError } from '#cocos/document';
import { type AnySchema, type Failure, tool, type Tool, ToolFailure } from 'mcp-kit/tools';
import { batchSchema } from 'mcp-kit/tools/governed';
import { type Asked, committing, editFor } from './define-tools.ts';
import { telling, toFailure } from './failures.ts';
import { closedObject, menuScene, object, scenePath, storedNames, text } from './schemas.ts';

const maxEdits = 500;

/** One call of another tool, as a part of many. */
interface Part {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly as?: string | undefined;
}

interface Placed {
  /** How the report names it. */
  readonly item: string;
  readonly edit: Edit;
}

interface BulkPlan extends Pick<EditPlan, 'changes' | 'state'> {
  readonly planned: EditPlan;
  readonly items: readonly string[];
  readonly failed: readonly { readonly item: string; readonly error: Failure }[];
  readonly skipped: readonly { readonly item: string; readonly reason: string }[];
}

/** Many calls of editing tools as one write: done and undone at once. */
export function executeSceneEdits(backend: CocosBackend, edits: readonly EditDefinition[]): Tool {
  const byTool = new Map(edits.map((edit) => [edit.tool, edit]));
  return tool<AnySchema, AnySchema, BulkPlan>({
    name: 'execute_scene_edits',
    description:
      'Does many edits as one write. Each has the name and arguments of an editing tool; what one creates "as" a name, ' +
      'later ones call "$name".',
    layer: 'core',
    category: 'scene',
    safety: 'destructive',
    commits: true,
    errors: {
      E_NOT_FOUND: 'A node, component or asset is not there, and onError is rollback.',
      E_INVALID_ARGUMENT: 'An edit cannot be, and onError is rollback.',
    },
    examples: bulkExamples,
    input: bulkInput(edits),
    output: object(['succeeded', 'failed', 'skipped'], {
      scenePath: text,
      ...batchSchema({ type: 'object' }),
      transactionId: text,
    }),
    plan: (args, context) =>
      telling(() => {
        // The input schema says so.
        const {
          edits: calls,
          onError,
          scenePath: document,
          storedNames: isStored,
        } = args as BulkArgs;
        const parts = calls.map((part, index) => place(part, index, byTool));
        const newId = (label: string): string => context.newId(label);
        const riskLevel = highestRisk(calls.map(({ tool: name }) => byTool.get(name)));
        return planParts(parts, onError ?? 'rollback', (list) =>
          backend.plan(list, { document, newId, storedNames: isStored }),
        ).then((made) => ({ ...made, riskLevel, shown: reportOf(made, made.planned.results) }));
      }),
    apply: ({ planned, items, failed, skipped }, context) =>
      telling(async () => {
        const answerTo = ({ results, transaction }: Committed): object => ({
          ...reportOf({ planned, items, failed, skipped }, results),
          transactionId: transaction?.transactionId,
        });
        const beforeWrite = committing(context, answerTo);
        return answerTo(await planned.commit('execute_scene_edits', { beforeWrite }));
      }),
  });
}

/** What became of each part, or would. */
function reportOf(
  { planned, items, failed, skipped }: Pick<BulkPlan, 'planned' | 'items' | 'failed' | 'skipped'>,
  results: Committed['results'],
): Readonly<Record<string, unknown>> {
  const succeeded = results.map(({ op: _, ...value }, index) => ({
    item: items[index] ?? '',
    value,
  }));
  return { scenePath: planned.document, succeeded, failed, skipped };
}

const risks = ['low', 'medium', 'high'] as const;
type RiskLevel = (typeof risks)[number];

/** How bad a mistake in the worst of the parts would be. */
function highestRisk(parts: readonly (EditDefinition | undefined)[]): RiskLevel {
  const levels = parts.map((part) =>
    risks.indexOf(part?.riskLevel ?? (part?.safety === 'destructive' ? 'high' : 'low')),
  );
  return risks[Math.max(...levels)] ?? 'low';
}

interface BulkArgs extends Asked {
  readonly edits: readonly Part[];
  readonly onError?: OnError | undefined;
}

type OnError = 'rollback' | 'stop' | 'continue';

const bulkExamples = [
  {
    title: 'A panel with a text',
    input: {
      scenePath: menuScene,
      edits: [
        {
          tool: 'create_scene_node',
          arguments: { parentUuid: 'Canvas', name: 'News', element: 'Sprite' },
          as: 'panel',
        },
        {
          tool: 'create_scene_node',
          arguments: { parentUuid: '$panel', name: 'Text', element: 'Label' },
          as: 'text',
        },
        {
          tool: 'set_component_properties',
          arguments: { componentUuid: '$text:cc.Label', properties: { string: 'New: comets!' } },
        },
      ],
    },
  },
  {
    title: 'As much as can be done',
    input: {
      scenePath: menuScene,
      edits: [
        { tool: 'update_node_info', arguments: { nodeUuid: 'Canvas/Version', active: false } },
        { tool: 'delete_scene_node', arguments: { nodeUuid: 'Canvas/Shop' } },
      ],
      onError: 'continue',
    },
  },
  {
    input: {
      scenePath: menuScene,
      edits: [{ tool: 'delete_scene_node', arguments: { nodeUuid: 'Canvas/Shop' } }],
    },
    fails: 'E_NOT_FOUND',
  },
  {
    input: {
      scenePath: menuScene,
      edits: [{ tool: 'update_node_info', arguments: { nodeUuid: 'Canvas', layer: 'STARS' } }],
    },
    fails: 'E_INVALID_ARGUMENT',
  },
] as const;

/** Each part is checked as the tool would check it. */
function bulkInput(edits: readonly EditDefinition[]): AnySchema {
  const part = {
    type: 'object',
    properties: {
      tool: { enum: edits.map((edit) => edit.tool), description: 'An editing tool.' },
      arguments: { type: 'object', description: 'As that tool takes them.' },
      as: {
        type: 'string',
        pattern: '^[A-Za-z][A-Za-z0-9_-]*$',
        description: 'A name for what it creates.',
      },
    },
    required: ['tool', 'arguments'],
    additionalProperties: false,
    allOf: edits.map(({ tool: name, input }) => ({
      if: { properties: { tool: { not: { const: name } } } },
      else: { properties: { arguments: input } },
    })),
  };
  return closedObject(['edits'], {
    scenePath,
    edits: {
      type: 'array',
      minItems: 1,
      maxItems: maxEdits,
      items: part,
      description: 'Done in this order; each sees what those before it did.',
    },
    onError: {
      enum: ['rollback', 'stop', 'continue'],
      description:
        'Where one cannot be done: rollback (default) does nothing, stop those before it, continue all others.',
    },
    storedNames,
  });
}

function place(
  { tool: name, arguments: args, as }: Part,
  index: number,
  byTool: ReadonlyMap<string | undefined, EditDefinition>,
): Placed {
  const definition = byTool.get(name);
  if (definition === undefined) {
    throw new CocosError('E_INVALID_ARGUMENT', `"${name}" cannot be one of many.`);
  }
  return { item: `${index} ${name}`, edit: { ...editFor(definition, args), as } };
}

/** Plans all parts that can be done, as far as that is wanted. */
async function planParts(
  parts: readonly Placed[],
  onError: OnError,
  plan: (edits: readonly Edit[]) => Promise<EditPlan>,
): Promise<BulkPlan> {
  const failed: { item: string; error: Failure }[] = [];
  const skipped: { item: string; reason: string }[] = [];
  let left = parts;
  for (;;) {
    try {
      const planned = await plan(left.map(({ edit }) => edit));
      const { changes, state } = planned;
      return { changes, state, planned, items: left.map(({ item }) => item), failed, skipped };
    } catch (error) {
      const at = placeOf(error);
      const broken = at === undefined ? undefined : left[at];
      if (at === undefined || broken === undefined) throw error;
      const failure = failureOf(error);
      if (onError === 'rollback') throw refused(failure, broken.item, parts);
      failed.push({ item: broken.item, error: failure });
      const after = left.slice(at + 1);
      left = left.slice(0, at);
      if (onError === 'continue') left = [...left, ...after];
      else skipped.push(...after.map(({ item }) => ({ item, reason: `${broken.item} failed` })));
    }
  }
}

function placeOf(error: unknown): number | undefined {
  const edit = error instanceof CocosError ? error.details?.['edit'] : undefined;
  return typeof edit === 'number' ? edit : undefined;
}

function refused(failure: Failure, item: string, parts: readonly Placed[]): ToolFailure {
  const said = /[.!?]$/.test(failure.message) ? failure.message : `${failure.message}.`;
  const skipped = parts
    .filter((part) => part.item !== item)
    .map((part) => ({ item: part.item, reason: `${item} failed` }));
  return new ToolFailure({
    ...failure,
    message: `Edit ${item}: ${said} Nothing was done.`,
    details: { item, succeeded: [], failed: [{ item, error: failure }], skipped },
  });
}

function failureOf(error: unknown): Failure {
  const failure = toFailure(error);
  if (failure instanceof ToolFailure) return failure.failure;
  throw error;
}
