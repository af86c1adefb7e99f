import { describe, expect, test } from 'vitest';
import { type JsonObject } from '@mcp-kit/cocos/document';
import { newImageMeta, readImage, updateImageMeta } from '@mcp-kit/cocos/images';
import { encode, type Picture, rgba } from '../../support/png.ts';

describe('The meta of an image', () => {
  const uuid = '11111111-2222-4333-8444-555555555555';
  const fresh = (picture: Picture): Promise<JsonObject> =>
    newImageMeta({
      uuid,
      name: 'a',
      extension: '.png',
      image: readImage(encode(picture)),
      type: 'sprite-frame',
    });
  const frameOf = (meta: JsonObject) =>
    (meta['subMetas'] as Record<string, { userData: JsonObject }>)['f9941']?.userData ?? {};

  test('transparent edges are trimmed and the offset points to the middle of what is left', async () => {
    const frame = frameOf(
      await fresh(
        rgba(10, 8, [
          [2, 1],
          [4, 3],
        ]),
      ),
    );
    expect(frame).toMatchObject({
      trimX: 2,
      trimY: 1,
      width: 3,
      height: 3,
      offsetX: -1.5,
      offsetY: 1.5,
    });
  });

  test('an image without any opaque pixel keeps one pixel', async () => {
    expect(frameOf(await fresh(rgba(4, 3, [])))).toMatchObject({
      trimX: 3,
      trimY: 2,
      width: 1,
      height: 1,
    });
  });

  test('a texture has no sprite frame and repeats', async () => {
    const image = readImage(encode(rgba(2, 2, [[0, 0]])));
    const meta = await newImageMeta({ uuid, name: 'a', extension: '.png', image });
    expect(Object.keys(meta['subMetas'] as object)).toEqual(['6c48a']);
    expect(meta['userData']).toMatchObject({ type: 'texture', hasAlpha: true });
  });

  test('a new image keeps keys, order, borders and what the user chose, and replaces the numbers', async () => {
    const meta = await fresh(rgba(10, 8, [[2, 1]]));
    Object.assign(frameOf(meta), { borderTop: 3, packable: false, own: 1 });
    const updated = await updateImageMeta(
      meta,
      readImage(
        encode(
          rgba(6, 6, [
            [1, 1],
            [3, 4],
          ]),
        ),
      ),
    );
    expect(Object.keys(frameOf(updated))).toEqual(Object.keys(frameOf(meta)));
    expect(frameOf(updated)).toMatchObject({
      borderTop: 3,
      packable: false,
      own: 1,
      width: 3,
      rawHeight: 6,
    });
    expect(frameOf(meta)).toMatchObject({ width: 1, rawHeight: 8 });
  });

  test('a box chosen by hand stays, cut to the new image, and no trimming stays none', async () => {
    const meta = await fresh(rgba(10, 8, [[2, 1]]));
    const small = readImage(encode(rgba(4, 4, [[1, 1]])));
    Object.assign(frameOf(meta), { trimType: 'custom', trimX: 3, trimY: 0, width: 5, height: 2 });
    expect(frameOf(await updateImageMeta(meta, small))).toMatchObject({
      trimX: 0,
      trimY: 0,
      width: 4,
      height: 2,
    });
    Object.assign(frameOf(meta), { trimType: 'none' });
    expect(frameOf(await updateImageMeta(meta, small))).toMatchObject({
      trimX: 0,
      width: 4,
      height: 4,
    });
  });
});
