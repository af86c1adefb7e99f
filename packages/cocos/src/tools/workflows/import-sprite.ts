import type { CocosBackend } from '#cocos/backend';
import type { Infer, Tool } from 'mcp-kit/tools';
import { defineWorkflow } from 'mcp-kit/tools/workflow';
import { exact } from '../exact.ts';
import {
  closedObject,
  flag,
  menuScene,
  nodeUuid,
  object,
  scenePath,
  storedNames,
  text,
} from '../schemas.ts';
import { aboutWrite, resultOf, type Saved, StagedWrite } from './staged-edits.ts';
import { type WorkflowOptions, writes } from './workflow-options.ts';

const input = closedObject(['sourcePath', 'targetNodeUuid'], {
  scenePath,
  sourcePath: {
    ...text,
    minLength: 1,
    description:
      'A PNG or JPEG: relative to the project, or in a folder that the server was given.',
  },
  targetNodeUuid: { ...nodeUuid, description: 'The node that shall show it: uuid or path.' },
  targetFolder: {
    ...text,
    description: 'Where it goes in the project. Absent: where it is, or else assets/images.',
  },
  onConflict: {
    enum: ['update', 'fail'],
    description:
      'Where another image has its name: update (default) keeps its uuid with the new pixels.',
  },
  sizeMode: {
    enum: ['CUSTOM', 'TRIMMED', 'RAW'],
    description: 'How the size of the node follows the image. Absent: as the sprite says.',
  },
  storedNames,
});

const output = object(['assetPath', 'assetUuid', 'spriteFrameUuid', 'componentUuid', 'reused'], {
  assetPath: text,
  assetUuid: text,
  spriteFrameUuid: text,
  componentUuid: text,
  reused: { ...flag, description: 'The same image was in the project already.' },
  scenePath: text,
  transactionId: text,
});

type Args = Infer<typeof input>;

const head = {
  name: 'workflow_import_and_assign_sprite',
  description:
    'Imports an image into the project and lets a node show it; adds a cc.Sprite where the node has none.',
  ...writes,
  idempotent: true,
  errors: {
    E_NOT_FOUND: 'There is no such file or node.',
    E_INVALID_ARGUMENT: 'The file is no PNG or JPEG.',
    E_CONFLICT: 'The node draws something else, or another image has the name.',
    E_PRECONDITION_FAILED: 'The file is outside of the project and of the folders for images.',
  },
  examples: [
    {
      title: 'A comet for one of the stars, as large as it was drawn',
      input: {
        scenePath: menuScene,
        sourcePath: 'art/comet.png',
        targetNodeUuid: 'Canvas/Stars/Star[2]',
        sizeMode: 'RAW',
      },
    },
    {
      title: 'A star drawn anew, for all that show it',
      input: {
        scenePath: menuScene,
        sourcePath: 'art/star.png',
        targetNodeUuid: 'Canvas/Stars/Star',
        targetFolder: 'assets/textures',
      },
    },
    {
      input: { scenePath: menuScene, sourcePath: 'art/moon.png', targetNodeUuid: 'Canvas/Stars' },
      fails: 'E_NOT_FOUND',
    },
    {
      input: { scenePath: menuScene, sourcePath: '../comet.png', targetNodeUuid: 'Canvas/Stars' },
      fails: 'E_PRECONDITION_FAILED',
    },
    {
      input: { scenePath: menuScene, sourcePath: 'package.json', targetNodeUuid: 'Canvas/Stars' },
      fails: 'E_INVALID_ARGUMENT',
    },
    {
      title: 'On a node that draws a text',
      input: { scenePath: menuScene, sourcePath: 'art/comet.png', targetNodeUuid: 'Canvas/Title' },
      fails: 'E_CONFLICT',
    },
  ],
} as const;

/** Imports an image and shows it. */
export function importAndAssignSprite(backend: CocosBackend, options: WorkflowOptions): Tool {
  const write = new StagedWrite<Args>(backend, head.name, (args) => {
    const { sourcePath, targetNodeUuid, targetFolder, ...rest } = args;
    const { scenePath: document, storedNames: isStored, onConflict, sizeMode } = rest;
    const file = sourcePath.split(/[/\\]/).at(-1) ?? '';
    const path = targetFolder && `${targetFolder.replace(/(?<!\/)\/$/, '')}/${file}`;
    return {
      document,
      storedNames: isStored,
      stages: {
        import_image: [
          {
            op: 'import_image',
            sourcePath,
            assetPath: path,
            type: 'sprite-frame',
            onConflict,
            as: 'image',
          },
        ],
        assign_sprite: [
          { op: 'assign_sprite', nodeUuid: targetNodeUuid, spriteFrame: '$image', sizeMode },
        ],
      },
    };
  });
  return defineWorkflow({ ...options, ...head, input })
    .stage('import_image', write.stage('import_image'))
    .stage('assign_sprite', write.stage('assign_sprite'))
    .stage('save', write.save(answer))
    .returns(output, ({ save }) => answer(save));
}

function answer(save: Saved): Infer<typeof output> {
  const { assetPath, assetUuid, reused } = resultOf(save, 'import_image', 'import_image');
  const assigned = resultOf(save, 'assign_sprite', 'assign_sprite');
  const { componentUuid, spriteFrameUuid } = assigned;
  return exact<Infer<typeof output>>({
    assetPath,
    assetUuid,
    spriteFrameUuid,
    componentUuid,
    reused,
    ...aboutWrite(save),
  });
}
