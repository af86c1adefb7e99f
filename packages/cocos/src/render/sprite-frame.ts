import { findBuiltInAsset } from '#cocos/components';
import { assetOf, type Json, textOf } from '#cocos/document';
import { define, type Drawing } from './drawing.ts';
import { type Box, numberIn, type Size } from './geometry.ts';
import { element } from './svg.ts';

/** An image, or a part of one, that sprites show. */
export interface Frame {
  /** The name under which the whole image is defined. */
  readonly image: string;
  /** The part without transparent edges. */
  readonly trimmed: Box;
  readonly whole: Size;
  readonly borders: {
    readonly left: number;
    readonly right: number;
    readonly top: number;
    readonly bottom: number;
  };
}

/** What a sprite shows: a frame, something that the engine brings, or a word on why it cannot be shown. */
export type Shown =
  | { readonly kind: 'none' }
  | { readonly kind: 'frame'; readonly frame: Frame }
  | { readonly kind: 'builtIn'; readonly name: string }
  | { readonly kind: 'missing'; readonly reason: string };

const mimeTypes: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
};

/** More than this makes a picture that nothing can open. */
const maxImageBytes = 24 * 1024 * 1024;

/** What a reference to a sprite frame shows. */
export function frameOf(drawing: Drawing, value: Json | undefined): Shown {
  const uuid = assetOf(value);
  if (uuid === '') return { kind: 'none' };
  const builtIn = findBuiltInAsset(uuid);
  if (builtIn !== undefined) {
    const name = /\/default_ui\/default_(\w+)\.png/.exec(builtIn.url)?.[1];
    return name === undefined
      ? { kind: 'missing', reason: builtIn.url }
      : { kind: 'builtIn', name };
  }
  const { draft } = drawing.workspace;
  const asset = draft.asset(uuid);
  const part = asset?.subAssets.find((other) => other.uuid === uuid);
  if (asset === undefined || part === undefined) return { kind: 'missing', reason: uuid };
  const data = part.userData;
  const source = draft.asset(textOf(data['imageUuidOrDatabaseUri'])) ?? asset;
  if (data['rotated'] === true) return { kind: 'missing', reason: `${asset.path} (rotated)` };
  const whole = { width: numberIn(data, 'rawWidth'), height: numberIn(data, 'rawHeight') };
  const image = imageOf(drawing, source.path, whole);
  if (image === undefined) return { kind: 'missing', reason: source.path };
  return {
    kind: 'frame',
    frame: {
      image,
      whole,
      trimmed: {
        x: numberIn(data, 'trimX'),
        y: numberIn(data, 'trimY'),
        width: numberIn(data, 'width', whole.width),
        height: numberIn(data, 'height', whole.height),
      },
      borders: {
        left: numberIn(data, 'borderLeft'),
        right: numberIn(data, 'borderRight'),
        top: numberIn(data, 'borderTop'),
        bottom: numberIn(data, 'borderBottom'),
      },
    },
  };
}

/** The name of an image of the project, in the size that its meta says. */
function imageOf(drawing: Drawing, path: string, size: Size): string | undefined {
  const mime = mimeTypes[path.slice(path.lastIndexOf('.') + 1).toLowerCase()];
  const { draft } = drawing.workspace;
  if (mime === undefined || !drawing.embedsImages || !draft.exists(path)) return undefined;
  const key = `image ${path}`;
  const known = drawing.definitions.get(key);
  if (known !== undefined) return known.id;
  const bytes = draft.read(path);
  if (bytes === undefined || drawing.imageBytes + bytes.length > maxImageBytes) return undefined;
  drawing.imageBytes += bytes.length;
  const href = `data:${mime};base64,${Buffer.from(bytes).toString('base64')}`;
  return define(drawing, key, (id) =>
    element('image', { id, ...size, preserveAspectRatio: 'none', 'xlink:href': href }),
  );
}
