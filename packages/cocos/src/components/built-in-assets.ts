import { subAssetId } from '#cocos/document';
import { classOfImporter } from './asset-types.ts';
import { cubeImages, plainAssets, spriteImages, textureImages } from './internal-identifiers.ts';

/** An asset that every project has, because the engine brings it. */
export interface BuiltInAsset {
  readonly uuid: string;
  /** `db://internal/default_ui/default_sprite.png/spriteFrame` */
  readonly url: string;
  readonly importer: string;
  readonly type: string;
}

const importers: Readonly<Record<string, string>> = {
  anim: 'animation-clip',
  animask: 'animation-mask',
  animgraph: 'animation-graph',
  animgraphvari: 'animation-graph-variant',
  effect: 'effect',
  fnt: 'bitmap-font',
  labelatlas: 'label-atlas',
  mesh: 'gltf-mesh',
  mp4: 'video-clip',
  mtl: 'material',
  pac: 'auto-atlas',
  plist: 'particle',
  pmtl: 'physics-material',
  prefab: 'prefab',
  rpp: 'render-pipeline',
  scene: 'scene',
  terrain: 'terrain',
  ttf: 'ttf-font',
};

const subImporters: Readonly<Record<string, string>> = {
  texture: 'texture',
  spriteFrame: 'sprite-frame',
  textureCube: 'erp-texture-cube',
};

let byUuid: Map<string, BuiltInAsset> | undefined;
let byUrl: Map<string, BuiltInAsset> | undefined;

/** All assets of the engine that are known, by full identifier. */
export function builtInAssets(): ReadonlyMap<string, BuiltInAsset> {
  byUuid ??= new Map(
    [
      ...list(plainAssets, []),
      ...list(textureImages, ['texture']),
      ...list(spriteImages, ['texture', 'spriteFrame']),
      ...list(cubeImages, ['textureCube']),
    ].map((asset) => [asset.uuid, asset]),
  );
  return byUuid;
}

/** The asset of the engine with that uuid or `db://internal` URL. */
export function findBuiltInAsset(reference: string): BuiltInAsset | undefined {
  if (!reference.startsWith('db://')) return builtInAssets().get(reference);
  byUrl ??= new Map([...builtInAssets().values()].map((asset) => [asset.url, asset]));
  return byUrl.get(reference);
}

function* list(lines: string, subAssets: readonly string[]): Iterable<BuiltInAsset> {
  for (const line of lines.trim().split('\n')) {
    const space = line.indexOf(' ');
    const uuid = line.slice(0, space);
    const url = `db://internal/${line.slice(space + 1)}`;
    yield describe(uuid, url, importers[url.slice(url.lastIndexOf('.') + 1)] ?? 'image');
    for (const name of subAssets) {
      yield describe(`${uuid}@${subAssetId(name)}`, `${url}/${name}`, subImporters[name] ?? '');
    }
  }
}

function describe(uuid: string, url: string, importer: string): BuiltInAsset {
  return { uuid, url, importer, type: classOfImporter(importer) ?? 'cc.Asset' };
}

/** The sprite frame of an image in `db://internal/default_ui`, as a file refers to it. */
export function builtInSprite(name: string): { __uuid__: string; __expectedType__: string } {
  const asset = findBuiltInAsset(`db://internal/default_ui/${name}.png/spriteFrame`);
  return { __uuid__: asset?.uuid ?? '', __expectedType__: 'cc.SpriteFrame' };
}
