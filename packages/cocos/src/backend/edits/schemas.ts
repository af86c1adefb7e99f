type Members = Readonly<Record<string, unknown>>;

/** The schema of a value with these members, and maybe others. */
export function object<const Required extends readonly (keyof Of)[], const Of extends Members>(
  required: Required,
  properties: Of,
): { readonly type: 'object'; readonly properties: Of; readonly required: Required } {
  return { type: 'object', properties, required };
}

/** The schema of a value with these members and no others. */
export function closedObject<const Of extends Members>(
  required: readonly [],
  properties: Of,
): { readonly type: 'object'; readonly properties: Of; readonly additionalProperties: false };
export function closedObject<
  const Required extends readonly (keyof Of)[],
  const Of extends Members,
>(
  required: Required,
  properties: Of,
): {
  readonly type: 'object';
  readonly properties: Of;
  readonly required: Required;
  readonly additionalProperties: false;
};
export function closedObject(required: readonly string[], properties: Members): object {
  return required.length === 0
    ? { type: 'object', properties, additionalProperties: false }
    : { type: 'object', properties, required, additionalProperties: false };
}

/** The scenes of the sample project, which examples are about: each can be tried there as it is. */
export const menuScene = 'assets/scenes/menu.scene';
export const gameScene = 'assets/scenes/game.scene';

/** Arguments and values that many edits and tools share. */
export const text = { type: 'string' } as const;
export const flag = { type: 'boolean' } as const;
export const count = { type: 'integer', minimum: 0 } as const;
export const texts = { type: 'array', items: { type: 'string' } } as const;

export const scenePath = {
  type: 'string',
  minLength: 1,
  description: 'Scene or prefab. Absent: the open one.',
} as const;

export const storedNames = {
  type: 'boolean',
  description:
    'True: changes have the property names and values of the file, not those of the editor.',
} as const;

export const nodeUuid = {
  type: 'string',
  minLength: 1,
  description: 'The node: uuid, or path: Canvas/Menu.',
} as const;

export const parentUuid = {
  type: 'string',
  description: 'The parent: uuid or path.',
} as const;

export const componentUuid = {
  type: 'string',
  minLength: 1,
  description: 'The component: uuid, or node and class: Canvas/Menu:cc.Sprite.',
} as const;

export const siblingIndex = {
  type: 'integer',
  minimum: 0,
  description: '0 is first. Absent: last.',
} as const;

const number = { type: 'number' } as const;
export const axes = {
  x: { type: 'number' },
  y: { type: 'number' },
  z: { type: 'number' },
} as const;

const someAxes = { ...closedObject([], axes), minProperties: 1 } as const;

export const position = {
  ...someAxes,
  description: 'Relative to the parent.',
} as const;

export const rotation = {
  ...someAxes,
  description: 'Degrees; z turns 2D nodes.',
} as const;

export const scale = { ...someAxes, description: '1 is the natural size.' } as const;

export const size = {
  ...closedObject(['width', 'height'], { width: number, height: number }),
  description: 'In design pixels; parts of an element fit it.',
} as const;

export const properties = {
  type: 'object',
  description:
    'By the names of the editor: {"string":"Play","color":"#ff8800"}. Assets, nodes and components by path or uuid, enums by ' +
    'name, events as {target, component, handler}; parts as clickEvents.0.handler.',
} as const;

export const instanceUuid = {
  type: 'string',
  minLength: 1,
  description: 'The prefab instance: uuid or path of its root, or of a node in it.',
} as const;

export const anyAsset = {
  type: 'string',
  minLength: 1,
  description: 'The asset: path, db:// URL or uuid.',
} as const;

/** How edits and tools that work on an instance fail, and what they are tried with. */
export const ofInstance = {
  layer: 'advanced',
  prerequisites: ['sceneReady=true', 'The node is part of a prefab instance.'],
  errors: {
    E_NOT_FOUND: 'There is no such node.',
    E_PRECONDITION_FAILED: 'The node is not part of a prefab instance.',
  },
  examples: [
    { input: { scenePath: gameScene, nodeUuid: 'Canvas/Ranking/view/content/Line2' } },
    {
      input: { scenePath: gameScene, nodeUuid: 'Canvas/Ranking/view/content/Line9' },
      fails: 'E_NOT_FOUND',
    },
    { input: { scenePath: gameScene, nodeUuid: 'Canvas/Ranking' }, fails: 'E_PRECONDITION_FAILED' },
  ],
} as const;
