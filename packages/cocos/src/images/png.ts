import { Readable } from 'node:stream';
import { createInflate } from 'node:zlib';
import { CocosError } from '#cocos/document';
import { invalid } from './invalid.ts';
import { readAlpha, scanLines, type PngLayout } from './png-pixels.ts';
import type { ImageFacts } from './read-image.ts';

const signature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

/** Samples per pixel, by colour type; other colour types do not exist. */
const samplesOf: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
const depthsOf: Readonly<Record<number, readonly number[]>> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
};

/** Larger than any texture a device can show. */
const maxSide = 16_384;
const maxDecodedBytes = 256 * 1024 * 1024;
const maxChunks = 65_536;

interface Chunks {
  readonly header: Buffer;
  readonly data: readonly Buffer[];
  readonly transparency: Buffer | undefined;
}

/** Whether the bytes begin as a PNG does. */
export function isPng(bytes: Uint8Array): boolean {
  return signature.every((byte, index) => bytes[index] === byte);
}

/** What a PNG says of itself; its pixels are decoded when they are asked for. */
export function readPng(bytes: Uint8Array): ImageFacts {
  const chunks = readChunks(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  const layout = readLayout(chunks);
  const { width, height, colorType, transparency } = layout;
  const hasAlpha = colorType === 4 || colorType === 6 || transparency !== undefined;
  const size = { format: 'png', width, height, hasAlpha } as const;
  // The editor looks for transparent edges in images of four channels only, which grey with alpha does not have.
  const isTrimmed = hasAlpha && colorType !== 0 && colorType !== 4;
  return isTrimmed ? { ...size, alpha: () => decodeAlpha(layout, chunks.data) } : size;
}

async function decodeAlpha(layout: PngLayout, data: readonly Buffer[]): Promise<Uint8Array> {
  const expected = scanLines(layout).reduce(
    (sum, pass) => sum + pass.height * (pass.stride + 1),
    0,
  );
  if (expected > maxDecodedBytes) {
    throw invalid(`the PNG of ${layout.width} × ${layout.height} is too large to decode`);
  }
  const inflate = createInflate({ chunkSize: 64 * 1024 });
  try {
    return await readAlpha(layout, Readable.from(data).pipe(inflate));
  } catch (cause) {
    if (cause instanceof CocosError) throw cause;
    throw invalid('the pixels of the PNG cannot be decompressed', cause);
  }
}

function readLayout({ header, transparency }: Chunks): PngLayout {
  const width = header.readUInt32BE(0);
  const height = header.readUInt32BE(4);
  const depth = header.readUInt8(8);
  const colorType = header.readUInt8(9);
  const samples = samplesOf[colorType];
  if (width === 0 || height === 0 || Math.max(width, height) > maxSide) {
    throw invalid(`a PNG of ${width} × ${height} pixels is not possible here`);
  }
  if (samples === undefined || depthsOf[colorType]?.includes(depth) !== true) {
    throw invalid(`the PNG has colour type ${colorType} with ${depth} bits, which does not exist`);
  }
  const interlace = header.readUInt8(12);
  if (header.readUInt8(10) !== 0 || header.readUInt8(11) !== 0 || interlace > 1) {
    throw invalid('the PNG uses an unknown compression, filter or interlace method');
  }
  return { width, height, depth, colorType, samples, interlaced: interlace === 1, transparency };
}

function readChunks(bytes: Buffer): Chunks {
  let header: Buffer | undefined;
  let transparency: Buffer | undefined;
  const data: Buffer[] = [];
  let count = 0;
  for (let at = signature.length; at + 12 <= bytes.length;) {
    count += 1;
    if (count > maxChunks) throw invalid(`the PNG has more than ${maxChunks} chunks`);
    const length = bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + 8);
    const end = at + 8 + length;
    if (end + 4 > bytes.length) throw invalid(`the PNG is cut off in its ${type} chunk`);
    const content = bytes.subarray(at + 8, end);
    if (type === 'IHDR' && length >= 13) header ??= content;
    else if (type === 'tRNS') transparency ??= content;
    else if (type === 'IDAT') data.push(content);
    else if (type === 'IEND') break;
    at = end + 4;
  }
  if (header === undefined) throw invalid('the PNG has no header');
  return { header, data, transparency };
}
