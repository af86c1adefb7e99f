import { deflateSync } from 'node:zlib';

/** A picture to be encoded. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly colorType: number;
  readonly depth: number;
  readonly interlaced?: boolean | undefined;
  readonly transparency?: readonly number[] | undefined;
  /** Samples of each pixel, line by line. */
  readonly pixels: readonly (readonly number[])[];
  /** The filter of the n-th line. */
  readonly filter?: ((line: number) => number) | undefined;
}

/** One chunk of a PNG. */
export function chunk(type: string, content: Uint8Array): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(content.length);
  head.write(type, 4, 'latin1');
  // Nobody looks at the checksum here.
  return Buffer.concat([head, content, Buffer.alloc(4)]);
}

const passes = [
  { x: 0, y: 0, stepX: 8, stepY: 8 },
  { x: 4, y: 0, stepX: 8, stepY: 8 },
  { x: 0, y: 4, stepX: 4, stepY: 8 },
  { x: 2, y: 0, stepX: 4, stepY: 4 },
  { x: 0, y: 2, stepX: 2, stepY: 4 },
  { x: 1, y: 0, stepX: 2, stepY: 2 },
  { x: 0, y: 1, stepX: 1, stepY: 2 },
];
const onePass = [{ x: 0, y: 0, stepX: 1, stepY: 1 }];

/** The bytes of a line: samples of 1 to 16 bits, the first in the highest bits. */
function packLine(samples: readonly number[], depth: number): number[] {
  let bits = samples.map((sample) => sample.toString(2).padStart(depth, '0')).join('');
  bits = bits.padEnd(Math.ceil(bits.length / 8) * 8, '0');
  return Array.from({ length: bits.length / 8 }, (_, at) =>
    parseInt(bits.slice(at * 8, at * 8 + 8), 2),
  );
}

function paeth(left: number, up: number, corner: number): number {
  const distances = [left, up, corner].map((value) => Math.abs(left + up - corner - value));
  return [left, up, corner][distances.indexOf(Math.min(...distances))] ?? 0;
}

interface Line {
  readonly bytes: number[];
  readonly above: number[];
  readonly step: number;
}

function filterLine(filter: number, { bytes, above, step }: Line): number[] {
  return bytes.map((byte, at) => {
    const left = bytes[at - step] ?? 0;
    const up = above[at] ?? 0;
    const corner = at < step ? 0 : (above[at - step] ?? 0);
    const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter] ?? 0;
    return (byte - guess) & 0xff;
  });
}

/** Writes a PNG, slowly and plainly. */
export function encode(picture: Picture): Buffer {
  const { width, height, depth, colorType, pixels } = picture;
  const samples = pixels[0]?.length ?? 1;
  const step = Math.max(1, (samples * depth) >> 3);
  const bytes: number[] = [];
  let count = 0;
  for (const { x, y, stepX, stepY } of picture.interlaced === true ? passes : onePass) {
    let above: number[] = [];
    for (let row = y; row < height; row += stepY) {
      const line: number[] = [];
      for (let column = x; column < width; column += stepX) {
        line.push(...(pixels[row * width + column] ?? []));
      }
      if (line.length === 0) continue;
      const packed = packLine(line, depth);
      const filter = picture.filter?.(count++) ?? 0;
      bytes.push(filter, ...filterLine(filter, { bytes: packed, above, step }));
      above = packed;
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([depth, colorType, 0, 0, picture.interlaced === true ? 1 : 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    ...(picture.transparency === undefined
      ? []
      : [chunk('tRNS', Buffer.from(picture.transparency))]),
    chunk('IDAT', deflateSync(Buffer.from(bytes))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** A transparent picture with opaque pixels at the places given. */
export function rgba(width: number, height: number, opaque: readonly [number, number][]): Picture {
  const pixels = Array.from({ length: width * height }, () => [9, 9, 9, 0]);
  for (const [x, y] of opaque) pixels[y * width + x] = [255, 0, 0, 255];
  return { width, height, colorType: 6, depth: 8, pixels };
}
