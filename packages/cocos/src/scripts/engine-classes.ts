import type { Json, JsonObject } from '#cocos/document';

/** The classes of values, with their fields and what those are when nothing is said. */
const valueClasses: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'cc.Vec2': { x: 0, y: 0 },
  'cc.Vec3': { x: 0, y: 0, z: 0 },
  'cc.Vec4': { x: 0, y: 0, z: 0, w: 0 },
  'cc.Quat': { x: 0, y: 0, z: 0, w: 1 },
  'cc.Color': { r: 0, g: 0, b: 0, a: 255 },
  'cc.Size': { width: 0, height: 0 },
  'cc.Rect': { x: 0, y: 0, width: 0, height: 0 },
};

/** The short functions that make values. */
const makers: Readonly<Record<string, string>> = {
  'cc.v2': 'cc.Vec2',
  'cc.v3': 'cc.Vec3',
  'cc.v4': 'cc.Vec4',
  'cc.quat': 'cc.Quat',
  'cc.color': 'cc.Color',
  'cc.size': 'cc.Size',
  'cc.rect': 'cc.Rect',
};

/** The constants of value classes. */
const constants: Readonly<Record<string, readonly number[]>> = {
  'cc.Vec2.ZERO': [0, 0],
  'cc.Vec2.ONE': [1, 1],
  'cc.Vec2.UNIT_X': [1, 0],
  'cc.Vec2.UNIT_Y': [0, 1],
  'cc.Vec3.ZERO': [0, 0, 0],
  'cc.Vec3.ONE': [1, 1, 1],
  'cc.Vec3.UNIT_X': [1, 0, 0],
  'cc.Vec3.UNIT_Y': [0, 1, 0],
  'cc.Vec3.UNIT_Z': [0, 0, 1],
  'cc.Vec3.RIGHT': [1, 0, 0],
  'cc.Vec3.UP': [0, 1, 0],
  'cc.Vec3.FORWARD': [0, 0, -1],
  'cc.Vec4.ZERO': [0, 0, 0, 0],
  'cc.Vec4.ONE': [1, 1, 1, 1],
  'cc.Quat.IDENTITY': [0, 0, 0, 1],
  'cc.Size.ZERO': [0, 0],
  'cc.Size.ONE': [1, 1],
  'cc.Color.WHITE': [255, 255, 255, 255],
  'cc.Color.BLACK': [0, 0, 0, 255],
  'cc.Color.TRANSPARENT': [0, 0, 0, 0],
  'cc.Color.GRAY': [127, 127, 127, 255],
  'cc.Color.RED': [255, 0, 0, 255],
  'cc.Color.GREEN': [0, 255, 0, 255],
  'cc.Color.BLUE': [0, 0, 255, 255],
  'cc.Color.CYAN': [0, 255, 255, 255],
  'cc.Color.MAGENTA': [255, 0, 255, 255],
  'cc.Color.YELLOW': [255, 235, 4, 255],
};

const assetClasses: ReadonlySet<string> = new Set([
  'cc.Asset',
  'cc.AnimationClip',
  'cc.AudioClip',
  'cc.BitmapFont',
  'cc.BufferAsset',
  'cc.EffectAsset',
  'cc.Font',
  'cc.ImageAsset',
  'cc.JsonAsset',
  'cc.LabelAtlas',
  'cc.Material',
  'cc.Mesh',
  'cc.ParticleAsset',
  'cc.PhysicsMaterial',
  'cc.Prefab',
  'cc.RenderTexture',
  'cc.SceneAsset',
  'cc.Script',
  'cc.Skeleton',
  'cc.SpriteAtlas',
  'cc.SpriteFrame',
  'cc.TerrainAsset',
  'cc.TextAsset',
  'cc.Texture2D',
  'cc.TextureCube',
  'cc.TiledMapAsset',
  'cc.TTFFont',
  'cc.VideoClip',
  'cc.animation.AnimationGraph',
  'cc.animation.AnimationMask',
  'dragonBones.DragonBonesAsset',
  'dragonBones.DragonBonesAtlasAsset',
  'sp.SkeletonData',
]);

/** Classes of the engine that are stored as an object of the file, without being components. */
const objectClasses: ReadonlySet<string> = new Set([
  'cc.EventHandler',
  'cc.ClickEvent',
  'cc.Gradient',
  'cc.GradientRange',
  'cc.CurveRange',
  'cc.RealCurve',
  'cc.AnimationCurve',
]);

/** What a class of the engine is to a property. */
export function kindOfEngineClass(
  name: string,
): 'node' | 'value' | 'asset' | 'class' | 'component' {
  if (name === 'cc.Node') return 'node';
  if (name in valueClasses) return 'value';
  if (assetClasses.has(name)) return 'asset';
  return objectClasses.has(name) ? 'class' : 'component';
}

/** A value of a class, by the arguments of its constructor or of its short function. */
export function makeValue(name: string, given: readonly unknown[]): JsonObject | undefined {
  const type = makers[name] ?? name;
  const fields = valueClasses[type];
  if (fields === undefined) return undefined;
  const [first] = given;
  const numbers = type === 'cc.Color' && typeof first === 'string' ? hexColor(first) : given;
  const value: Record<string, Json> = { __type__: type };
  for (const [index, [field, otherwise]] of Object.entries(fields).entries()) {
    const number = numbers?.[index] ?? otherwise;
    if (typeof number !== 'number') return undefined;
    value[field] = number;
  }
  return value;
}

/** A constant such as `cc.Color.WHITE`. */
export function constantValue(name: string): JsonObject | undefined {
  const numbers = constants[name];
  return numbers && makeValue(name.slice(0, name.lastIndexOf('.')), numbers);
}

function hexColor(text: string): number[] | undefined {
  const digits = /^#?((?:[0-9a-f]{2}){3,4})$/i.exec(text)?.[1];
  return digits?.match(/../g)?.map((pair) => Number.parseInt(pair, 16));
}
