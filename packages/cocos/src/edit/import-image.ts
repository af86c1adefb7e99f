import {
  type Change,
  CocosError,
  createMeta,
  equalJson,
  isObject,
  type Meta,
  newUuid,
} from '#cocos/document';
import {
  type ImageType,
  newImageMeta,
  readImage,
  spriteFrameId,
  updateImageMeta,
} from '#cocos/images';
import { baseName, checkNames, ensureFolders, metaVersion } from './asset-files.ts';
import type { Workspace } from './workspace.ts';

/** An image to import. */
export interface ImageImport {
  readonly bytes: Uint8Array;
  readonly path: string;
  /** Where absent, what the project imports images as, or what the image is already. */
  readonly type?: ImageType | undefined;
  /** What to do where another image is at the path: keep its identity with the new pixels, or fail. */
  readonly onConflict?: 'update' | 'fail' | undefined;
}

/** What importing an image did. */
export interface ImageImported {
  readonly path: string;
  readonly uuid: string;
  readonly spriteFrameUuid?: string | undefined;
  /** The same image was there already. */
  readonly reused: boolean;
  readonly changes: readonly Change[];
}

/** Imports a PNG or JPEG with its meta, and the folders it needs. */
export async function importImage(
  workspace: Workspace,
  options: ImageImport,
): Promise<ImageImported> {
  const { draft } = workspace;
  const image = checkImage(workspace, options);
  const { path } = image;
  const before = draft.meta(path);
  const old = draft.read(path);
  const isSame = old !== undefined && Buffer.compare(old, options.bytes) === 0;
  if (old !== undefined && !isSame && options.onConflict === 'fail') {
    throw new CocosError('E_CONFLICT', `Another image is at "${path}".`, {
      suggestion: 'Choose another path, or pass onConflict: "update".',
    });
  }
  // Identities are given before anything is waited for: they are those of this edit.
  const uuid = before?.uuid ?? newUuid();
  const folders = ensureFolders(workspace, path);
  const meta = await (before === undefined
    ? freshMeta(workspace, image, uuid)
    : retyped(workspace, before, image));
  const isKept = before !== undefined && equalJson(before.value, meta.value);
  if (isSame && isKept) return { path, ...identify(meta), reused: true, changes: [] };
  const changes: Change[] = folders.map((target) => ({ type: 'create', target }));
  if (!isSame) draft.write(path, options.bytes);
  if (!isKept) draft.writeMeta(path, meta);
  changes.push({ type: old === undefined ? 'create' : 'update', target: path });
  return { path, ...identify(meta), reused: false, changes };
}

function checkImage(workspace: Workspace, { bytes, path: wanted, type }: ImageImport): FreshImage {
  const { draft } = workspace;
  const path = draft.resolve(wanted);
  if (!draft.exists(path)) checkNames(workspace, path);
  const extension = /\.(png|jpe?g)$/i.exec(path)?.[0] ?? '';
  const image = readImage(bytes);
  const expected = image.format === 'png' ? /^\.png$/i : /^\.jpe?g$/i;
  if (expected.test(extension)) return { path, extension, image, type };
  throw new CocosError('E_INVALID_ARGUMENT', `"${path}" does not name a ${image.format} image.`, {
    suggestion: `End the path in ${image.format === 'png' ? '.png' : '.jpg'}.`,
  });
}

interface FreshImage extends Pick<ImageImport, 'path' | 'type'> {
  readonly extension: string;
  readonly image: ReturnType<typeof readImage>;
}

async function freshMeta(
  workspace: Workspace,
  { path, extension, image, type }: FreshImage,
  uuid: string,
): Promise<Meta> {
  const versions = {
    image: metaVersion(workspace, 'image'),
    texture: metaVersion(workspace, 'texture'),
    spriteFrame: metaVersion(workspace, 'sprite-frame'),
  };
  const name = baseName(path);
  const { imageType } = workspace.project.info;
  return createMeta(
    await newImageMeta({ uuid, name, extension, image, type: type ?? imageType, versions }),
  );
}

/** The meta of an image that was there: as it was but for the pixels, unless it shall be of another type. */
async function retyped(workspace: Workspace, before: Meta, fresh: FreshImage): Promise<Meta> {
  const userData = before.value['userData'];
  const type = isObject(userData) ? userData['type'] : undefined;
  if (fresh.type !== undefined && fresh.type !== type) {
    return { ...(await freshMeta(workspace, fresh, before.uuid)), style: before.style };
  }
  return { ...before, value: await updateImageMeta(before.value, fresh.image) };
}

function identify({ uuid, value }: Meta): { uuid: string; spriteFrameUuid?: string | undefined } {
  const subMetas = value['subMetas'];
  const hasFrame = isObject(subMetas) && spriteFrameId in subMetas;
  return hasFrame ? { uuid, spriteFrameUuid: `${uuid}@${spriteFrameId}` } : { uuid };
}
