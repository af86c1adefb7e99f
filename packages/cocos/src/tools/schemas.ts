import { axes, count, flag, text, texts } from '#cocos/backend';

export {
  anyAsset,
  count,
  flag,
  instanceUuid,
  nodeUuid,
  ofInstance,
  parentUuid,
  position,
  properties,
  rotation,
  scale,
  scenePath,
  siblingIndex,
  size,
  text,
  texts,
} from '#cocos/backend';

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

export const noScene = 'No scene is open, and none is named.';
