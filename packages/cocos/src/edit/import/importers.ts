import { createMeta, type JsonObject, type Meta, newUuid } from '#cocos/document';
import type { Workspace } from '../workspace.ts';

/** A file as importers look at it. */
interface Source {
  /** In the project. */
  readonly path: string;
  /** Without folder and ending. */
  readonly name: string;
  /** With the dot. */
  readonly ending: string;
  readonly ver: string;
}

/** How the editor imports a kind of file. */
export interface Importer {
  readonly name: string;
  /** What metas say where a project has none to learn from. */
  readonly ver: string;
  readonly endings: readonly string[];
  /** The file must be JSON. */
  readonly json?: boolean | undefined;
  /** Why only the editor can import it. */
  readonly reason?: string | undefined;
  /** What it makes for the library; a JSON where absent. */
  readonly files?: ((source: Source) => string[]) | undefined;
  readonly userData?: ((source: Source) => JsonObject) | undefined;
}

const oneJson = (): string[] => ['.json'];
const nothing = (): string[] => [];
const binary = (): string[] => ['.bin', '.json'];
const withCopy = ({ ending }: Source): string[] => ['.json', ending].sort();

const texts = 'txt html htm xml css less scss styl stylus yaml ini csv proto md markdown tsx'.split(
  ' ',
);
const needsImage = 'it is read together with its image';
const needsParts = 'the editor makes several assets of it';

const importers: readonly Importer[] = [
  { name: 'directory', ver: '1.2.0', endings: [], files: nothing, userData: bundle },
  { name: 'typescript', ver: '4.0.24', endings: ['ts'], files: nothing },
  { name: 'javascript', ver: '4.0.24', endings: ['js'], files: nothing },
  { name: 'scene', ver: '1.1.50', endings: ['scene'] },
  {
    name: 'prefab',
    ver: '1.1.50',
    endings: ['prefab'],
    userData: ({ name }) => ({ syncNodeName: name }),
  },
  { name: 'image', ver: '1.0.27', endings: ['png', 'jpg', 'jpeg'] },
  { name: 'texture', ver: '1.0.22', endings: [] },
  { name: 'sprite-frame', ver: '1.0.12', endings: [] },
  { name: 'json', ver: '2.0.1', endings: ['json'], json: true },
  { name: 'text', ver: '1.0.1', endings: [...texts, 'd.ts'] },
  { name: 'material', ver: '1.0.21', endings: ['mtl'], json: true },
  { name: 'physics-material', ver: '1.0.1', endings: ['pmtl'], json: true },
  { name: 'effect', ver: '1.7.1', endings: ['effect'] },
  { name: 'effect-header', ver: '1.0.7', endings: ['chunk'], files: nothing },
  { name: 'buffer', ver: '1.0.3', endings: ['bin'], files: binary },
  { name: 'terrain', ver: '1.1.50', endings: ['terrain'], files: binary },
  { name: 'video-clip', ver: '1.0.0', endings: ['mp4'], files: withCopy },
  { name: 'tiled-map', ver: '1.0.1', endings: ['tmx'], files: withCopy },
  {
    name: 'audio-clip',
    ver: '1.0.0',
    endings: ['mp3', 'wav', 'ogg', 'aac', 'pcm', 'm4a'],
    files: withCopy,
    userData: () => ({ downloadMode: 0 }),
  },
  {
    name: 'ttf-font',
    ver: '1.0.1',
    endings: ['ttf'],
    files: ({ name, ending }) => ['.json', `${name}${ending}`],
  },
  {
    name: 'animation-clip',
    // Of the oldest 3.8: a later editor imports it again, an earlier one would not know a later.
    ver: '2.0.3',
    endings: ['anim'],
    json: true,
    files: ({ ver }) => [/^(1\.|2\.0\.[0-3]$)/.test(ver) ? '.cconb' : '.bin'],
    userData: ({ name }) => ({ name }),
  },
  { name: 'animation-graph', ver: '1.2.0', endings: ['animgraph'], json: true },
  { name: 'animation-graph-variant', ver: '1.0.0', endings: ['animgraphvari'], json: true },
  { name: 'animation-mask', ver: '1.0.0', endings: ['animask'], json: true },
  { name: 'auto-atlas', ver: '1.0.8', endings: ['pac'], json: true, userData: packing },
  { name: 'bitmap-font', ver: '1.0.6', endings: ['fnt'], reason: needsImage },
  { name: 'label-atlas', ver: '1.0.1', endings: ['labelatlas'], reason: needsImage },
  { name: 'sprite-atlas', ver: '1.0.8', endings: ['plist'], reason: needsImage },
  { name: 'spine-data', ver: '1.2.7', endings: ['skel'], reason: needsImage },
  { name: 'dragonbones', ver: '1.0.2', endings: ['dbbin'], reason: needsImage },
  { name: 'dragonbones-atlas', ver: '1.0.2', endings: [], reason: needsImage },
  { name: 'fbx', ver: '2.3.14', endings: ['fbx'], reason: needsParts },
  { name: 'gltf', ver: '2.3.14', endings: ['gltf', 'glb'], reason: needsParts },
  { name: 'render-texture', ver: '1.2.2', endings: ['rt'], reason: needsParts },
  { name: 'texture-cube', ver: '1.0.3', endings: ['cubemap'], reason: needsParts },
  {
    name: 'image',
    ver: '1.0.27',
    endings: ['bmp', 'exr', 'hdr', 'psd', 'tga', 'tif', 'tiff', 'webp', 'znt'],
    reason: 'of images, only PNG and JPEG are read here',
  },
];

/** One folder is a bundle by its name. */
function bundle({ path }: Source): JsonObject {
  if (path !== 'assets/resources') return {};
  return { isBundle: true, bundleConfigID: 'default', bundleName: 'resources', priority: 8 };
}

/** How images are packed where nobody has said otherwise. */
function packing(): JsonObject {
  return {
    maxWidth: 1024,
    maxHeight: 1024,
    padding: 2,
    allowRotation: true,
    forceSquared: false,
    powerOfTwo: false,
    algorithm: 'MaxRects',
    format: 'png',
    quality: 80,
    contourBleed: true,
    paddingBleed: true,
    filterUnused: true,
    removeTextureInBundle: true,
    removeImageInBundle: true,
    removeSpriteAtlasInBundle: true,
    compressSettings: {},
    textureSetting: {
      wrapModeS: 'repeat',
      wrapModeT: 'repeat',
      minfilter: 'linear',
      magfilter: 'linear',
      mipfilter: 'none',
      anisotropy: 0,
    },
  };
}

const byEnding = new Map(
  importers.flatMap((importer) => importer.endings.map((ending) => [ending, importer] as const)),
);
const byName = new Map(importers.toReversed().map((importer) => [importer.name, importer]));

/** What imports a file, by its name; undefined where that is not known. */
export function importerOf(path: string): Importer | undefined {
  const ending = /\.(d\.ts|[^./]+)$/i.exec(path)?.[1]?.toLowerCase();
  return ending === undefined ? undefined : byEnding.get(ending);
}

/** What a JSON is, where it is more than that. */
export function importerOfJson(value: JsonObject): Importer | undefined {
  if (Array.isArray(value['bones'])) return byName.get('spine-data');
  if (Array.isArray(value['armature'])) return byName.get('dragonbones');
  const isAtlas = typeof value['imagePath'] === 'string' && Array.isArray(value['SubTexture']);
  return isAtlas ? byName.get('dragonbones-atlas') : undefined;
}

/** The version that the project's editor writes into metas of an importer. */
export function metaVersion({ draft }: Workspace, importer: string): string {
  for (const asset of draft.assets()) {
    if (asset.importer === importer && asset.ver !== '') return asset.ver;
  }
  return byName.get(importer)?.ver ?? '1.0.0';
}

/** The meta that the editor gives a new file or folder, by its name; those of images tell of their pixels, too. */
export function newMeta(workspace: Workspace, path: string, importer: string): Meta {
  const { files = oneJson, userData = () => ({}) } = byName.get(importer) ?? {};
  const ver = metaVersion(workspace, importer);
  const [, name = '', ending = ''] = /([^/]*?)(\.[^./]*)?$/.exec(path) ?? [];
  const source = { path, name, ending: ending.toLowerCase(), ver };
  return createMeta({
    ver,
    importer,
    imported: true,
    uuid: newUuid(),
    files: files(source),
    subMetas: {},
    userData: userData(source),
  });
}
