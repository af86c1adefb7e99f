/** The arguments and values that many tools share. */
export const text = { type: 'string' } as const;
export const flag = { type: 'boolean' } as const;
export const count = { type: 'integer', minimum: 0 } as const;
export const texts = { type: 'array', items: { type: 'string' } } as const;

export const scenePath = {
  type: 'string',
  minLength: 1,
  description: 'The scene or prefab: path, URL or uuid. Absent: the open one.',
} as const;

export const nodeUuid = {
  type: 'string',
  minLength: 1,
  description: 'The node: uuid, or path: Canvas/Menu/Button[1].',
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
  description: 'The place among its siblings, 0 first. Absent: last.',
} as const;

const number = { type: 'number' } as const;
const axes = { x: { type: 'number' }, y: { type: 'number' }, z: { type: 'number' } } as const;

export const position = {
  type: 'object',
  properties: axes,
  additionalProperties: false,
  minProperties: 1,
  description: 'Relative to the parent. Parts that are left out stay.',
} as const;

export const rotation = {
  type: 'object',
  properties: axes,
  additionalProperties: false,
  minProperties: 1,
  description: 'Degrees around each axis; z turns 2D nodes.',
} as const;

export const scale = {
  type: 'object',
  properties: axes,
  additionalProperties: false,
  minProperties: 1,
  description: '1 is the natural size.',
} as const;

export const size = {
  type: 'object',
  properties: { width: number, height: number },
  required: ['width', 'height'],
  additionalProperties: false,
  description: 'In pixels of the design resolution.',
} as const;

export const properties = {
  type: 'object',
  description:
    'Values by the names of the editor: {"string":"Start","color":"#ff8800"}. Assets by path or uuid, nodes and components ' +
    'by uuid or path, enums by name, events as {target, component, handler}. A name may be a path: clickEvents.0.handler.',
} as const;

/** A point or direction that is answered. */
export const vector = {
  type: 'object',
  properties: axes,
  required: ['x', 'y', 'z'],
} as const;

export const transform = {
  type: 'object',
  properties: { position: vector, rotation: vector, scale: vector },
  required: ['position', 'rotation', 'scale'],
} as const;

export const offset = {
  type: 'integer',
  minimum: 0,
  description: 'How many to leave out: nextOffset of the answer before.',
} as const;

export const limit = {
  type: 'integer',
  minimum: 1,
  maximum: 500,
  description: 'How many at most. Default 50.',
} as const;

export const nodeSummary = {
  type: 'object',
  properties: {
    nodeUuid: text,
    name: text,
    path: text,
    active: flag,
    components: texts,
    prefab: text,
    inside: flag,
  },
  required: ['nodeUuid', 'name', 'path', 'active', 'components'],
} as const;

export const component = {
  type: 'object',
  properties: {
    componentUuid: text,
    type: text,
    enabled: flag,
    properties: { type: 'object' },
  },
  required: ['componentUuid', 'type', 'enabled'],
} as const;

export const asset = {
  type: 'object',
  properties: {
    assetUuid: text,
    path: text,
    url: text,
    type: text,
    exists: flag,
    subAssets: {
      type: 'array',
      items: {
        type: 'object',
        properties: { assetUuid: text, name: text, type: text },
        required: ['assetUuid', 'name', 'type'],
      },
    },
  },
  required: ['assetUuid', 'url', 'type'],
} as const;

export const finding = {
  type: 'object',
  properties: {
    code: text,
    severity: { enum: ['error', 'warning', 'info'] },
    file: text,
    pointer: text,
    line: { type: 'integer' },
    nodePath: text,
    targetUuid: text,
    message: text,
    suggestion: text,
    fixable: flag,
  },
  required: ['code', 'severity', 'file', 'message', 'fixable'],
} as const;

export const findingCounts = {
  type: 'object',
  properties: { error: count, warning: count, info: count },
  required: ['error', 'warning', 'info'],
} as const;
