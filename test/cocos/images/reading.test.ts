import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { deflateSync, inflateSync } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CocosError, type JsonObject } from '@mcp-kit/cocos/document';
import { newImageMeta, readImage, trimBox, updateImageMeta } from '@mcp-kit/cocos/images';
import { cpuMs, cpuMsOf } from '../../support/cpu-time.ts';
import { chunk, encode, type Picture, rgba } from '../../support/png.ts';

async function outcomeOf(read: () => Promise<unknown>): Promise<string> {
  try {
    await read();
    return 'read';
  } catch (error) {
    return error instanceof CocosError ? error.code : String(error);
  }
}

const layouts = [
  { colorType: 0, depths: [1, 2, 4, 8, 16], samples: 1 },
  { colorType: 2, depths: [8, 16], samples: 3 },
  { colorType: 3, depths: [1, 2, 4, 8], samples: 1 },
  { colorType: 4, depths: [8, 16], samples: 2 },
  { colorType: 6, depths: [8, 16], samples: 4 },
].flatMap(({ depths, ...layout }) => depths.map((depth) => ({ ...layout, depth })));

const pictures = fc
  .record({
    layout: fc.constantFrom(...layouts),
    width: fc.integer({ min: 1, max: 19 }),
    height: fc.integer({ min: 1, max: 19 }),
    interlaced: fc.boolean(),
    keyed: fc.boolean(),
    filters: fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 7 }),
    seed: fc.integer({ min: 1, max: 1 << 30 }),
  })
  .map(({ layout, width, height, interlaced, keyed, filters, seed }): Picture => {
    let state = seed;
    const random = (below: number) => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
      return (state >> 8) % below;
    };
    const { colorType, depth, samples } = layout;
    // Few values, so that the transparent colour is met.
    const sample = () => random(2) * ((1 << depth) - 1 - random(2));
    const pixels = Array.from({ length: width * height }, () =>
      Array.from({ length: samples }, () => Math.max(0, sample())),
    );
    const key = (pixels[0] ?? []).flatMap((value) => [value >> 8, value & 255]);
    const palette = Array.from(
      { length: 1 + random(1 << Math.min(depth, 8)) },
      () => random(3) * 100,
    );
    const transparency = colorType === 3 ? palette : key;
    const isKeyed = keyed && colorType !== 4 && colorType !== 6;
    return {
      width,
      height,
      colorType,
      depth,
      interlaced,
      pixels,
      filter: (line) => filters[line % filters.length] ?? 0,
      transparency: isKeyed ? transparency : undefined,
    };
  });

function expectedAlpha({ colorType, depth, pixels, transparency }: Picture): number[] {
  return pixels.map((samples) => {
    if (colorType === 6) return depth === 16 ? (samples[3] ?? 0) >> 8 : (samples[3] ?? 0);
    if (colorType === 3) return transparency?.[samples[0] ?? 0] ?? 255;
    const isKey = samples.every(
      (value, at) =>
        value === (transparency?.[at * 2] ?? 0) * 256 + (transparency?.[at * 2 + 1] ?? 0),
    );
    return isKey ? 0 : 255;
  });
}

const corpus = path.resolve(import.meta.dirname, '../../../../shared/cocos-corpus');

describe('Reading an image', () => {
  test('every kind of PNG gives its size, whether it has alpha, and the alpha of each pixel', async () => {
    await fc.assert(
      fc.asyncProperty(pictures, async (picture) => {
        const image = readImage(encode(picture));
        const { colorType, transparency } = picture;
        expect([image.width, image.height]).toEqual([picture.width, picture.height]);
        expect(image.hasAlpha).toBe(
          colorType === 4 || colorType === 6 || transparency !== undefined,
        );
        const isTrimmed = image.hasAlpha && colorType !== 0 && colorType !== 4;
        const alpha = image.alpha && [...(await image.alpha())];
        expect(alpha).toEqual(isTrimmed ? expectedAlpha(picture) : undefined);
      }),
      { numRuns: Math.min(2000, Math.round(Number(process.env['PROPERTY_RUNS']) / 4)) },
    );
  });

  test('of a PNG that expands to more than its size says, no more is expanded', async () => {
    const honest = encode(rgba(2, 2, []));
    const bomb = deflateSync(Buffer.alloc(64 * 1024 * 1024));
    const at = honest.indexOf('IDAT') - 4;
    const bytes = Buffer.concat([honest.subarray(0, at), chunk('IDAT', bomb)]);
    const decodingMs = await cpuMsOf(() =>
      expect(readImage(bytes).alpha?.()).resolves.toHaveLength(4),
    );
    expect(decodingMs).toBeLessThan(cpuMs(() => inflateSync(bomb)));
  });

  test('others run while a large PNG is decoded and trimmed', async () => {
    const [width, height] = [2048, 2048];
    const honest = encode(rgba(2, 2, []));
    honest.writeUInt32BE(width, 16);
    honest.writeUInt32BE(height, 20);
    const lines = Buffer.alloc((1 + 4 * width) * height);
    // The filter that costs most.
    for (let row = 0; row < height; row += 1) lines[row * (1 + 4 * width)] = 4;
    const at = honest.indexOf('IDAT') - 4;
    const bytes = Buffer.concat([honest.subarray(0, at), chunk('IDAT', deflateSync(lines))]);
    let turns = 0;
    const turning = setInterval(() => (turns += 1), 0);
    await expect(trimBox(readImage(bytes), 1)).resolves.toMatchObject({ width: 1, height: 1 });
    clearInterval(turning);
    // 64 KiB are decoded in a turn, and 16 MiB are there.
    expect(turns).toBeGreaterThan(50);
  });

  test('more chunks than any PNG has are refused', () => {
    const honest = encode(rgba(2, 2, []));
    const at = honest.indexOf('IDAT') - 4;
    const empty = Array.from({ length: 70_000 }, () => chunk('tEXt', Buffer.alloc(0)));
    expect(() => readImage(Buffer.concat([honest.subarray(0, at), ...empty]))).toThrow('chunks');
  });

  test('a size that no memory holds is refused before anything is decoded', async () => {
    const bytes = encode(rgba(2, 2, []));
    bytes.writeUInt32BE(0x7fff_ffff, 16);
    expect(() => readImage(bytes)).toThrow('not possible');
    bytes.writeUInt32BE(16_384, 16);
    bytes.writeUInt32BE(16_384, 20);
    await expect(readImage(bytes).alpha?.()).rejects.toThrow('too large to decode');
  });

  test('a file cut off anywhere is refused with a reason, or read as what it still says', async () => {
    const bytes = encode(rgba(5, 4, [[1, 1]]));
    for (let length = 0; length < bytes.length - 12; length += 1) {
      const read = async () => readImage(bytes.subarray(0, length)).alpha?.();
      await expect(read(), `${length} bytes`).rejects.toThrow(
        expect.objectContaining({ code: 'E_INVALID_ARGUMENT' }),
      );
    }
  });

  test('damaged bytes never end in anything but an answer or a refusal', async () => {
    const bytes = encode({ ...rgba(6, 6, [[2, 3]]), interlaced: true });
    const damage = fc.record({ at: fc.nat(bytes.length - 1), value: fc.nat(255) });
    await fc.assert(
      fc.asyncProperty(fc.array(damage, { maxLength: 6 }), async (spots) => {
        const broken = Buffer.from(bytes);
        for (const { at, value } of spots) broken[at] = value;
        expect(await outcomeOf(async () => trimBox(readImage(broken), 1))).toMatch(
          /^(read|E_INVALID_ARGUMENT)$/,
        );
      }),
      { numRuns: Math.min(2000, Math.round(Number(process.env['PROPERTY_RUNS']) / 4)) },
    );
  });

  test('the size of a JPEG is found behind other segments and fill bytes, also when it is progressive', () => {
    const app = [0xff, 0xe0, 0x00, 0x04, 0xff, 0xc0];
    const frame = (marker: number) => [
      0xff,
      marker,
      0x00,
      0x0b,
      0x08,
      0x01,
      0x02,
      0x03,
      0x04,
      0x01,
      0,
      0,
      0,
    ];
    for (const marker of [0xc0, 0xc2]) {
      const image = readImage(Uint8Array.from([0xff, 0xd8, ...app, 0xff, ...frame(marker)]));
      expect(image).toEqual({ format: 'jpeg', width: 0x304, height: 0x102, hasAlpha: false });
    }
    const tables = Uint8Array.from([0xff, 0xd8, 0xff, 0xc4, 0x00, 0x02, 0xff, 0xd9]);
    expect(() => readImage(tables)).toThrow('before it says its size');
  });

  test('other files are refused', () => {
    expect(() => readImage(Buffer.from('GIF89a'))).toThrow('neither a PNG nor a JPEG');
  });
});

describe.skipIf(!existsSync(corpus))('Real images (needs ../shared/cocos-corpus)', () => {
  const images = existsSync(corpus)
    ? readdirSync(corpus, { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.png') && existsSync(path.join(corpus, `${file}.meta`)))
        .map((file) => path.join(corpus, file))
    : [];
  const metaText = (file: string) => readFileSync(`${file}.meta`, 'utf8');

  test('the metas that the editor wrote for new images are made again, byte for byte', async () => {
    const project = images.filter((file) => file.includes('customsnake'));
    expect(project).toHaveLength(17);
    for (const file of project) {
      const { uuid } = JSON.parse(metaText(file)) as { uuid: string };
      const image = readImage(readFileSync(file));
      const name = path.basename(file, '.png');
      const meta = await newImageMeta({
        uuid,
        name,
        extension: '.png',
        image,
        type: 'sprite-frame',
      });
      expect([file, `${JSON.stringify(meta, null, 2)}\n`]).toEqual([file, metaText(file)]);
    }
  });

  test('importing every image again changes no byte of its meta', async () => {
    expect(images.length).toBeGreaterThanOrEqual(75);
    for (const file of images) {
      const meta = JSON.parse(metaText(file)) as JsonObject;
      const again = await updateImageMeta(meta, readImage(readFileSync(file)));
      expect([file, JSON.stringify(again)]).toEqual([file, JSON.stringify(meta)]);
    }
  });
});
