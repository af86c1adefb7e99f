import { CocosError } from '#cocos/document';
import {
  createNode,
  deleteNode,
  duplicateNode,
  moveNode,
  nodeElements,
  setTransform,
  updateNode,
} from '#cocos/edit';
import { defineEdit, documentOf, nodeOf } from './define-edit.ts';
import {
  closedObject,
  flag,
  gameScene,
  menuScene,
  nodeUuid,
  object,
  parentUuid,
  position,
  rotation,
  scale,
  scenePath,
  siblingIndex,
  size,
  text,
  texts,
} from './schemas.ts';

const category = 'node';
const notThere = 'There is no such scene or node.';

const layer = {
  type: ['string', 'integer'],
  description: 'UI_2D, DEFAULT, …, or the bits of a layer of the project.',
} as const;

const oneNode = object(['nodeUuid'], { scenePath: text, nodeUuid: text });

/** Edits of nodes. */
export const nodeEdits = [
  defineEdit({
    op: 'create_node',
    tool: 'create_scene_node',
    description:
      'Creates a node, or a ready UI element with its parts: Sprite, Label, Button, EditBox, ScrollView, Toggle, Slider, ' +
      'ProgressBar, Layout, Canvas, Camera …',
    category,
    errors: {
      E_NOT_FOUND: notThere,
      E_INVALID_ARGUMENT: 'A name, number or layer cannot be.',
      E_PRECONDITION_FAILED: 'There is no Canvas above a UI element, or no scene is open.',
    },
    examples: [
      {
        title: 'A button in the menu',
        input: { scenePath: menuScene, parentUuid: 'Canvas/Menu', name: 'Shop', element: 'Button' },
      },
      {
        title: 'A text in the Canvas',
        input: { scenePath: gameScene, name: 'Level', element: 'Label', position: { y: 190 } },
      },
      {
        input: { scenePath: menuScene, parentUuid: 'Canvas/Shop', name: 'Coins' },
        fails: 'E_NOT_FOUND',
      },
      { input: { scenePath: menuScene, name: 'Menu/Shop' }, fails: 'E_INVALID_ARGUMENT' },
      {
        title: 'Outside of the Canvas',
        input: { scenePath: menuScene, parentUuid: '/', element: 'Label' },
        fails: 'E_PRECONDITION_FAILED',
      },
    ],
    input: closedObject([], {
      scenePath,
      parentUuid: {
        ...parentUuid,
        description:
          'The parent: uuid or path. Absent: the Canvas for UI elements, else the scene.',
      },
      name: { ...text, minLength: 1, description: 'Absent: that of the element.' },
      element: {
        enum: nodeElements,
        description: 'Absent: a bare node, for UI below UI nodes.',
      },
      position,
      rotation,
      scale,
      size,
      siblingIndex,
      active: { ...flag, description: 'Default true.' },
      layer: {
        ...layer,
        description: `${layer.description} Absent: UI_2D for UI, else as the parent.`,
      },
      createCanvas: {
        ...flag,
        description: 'Makes a Canvas where a UI element has none. Default false.',
      },
    }),
    output: object(['nodeUuid'], { scenePath: text, nodeUuid: text, canvasUuid: text }),
    byMessages: true,
    run(args, run) {
      const { parentUuid: parent, ...creation } = args;
      const made = createNode(documentOf(args, run), { parent, ...creation });
      const { node, canvas, changes } = made;
      return { result: { nodeUuid: node, canvasUuid: canvas }, changes, made: node };
    },
  }),
  defineEdit({
    op: 'update_node',
    tool: 'update_node_info',
    description:
      'Changes the name, activity, layer or lock of a node. Inside a prefab instance this becomes an override.',
    category,
    idempotent: true,
    errors: { E_NOT_FOUND: notThere, E_INVALID_ARGUMENT: 'A name or layer cannot be.' },
    examples: [
      {
        title: 'A heart less',
        input: {
          scenePath: gameScene,
          nodeUuid: 'Canvas/TopBar/Hearts/Heart3',
          name: 'LostHeart',
          active: false,
        },
      },
      {
        title: 'A prefab instance, switched on',
        input: { scenePath: menuScene, nodeUuid: 'Canvas/SettingsDialog', active: true },
      },
      {
        input: { scenePath: menuScene, nodeUuid: 'Canvas/Shop', active: true },
        fails: 'E_NOT_FOUND',
      },
      {
        input: { scenePath: menuScene, nodeUuid: 'Canvas/Menu', layer: 'STARS' },
        fails: 'E_INVALID_ARGUMENT',
      },
    ],
    input: closedObject(['nodeUuid'], {
      scenePath,
      nodeUuid,
      name: { ...text, minLength: 1, description: 'The new name.' },
      active: { ...flag, description: 'Whether it, and what is below it, is there in the game.' },
      layer,
      locked: { ...flag, description: 'Whether the editor refuses to select it.' },
    }),
    output: oneNode,
    byMessages: true,
    run(args, run) {
      const { document, handle } = nodeOf(args, run);
      return { result: { nodeUuid: handle }, ...updateNode(document, handle, args) };
    },
  }),
  defineEdit({
    op: 'set_transform',
    tool: 'set_node_transform',
    description:
      'Sets position, rotation or scale of a node, relative to its parent. Parts that are left out stay.',
    category,
    idempotent: true,
    errors: {
      E_NOT_FOUND: notThere,
      E_INVALID_ARGUMENT: 'None of position, rotation and scale is given.',
      E_PRECONDITION_FAILED: 'The scene itself cannot be moved.',
    },
    examples: [
      {
        title: 'Only higher',
        input: { scenePath: menuScene, nodeUuid: 'Canvas/Title', position: { y: 240 } },
      },
      {
        title: 'Turned and larger: the second of six stars',
        input: {
          scenePath: menuScene,
          nodeUuid: 'Canvas/Stars/Star[1]',
          rotation: { z: 90 },
          scale: { x: 1.5, y: 1.5 },
        },
      },
      {
        input: { scenePath: menuScene, nodeUuid: 'Canvas/Title' },
        fails: 'E_INVALID_ARGUMENT',
      },
      {
        input: { scenePath: menuScene, nodeUuid: 'Canvas/Shop', scale: { x: 1 } },
        fails: 'E_NOT_FOUND',
      },
      {
        input: { scenePath: menuScene, nodeUuid: '/', position: { x: 1 } },
        fails: 'E_PRECONDITION_FAILED',
      },
    ],
    input: closedObject(['nodeUuid'], { scenePath, nodeUuid, position, rotation, scale }),
    output: object(['nodeUuid', 'warnings'], { scenePath: text, nodeUuid: text, warnings: texts }),
    byMessages: true,
    run(args, run) {
      const { position: at, rotation: turn, scale: factor } = args;
      if ([at, turn, factor].every((part) => part === undefined)) {
        throw new CocosError('E_INVALID_ARGUMENT', 'There is nothing to set.', {
          suggestion: 'Give position, rotation or scale; one is enough.',
        });
      }
      const { document, handle } = nodeOf(args, run);
      const { warnings, changes } = setTransform(document, handle, args);
      return { result: { nodeUuid: handle, warnings }, changes };
    },
  }),
  defineEdit({
    op: 'move_node',
    tool: 'move_scene_node',
    description:
      'Moves a node, with all below it, to another parent or to another place among its siblings.',
    category,
    idempotent: true,
    errors: {
      E_NOT_FOUND: notThere,
      E_CONFLICT: 'A node cannot be below itself.',
      E_PRECONDITION_FAILED: 'The node belongs to a prefab instance, or is the root.',
    },
    examples: [
      {
        title: 'To the first place among its siblings',
        input: { scenePath: menuScene, nodeUuid: 'Canvas/Menu/Settings', siblingIndex: 0 },
      },
      {
        title: 'To another parent, where it stays on the screen',
        input: {
          scenePath: gameScene,
          nodeUuid: 'Canvas/Hint',
          parentUuid: 'Canvas/TopBar',
          keepWorldTransform: true,
        },
      },
      {
        input: { scenePath: menuScene, nodeUuid: 'Canvas/Shop', siblingIndex: 0 },
        fails: 'E_NOT_FOUND',
      },
      {
        input: {
          scenePath: menuScene,
          nodeUuid: 'Canvas/Stars',
          parentUuid: 'Canvas/Stars/Star',
        },
        fails: 'E_CONFLICT',
      },
      {
        title: 'Out of a prefab instance',
        input: {
          scenePath: menuScene,
          nodeUuid: 'Canvas/Menu/Play/Label',
          parentUuid: 'Canvas/Menu',
        },
        fails: 'E_PRECONDITION_FAILED',
      },
    ],
    input: closedObject(['nodeUuid'], {
      scenePath,
      nodeUuid,
      parentUuid: {
        ...parentUuid,
        description: 'The new parent: uuid or path. Absent: as it is.',
      },
      siblingIndex: {
        ...siblingIndex,
        description: '0 is first. Absent: last below a new parent, else as it is.',
      },
      keepWorldTransform: {
        ...flag,
        description: 'Keeps its place on the screen rather than in the parent. Default false.',
      },
    }),
    output: oneNode,
    byMessages: true,
    run(args, run) {
      const { document, handle } = nodeOf(args, run);
      const move = { ...args, parent: args.parentUuid };
      return { result: { nodeUuid: handle }, ...moveNode(document, handle, move) };
    },
  }),
  defineEdit({
    op: 'delete_node',
    tool: 'delete_scene_node',
    description:
      'Deletes a node with all below it. References to them become null, and are told among the changes.',
    category,
    safety: 'destructive',
    errors: {
      E_NOT_FOUND: notThere,
      E_PRECONDITION_FAILED: 'The node belongs to a prefab, or is the root.',
    },
    examples: [
      {
        title: 'One of six stars',
        input: { scenePath: menuScene, nodeUuid: 'Canvas/Stars/Star[5]' },
      },
      {
        title: 'A node that a script refers to',
        input: { scenePath: gameScene, nodeUuid: 'Canvas/TopBar/Hearts/Heart3' },
      },
      { input: { scenePath: menuScene, nodeUuid: 'Canvas/Shop' }, fails: 'E_NOT_FOUND' },
      {
        title: 'Out of a prefab instance',
        input: { scenePath: menuScene, nodeUuid: 'Canvas/Menu/Play/Label' },
        fails: 'E_PRECONDITION_FAILED',
      },
    ],
    input: closedObject(['nodeUuid'], { scenePath, nodeUuid }),
    output: oneNode,
    byMessages: true,
    run(args, run) {
      const { document, handle } = nodeOf(args, run);
      return { result: { nodeUuid: handle }, ...deleteNode(document, handle) };
    },
  }),
  defineEdit({
    op: 'duplicate_node',
    tool: 'create_node_copy',
    description: 'Duplicates a node with all below it; the copy follows the original.',
    category,
    errors: { E_NOT_FOUND: notThere, E_PRECONDITION_FAILED: 'The scene itself cannot be copied.' },
    examples: [
      {
        title: 'One more heart',
        input: {
          scenePath: gameScene,
          nodeUuid: 'Canvas/TopBar/Hearts/Heart3',
          name: 'Heart4',
        },
      },
      { input: { scenePath: menuScene, nodeUuid: 'Canvas/Shop' }, fails: 'E_NOT_FOUND' },
      { input: { scenePath: menuScene, nodeUuid: '/' }, fails: 'E_PRECONDITION_FAILED' },
    ],
    input: closedObject(['nodeUuid'], {
      scenePath,
      nodeUuid,
      name: { ...text, minLength: 1, description: 'The name of the copy. Absent: the same.' },
      siblingIndex: { ...siblingIndex, description: 'Absent: after the original.' },
    }),
    output: oneNode,
    byMessages: true,
    run(args, run) {
      const { node, changes } = duplicateNode(documentOf(args, run), args.nodeUuid, args);
      return { result: { nodeUuid: node }, changes, made: node };
    },
  }),
] as const;
