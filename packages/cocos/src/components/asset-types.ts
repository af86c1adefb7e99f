/** The class of what an importer makes, by the name of the importer in metas. */
const classes: Readonly<Record<string, string>> = {
  'animation-clip': 'cc.AnimationClip',
  'animation-graph': 'cc.animation.AnimationGraph',
  'animation-graph-variant': 'cc.animation.AnimationGraphVariant',
  'animation-mask': 'cc.animation.AnimationMask',
  'audio-clip': 'cc.AudioClip',
  'auto-atlas': 'cc.SpriteAtlas',
  'bitmap-font': 'cc.BitmapFont',
  buffer: 'cc.BufferAsset',
  dragonbones: 'dragonBones.DragonBonesAsset',
  'dragonbones-atlas': 'dragonBones.DragonBonesAtlasAsset',
  effect: 'cc.EffectAsset',
  'erp-texture-cube': 'cc.TextureCube',
  'gltf-animation': 'cc.AnimationClip',
  'gltf-material': 'cc.Material',
  'gltf-mesh': 'cc.Mesh',
  'gltf-scene': 'cc.Prefab',
  'gltf-skeleton': 'cc.Skeleton',
  image: 'cc.ImageAsset',
  javascript: 'cc.Script',
  json: 'cc.JsonAsset',
  'label-atlas': 'cc.LabelAtlas',
  material: 'cc.Material',
  particle: 'cc.ParticleAsset',
  'physics-material': 'cc.PhysicsMaterial',
  prefab: 'cc.Prefab',
  'render-texture': 'cc.RenderTexture',
  'rt-sprite-frame': 'cc.SpriteFrame',
  scene: 'cc.SceneAsset',
  'spine-data': 'sp.SkeletonData',
  'sprite-atlas': 'cc.SpriteAtlas',
  'sprite-frame': 'cc.SpriteFrame',
  terrain: 'cc.TerrainAsset',
  text: 'cc.TextAsset',
  texture: 'cc.Texture2D',
  'texture-cube': 'cc.TextureCube',
  'tiled-map': 'cc.TiledMapAsset',
  'ttf-font': 'cc.TTFFont',
  typescript: 'cc.Script',
  'video-clip': 'cc.VideoClip',
};

const families: Readonly<Record<string, readonly string[]>> = {
  'cc.Font': ['cc.TTFFont', 'cc.BitmapFont', 'cc.LabelAtlas'],
  'cc.BitmapFont': ['cc.LabelAtlas'],
  'cc.TextureBase': ['cc.Texture2D', 'cc.TextureCube', 'cc.RenderTexture'],
  'cc.SimpleTexture': ['cc.Texture2D', 'cc.TextureCube'],
};

/** The class that an importer makes; undefined for importers that are not known. */
export function classOfImporter(importer: string): string | undefined {
  return classes[importer];
}

/** Whether an asset of a class may stand where another is expected. */
export function acceptsAsset(expected: string, actual: string): boolean {
  if (expected === actual || expected === 'cc.Asset') return true;
  return families[expected]?.includes(actual) ?? false;
}

/** The sub-asset that stands for an image, or a model, where a class is expected: `spriteFrame` for sprites. */
export function subAssetFor(expected: string): string | undefined {
  return {
    'cc.SpriteFrame': 'spriteFrame',
    'cc.Texture2D': 'texture',
    'cc.TextureCube': 'textureCube',
  }[expected];
}
