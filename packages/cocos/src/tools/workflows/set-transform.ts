import type { CocosBackend, NodeReading, Vector } from '#cocos/backend';
import { CocosError } from '#cocos/document';
import { fail, type Infer, type Tool } from 'mcp-kit/tools';
import { defineWorkflow } from 'mcp-kit/tools/workflow';
import { exact } from '../exact.ts';
import { telling } from '../failures.ts';
import {
  flag,
  menuScene,
  nodeUuid,
  object,
  position,
  rotation,
  scale,
  scenePath,
  storedNames,
  text,
  texts,
  transform,
} from '../schemas.ts';
import { aboutWrite, resultOf, StagedWrite } from './staged-edits.ts';
import { type WorkflowOptions, writes } from './workflow-options.ts';

const input = {
  type: 'object',
  properties: {
    scenePath,
    nodeUuid,
    position,
    rotation,
    scale,
    failOnWarnings: {
      ...flag,
      description:
        'Refuses what would have no effect or hide the node, instead of warning. Default false.',
    },
    storedNames,
  },
  required: ['nodeUuid'],
  anyOf: [{ required: ['position'] }, { required: ['rotation'] }, { required: ['scale'] }],
  additionalProperties: false,
} as const;

const output = object(['nodeUuid', 'before', 'after', 'warnings'], {
  nodeUuid: text,
  before: transform,
  after: transform,
  warnings: texts,
  scenePath: text,
  transactionId: text,
});

type Args = Infer<typeof input>;
type Placed = Infer<typeof transform>;

const head = {
  name: 'workflow_safe_set_transform',
  description:
    'Sets position, rotation or scale of a node, warns of what such a node does not heed, and reads it back.',
  ...writes,
  idempotent: true,
  errors: {
    E_NOT_FOUND: 'There is no such node.',
    E_INVALID_ARGUMENT: 'None of position, rotation and scale is given.',
    E_PRECONDITION_FAILED: 'It is the scene itself, or there are warnings that must not be.',
  },
  examples: [
    {
      title: 'Where it is put',
      input: { scenePath: menuScene, nodeUuid: 'Canvas/Title', position: { x: 0, y: 240 } },
    },
    {
      title: 'Turned and larger: the third of six stars',
      input: {
        scenePath: menuScene,
        nodeUuid: 'Canvas/Stars/Star[2]',
        rotation: { z: 45 },
        scale: { x: 1.5, y: 1.5 },
      },
    },
    {
      title: 'In a Layout, which places it anew: that is warned of',
      input: { scenePath: menuScene, nodeUuid: 'Canvas/Menu/Play', position: { y: 90 } },
    },
    {
      input: { scenePath: menuScene, nodeUuid: 'Canvas/Shop', position: { x: 1 } },
      fails: 'E_NOT_FOUND',
    },
    {
      input: { scenePath: menuScene, nodeUuid: 'Canvas/Title' },
      fails: 'E_INVALID_ARGUMENT',
    },
    {
      title: 'In a Layout, where warnings are failures',
      input: {
        scenePath: menuScene,
        nodeUuid: 'Canvas/Menu/Play',
        position: { y: 90 },
        failOnWarnings: true,
      },
      fails: 'E_PRECONDITION_FAILED',
    },
  ],
} as const;

/** Sets a transform with a look before and after. */
export function safeSetTransform(backend: CocosBackend, options: WorkflowOptions): Tool {
  const write = new StagedWrite<Args>(backend, head.name, (args) => {
    const { scenePath: document, storedNames: isStored, failOnWarnings: _, ...change } = args;
    return {
      document,
      storedNames: isStored,
      stages: { set_transform: [{ op: 'set_transform', ...change }] },
    };
  });
  const saving = write.save((saved) => {
    const { nodeUuid: node, warnings } = resultOf(saved, 'set_transform', 'set_transform');
    return { nodeUuid: node, warnings: [...warnings] };
  }, 'set_transform');
  const readBack = async (document: string | undefined, node: string): Promise<Placed> =>
    placeOf(await backend.node(document, node));
  return defineWorkflow({ ...options, ...head, input })
    .stage('read_before', {
      plan: ({ args }) =>
        telling(async () => {
          const before = await readBack(args.scenePath, args.nodeUuid);
          return { changes: [], state: { ...before }, before };
        }),
      apply: ({ plan }) => plan.before,
    })
    .stage('set_transform', {
      ...saving,
      async plan(known, context) {
        const plan = await saving.plan(known, context);
        const { warnings } = resultOf(plan, 'set_transform', 'set_transform');
        if (known.args.failOnWarnings === true && warnings.length > 0) {
          throw fail('E_PRECONDITION_FAILED', warnings.join(' '), {
            suggestion: 'Set other values, or leave failOnWarnings out.',
            details: { warnings },
          });
        }
        return plan;
      },
    })
    .stage('read_after', {
      plan: ({ args, plans }) => {
        const { position: place, rotation: turn, scale: factor } = args;
        const { before } = plans.read_before;
        const wanted = {
          position: { ...before.position, ...place },
          rotation: { ...before.rotation, ...turn },
          scale: { ...before.scale, ...factor },
        };
        const { scenePath: document, nodeUuid: node } = args;
        const shown = { before, after: wanted };
        return { changes: [], state: null, wanted, document: document ?? null, node, shown };
      },
      apply: ({ plan }) =>
        telling(async () => {
          const { document, node, wanted } = plan;
          const after = await readBack(document ?? undefined, node);
          if (!isNear(after, wanted)) {
            throw new CocosError('E_INTERNAL', 'The node is not where it was put.', {
              details: { wanted, after },
            });
          }
          return after;
        }),
    })
    .returns(output, ({ read_before: before, set_transform: saved, read_after: after }) => {
      const set = resultOf(saved, 'set_transform', 'set_transform');
      return exact<Infer<typeof output>>({
        nodeUuid: set.nodeUuid,
        before,
        after,
        warnings: set.warnings,
        ...aboutWrite(saved),
      });
    });
}

function placeOf({ position: place, rotation: turn, scale: factor }: NodeReading): Placed {
  return { position: { ...place }, rotation: { ...turn }, scale: { ...factor } };
}

/** An editor may normalise angles, and rounds. */
function isNear(left: Placed, right: Placed): boolean {
  const isSame = (a: Vector, b: Vector, turn: number): boolean =>
    (['x', 'y', 'z'] as const).every((axis) => {
      const difference = Math.abs(a[axis] - b[axis]);
      const rest =
        turn === 0 ? difference : Math.min(difference % turn, turn - (difference % turn));
      return rest < 1e-3;
    });
  return (
    isSame(left.position, right.position, 0) &&
    isSame(left.rotation, right.rotation, 360) &&
    isSame(left.scale, right.scale, 0)
  );
}
