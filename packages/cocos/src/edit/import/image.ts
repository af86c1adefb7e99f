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
  type Box,
  type ImageFacts,
  type ImageType,
  type NewImage,
  newImageMeta,
  readImage,
  spriteFrameId,
  trimBox,
  trimmedImageMeta,
  updateImageMeta,
} from '#cocos/images';
import type { Project } from '#cocos/project';
import { baseName, checkNames, ensureFolders, isAssetPath } from '../asset-files.ts';
import type { Workspace } from '../workspace.ts';
import { metaVersion } from './importers.ts';

/** An image to import. */
export interface ImageImport {
  readonly bytes: Uint8Array;
  readonly path: string;
  /** Where absent, what the project imports images as, or what the image is already. */
  readonly type?: ImageType | undefined;
  /** What to do where another image is at the path: keep its identity with the new pixels, or fail. */
  readonly onConflict?: 'update' | 'fail' | undefined;
}

/** Where an image comes from, and where it goes: what is among the assets stays there, unless another place is named. */
export function imageSource(
  { draft, project }: Workspace,
  args: { readonly sourcePath?: string | undefined; readonly assetPath?: string | undefined },
  read: (source: string) => Uint8Array,
): Pick<ImageImport, 'bytes' | 'path'> {
  const { sourcePath = args.assetPath } = args;
  if (sourcePath === undefined) {
    throw new CocosError('E_INVALID_ARGUMENT', 'No image is named.', {
      suggestion: 'Give sourcePath, or assetPath where it is in the project already.',
    });
  }
  const inside = assetPathOf(project, sourcePath);
  const file = sourcePath.split(/[/\\]/).at(-1) ?? '';
  const path = args.assetPath ?? inside ?? `assets/images/${file}`;
  const bytes = inside === undefined ? undefined : draft.read(inside);
  return { path, bytes: bytes ?? read(inside ?? sourcePath) };
}

/** The path of an asset; undefined for what is elsewhere. */
function assetPathOf(project: Project, reference: string): string | undefined {
  try {
    const path = project.resolve(reference);
    return isAssetPath(project, path) ? path : undefined;
  } catch (error) {
    // It is outside of the project.
    if (error instanceof CocosError) return undefined;
    throw error;
  }
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
  if (old !== undefined && !isSame && options.onConflict === 'fail') throw taken(path);
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
  const isHere = isSame && before === undefined;
  changes.push(isHere ? { type: 'create', target: `${path}.meta` } : written(path, old));
  return { path, ...identify(meta), reused: false, changes };
}

const written = (path: string, old: Uint8Array | undefined): Change => ({
  type: old === undefined ? 'create' : 'update',
  target: path,
});

function taken(path: string): CocosError {
  return new CocosError('E_CONFLICT', `Another image is at "${path}".`, {
    suggestion: 'Choose another path, or pass onConflict: "update".',
  });
}

function checkImage(workspace: Workspace, { bytes, path: wanted, type }: ImageImport): FreshImage {
  const { draft } = workspace;
  const path = draft.resolve(wanted);
  if (!draft.exists(path)) checkNames(workspace, path);
  return { path, image: readNamed(bytes, path), type };
}

interface FreshImage extends Pick<ImageImport, 'path' | 'type'> {
  readonly image: ImageFacts;
}

/** An image whose file is called as images of its format are. */
function readNamed(bytes: Uint8Array, path: string): ImageFacts {
  const image = readImage(bytes);
  const ending = image.format === 'png' ? /\.png$/i : /\.jpe?g$/i;
  if (ending.test(path)) return image;
  throw new CocosError('E_INVALID_ARGUMENT', `"${path}" does not name a ${image.format} image.`, {
    suggestion: `End the path in ${image.format === 'png' ? '.png' : '.jpg'}.`,
  });
}

/** An image, and what is left of it without its transparent edges. */
export interface Pixels {
  readonly image: ImageFacts;
  readonly box: Box;
}

/** Reads an image that is at a path; why it cannot be imported, where it is none. */
export async function readPixels(bytes: Uint8Array, path: string): Promise<Pixels | CocosError> {
  try {
    const image = readNamed(bytes, path);
    return { image, box: await trimBox(image, 1) };
  } catch (error) {
    if (error instanceof CocosError) return error;
    throw error;
  }
}

/** The meta that the editor gives an image that it has never seen. */
export function pixelsMeta(
  workspace: Workspace,
  { image, box }: Pixels,
  { path, type }: Pick<ImageImport, 'path' | 'type'>,
): Meta {
  return createMeta(trimmedImageMeta(newImage(workspace, { path, image, type }, newUuid()), box));
}

async function freshMeta(workspace: Workspace, fresh: FreshImage, uuid: string): Promise<Meta> {
  return createMeta(await newImageMeta(newImage(workspace, fresh, uuid)));
}

function newImage(workspace: Workspace, fresh: FreshImage, uuid: string): NewImage {
  const { path, image, type = workspace.project.info.imageType } = fresh;
  const versions = {
    image: metaVersion(workspace, 'image'),
    texture: metaVersion(workspace, 'texture'),
    spriteFrame: metaVersion(workspace, 'sprite-frame'),
  };
  const extension = /\.[^.]*$/.exec(path)?.[0] ?? '';
  return { uuid, name: baseName(path), extension, image, type, versions };
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
