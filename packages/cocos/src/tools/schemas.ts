import { axes, count, flag, object, text, texts } from '#cocos/backend';

export {
  anyAsset,
  closedObject,
  count,
  flag,
  gameScene,
  instanceUuid,
  menuScene,
  nodeUuid,
  object,
  ofInstance,
  parentUuid,
  position,
  properties,
  rotation,
  scale,
  scenePath,
  siblingIndex,
  size,
  storedNames,
  text,
  texts,
} from '#cocos/backend';

/** A point or direction that is answered. */
export const vector = object(['x', 'y', 'z'], axes);

export const transform = object(['position', 'rotation', 'scale'], {
  position: vector,
  rotation: vector,
  scale: vector,
});

export const offset = {
  type: 'integer',
  minimum: 0,
  description: 'nextOffset of the answer before.',
} as const;

export const limit = {
  type: 'integer',
  minimum: 1,
  maximum: 500,
  description: 'How many at most. Default 50.',
} as const;

export const nodeSummary = object(['nodeUuid', 'name', 'path', 'active', 'components'], {
  nodeUuid: text,
  name: text,
  path: text,
  active: flag,
  components: texts,
  prefab: text,
  inside: flag,
});

export const component = object(['componentUuid', 'type', 'enabled'], {
  componentUuid: text,
  type: text,
  enabled: flag,
  properties: { type: 'object' },
});

/** What is said, as false, of what is there and has no uuid yet. */
export const imported = {
  ...flag,
  description: 'False: not yet; an edit that names it imports it.',
} as const;

export const asset = object(['url', 'type'], {
  assetUuid: text,
  assetPath: text,
  url: text,
  type: text,
  exists: flag,
  imported,
  subAssets: {
    type: 'array',
    items: object(['assetUuid', 'name', 'type'], { assetUuid: text, name: text, type: text }),
  },
});

export const finding = object(['code', 'severity', 'file', 'message', 'fixable'], {
  code: text,
  severity: { enum: ['error', 'warning', 'info'] },
  file: text,
  pointer: text,
  line: { type: 'integer' },
  path: text,
  targetUuid: text,
  message: text,
  suggestion: text,
  fixable: flag,
});

export const findingCounts = object(['error', 'warning', 'info'], {
  error: count,
  warning: count,
  info: count,
});

export const noScene = 'No scene is open, and none is named.';
