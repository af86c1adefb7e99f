import {
  cloneJson,
  isObject,
  type Json,
  type JsonObject,
  type OwnEntry,
  type OwnJson,
} from '#cocos/document';
import type { ImageFacts } from './read-image.ts';
import { spriteGeometry } from './sprite-frame.ts';
import { clampBox, trimBox, type Box } from './trim.ts';

/** What an image is used as: a sprite of the UI, or a texture of a material. */
export type ImageType = 'sprite-frame' | 'texture';

/** The versions of the importers; a project's own, or those of Creator 3.8. */
export interface ImporterVersions {
  readonly image?: string | undefined;
  readonly texture?: string | undefined;
  readonly spriteFrame?: string | undefined;
}

/** What a new image needs for its meta. */
export interface NewImage {
  readonly uuid: string;
  /** The name of the file without its extension. */
  readonly name: string;
  /** With the dot. */
  readonly extension: string;
  readonly image: ImageFacts;
  readonly type?: ImageType | undefined;
  readonly versions?: ImporterVersions | undefined;
}

/** The ids that the editor derives from the names `texture` and `spriteFrame`. */
export const textureId = '6c48a';
export const spriteFrameId = 'f9941';

/** The meta that the editor writes for an image it has never seen. */
export async function newImageMeta(options: NewImage): Promise<JsonObject> {
  const { image, type } = options;
  const whole = { x: 0, y: 0, width: image.width, height: image.height };
  return trimmedImageMeta(options, type === 'sprite-frame' ? await trimBox(image, 1) : whole);
}

/** The same, where it is known what is left of the image without its transparent edges. */
export function trimmedImageMeta(options: NewImage, box: Box): JsonObject {
  const { uuid, extension, image, versions = {} } = options;
  const type = options.type ?? 'texture';
  const subMetas: Record<string, Json> = { [textureId]: textureMeta(options, type) };
  if (type === 'sprite-frame') subMetas[spriteFrameId] = spriteFrameMeta(options, box);
  return {
    ver: versions.image ?? '1.0.27',
    importer: 'image',
    imported: true,
    uuid,
    files: ['.json', extension.toLowerCase()].sort(),
    subMetas,
    userData: {
      type,
      hasAlpha: image.hasAlpha,
      fixAlphaTransparencyArtifacts: false,
      redirect: `${uuid}@${textureId}`,
    },
  };
}

interface OwnMeta {
  readonly importer: string;
  readonly id: string;
  readonly name: string;
  readonly ver: string;
  readonly userData: JsonObject;
}

function subMeta(options: NewImage, own: OwnMeta): JsonObject {
  return {
    importer: own.importer,
    uuid: `${options.uuid}@${own.id}`,
    displayName: options.name,
    id: own.id,
    name: own.name,
    userData: own.userData,
    ver: own.ver,
    imported: true,
    files: ['.json'],
    subMetas: {},
  };
}

function textureMeta(options: NewImage, type: ImageType): JsonObject {
  const wrap = type === 'sprite-frame' ? 'clamp-to-edge' : 'repeat';
  return subMeta(options, {
    importer: 'texture',
    id: textureId,
    name: 'texture',
    ver: options.versions?.texture ?? '1.0.22',
    userData: {
      wrapModeS: wrap,
      wrapModeT: wrap,
      imageUuidOrDatabaseUri: options.uuid,
      isUuid: true,
      visible: false,
      minfilter: 'linear',
      magfilter: 'linear',
      mipfilter: 'none',
      anisotropy: 0,
    },
  });
}

function spriteFrameMeta(options: NewImage, box: Box): JsonObject {
  const { vertices, numbers } = spriteGeometry(options.image, box);
  return subMeta(options, {
    importer: 'sprite-frame',
    id: spriteFrameId,
    name: 'spriteFrame',
    ver: options.versions?.spriteFrame ?? '1.0.12',
    userData: {
      trimThreshold: 1,
      rotated: false,
      ...numbers,
      borderTop: 0,
      borderBottom: 0,
      borderLeft: 0,
      borderRight: 0,
      packable: true,
      pixelsToUnit: 100,
      pivotX: 0.5,
      pivotY: 0.5,
      meshType: 0,
      vertices,
      isUuid: true,
      imageUuidOrDatabaseUri: `${options.uuid}@${textureId}`,
      atlasUuid: '',
      trimType: 'auto',
    },
  });
}

/** The meta after the image has changed: the same keys in the same order, with the numbers of the new image. */
export async function updateImageMeta(meta: JsonObject, image: ImageFacts): Promise<JsonObject> {
  const updated = cloneJson(meta);
  replacePresent(updated['userData'], { hasAlpha: image.hasAlpha });
  for (const sub of Object.values(asObject(updated['subMetas']))) {
    const { importer, userData } = asObject(sub);
    if (importer === 'sprite-frame') await updateSpriteFrame(asObject(userData), image);
  }
  return updated;
}

async function updateSpriteFrame(userData: OwnEntry, image: ImageFacts): Promise<void> {
  const { vertices, numbers } = spriteGeometry(image, await boxFor(userData, image));
  replacePresent(userData, numbers);
  // A mesh of more than a rectangle was made by the editor, and only it can make it again.
  if ((userData['meshType'] ?? 0) === 0) replacePresent(userData, { vertices });
}

async function boxFor(userData: JsonObject, image: ImageFacts): Promise<Box> {
  const { width, height } = image;
  const number = (key: string, otherwise: number) => {
    const value = userData[key];
    return typeof value === 'number' ? value : otherwise;
  };
  switch (userData['trimType']) {
    case 'none':
      return { x: 0, y: 0, width, height };
    case 'custom':
      return clampBox(
        {
          x: number('trimX', 0),
          y: number('trimY', 0),
          width: number('width', width),
          height: number('height', height),
        },
        image,
      );
    default:
      return trimBox(image, number('trimThreshold', 1));
  }
}

function replacePresent(target: OwnJson | undefined, values: OwnEntry): void {
  const object = asObject(target);
  for (const [key, value] of Object.entries(values)) if (key in object) object[key] = value;
}

function asObject(value: OwnJson | undefined): OwnEntry {
  return isObject(value) ? value : {};
}
