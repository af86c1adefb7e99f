import path from 'node:path';
import { isObject, subMetasOf, type JsonObject, type Meta } from '#cocos/document';

/** A part of an asset that can be referenced by itself, such as the sprite frame of an image. */
export interface SubAsset {
  /** With that of the asset: `<uuid>@f9941`. */
  readonly uuid: string;
  readonly id: string;
  readonly name: string;
  readonly importer: string;
  /** `db://assets/a.png/spriteFrame`. */
  readonly url: string;
  readonly userData: JsonObject;
}

/** An asset as its meta describes it. */
export interface Asset {
  readonly uuid: string;
  /** In the project, with `/`: that of the asset, not of its meta. */
  readonly path: string;
  readonly url: string;
  /** The name of the file without its extension. */
  readonly name: string;
  readonly importer: string;
  readonly ver: string;
  /** Whether the file is there, and not only its meta. */
  readonly exists: boolean;
  readonly subAssets: readonly SubAsset[];
  readonly userData: JsonObject;
}

/** Where an asset is. */
export interface AssetPlace {
  readonly path: string;
  readonly url: string;
  readonly exists: boolean;
}

/** The asset that a meta describes. */
export function assetOf(meta: Meta, place: AssetPlace): Asset {
  const isFolder = meta.importer === 'directory';
  const base = path.posix.basename(place.path);
  return {
    uuid: meta.uuid,
    path: place.path,
    url: place.url,
    name: isFolder ? base : path.posix.parse(base).name,
    importer: meta.importer,
    ver: meta.ver,
    exists: place.exists,
    subAssets: subMetasOf(meta).map(({ id, uuid, name, importer, value }) => ({
      uuid,
      id,
      name,
      importer,
      url: `${place.url}/${name === '' ? id : name}`,
      userData: userDataOf(value),
    })),
    userData: userDataOf(meta.value),
  };
}

function userDataOf(value: JsonObject): JsonObject {
  const { userData } = value;
  return isObject(userData) ? userData : {};
}

/** The uuid without that of a sub-asset. */
export function baseUuid(uuid: string): string {
  const at = uuid.indexOf('@');
  return at < 0 ? uuid : uuid.slice(0, at);
}
