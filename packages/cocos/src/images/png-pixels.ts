import { invalid } from './invalid.ts';

/** How the pixels of a PNG are stored. */
export interface PngLayout {
  readonly width: number;
  readonly height: number;
  /** Bits per sample. */
  readonly depth: number;
  readonly colorType: number;
  /** Samples per pixel. */
  readonly samples: number;
  readonly interlaced: boolean;
  readonly transparency: Buffer | undefined;
}

/** The pixels that one pass holds: every `stepX`-th of every `stepY`-th line, from `x`, `y`. */
interface Pass {
  readonly x: number;
  readonly y: number;
  readonly stepX: number;
  readonly stepY: number;
  readonly width: number;
  readonly height: number;
  /** Bytes per line, without the byte of its filter. */
  readonly stride: number;
}

const adam7 = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

/** The passes of an image in the order of the file: one, or seven when interlaced, without those that are empty. */
export function scanLines(layout: PngLayout): Pass[] {
  const starts = layout.interlaced ? adam7 : ([[0, 0, 1, 1]] as const);
  const bits = layout.samples * layout.depth;
  return starts
    .map(([x, y, stepX, stepY]) => {
      const width = Math.max(0, Math.ceil((layout.width - x) / stepX));
      const height = Math.max(0, Math.ceil((layout.height - y) / stepY));
      return { x, y, stepX, stepY, width, height, stride: Math.ceil((width * bits) / 8) };
    })
    .filter(({ width, height }) => width > 0 && height > 0);
}

/** The alpha of each pixel, line by line, 0 to 255; others run while the bytes of lines come. */
export async function readAlpha(
  layout: PngLayout,
  inflated: AsyncIterable<Buffer>,
): Promise<Uint8Array> {
  const alpha = new Uint8Array(layout.width * layout.height);
  const alphaAt = alphaReader(layout);
  const pixelBytes = Math.max(1, (layout.samples * layout.depth) >> 3);
  const lines = takeLines(inflated, scanLines(layout));
  for await (const { pass, row, filter, line, above } of lines) {
    unfilter(filter, { line, above, pixelBytes });
    const start = (pass.y + row * pass.stepY) * layout.width + pass.x;
    for (let column = 0; column < pass.width; column += 1) {
      alpha[start + column * pass.stepX] = alphaAt(line, column);
    }
  }
  return alpha;
}

interface Line {
  readonly pass: Pass;
  readonly row: number;
  readonly filter: number;
  readonly line: Buffer;
  /** The line before it in its pass. */
  readonly above: Buffer | undefined;
}

/** The lines of all passes, each as soon as its bytes are there. */
async function* takeLines(
  inflated: AsyncIterable<Buffer>,
  passes: readonly Pass[],
): AsyncGenerator<Line> {
  const chunks = inflated[Symbol.asyncIterator]();
  try {
    let chunk: Buffer = Buffer.alloc(0);
    let at = 0;
    for (const pass of passes) {
      let above: Buffer | undefined;
      for (let row = 0; row < pass.height; row += 1) {
        const bytes = Buffer.alloc(1 + pass.stride);
        for (let filled = 0; filled < bytes.length;) {
          if (at === chunk.length) {
            const next = await chunks.next();
            if (next.done === true) throw invalid('the PNG ends before its last pixel');
            chunk = next.value;
            at = 0;
          }
          const taken = chunk.copy(bytes, filled, at);
          filled += taken;
          at += taken;
        }
        const line = bytes.subarray(1);
        yield { pass, row, filter: bytes[0] ?? 0, line, above };
        above = line;
      }
    }
  } finally {
    await chunks.return?.();
  }
}

interface Filtered {
  readonly line: Buffer;
  readonly above: Buffer | undefined;
  readonly pixelBytes: number;
}

/** Undoes the filter of a line in place. */
function unfilter(filter: number, { line, above, pixelBytes }: Filtered): void {
  if (filter === 0) return;
  if (filter > 4) throw invalid(`the PNG has a line with filter ${filter}, which does not exist`);
  for (let index = 0; index < line.length; index += 1) {
    const left = index < pixelBytes ? 0 : (line[index - pixelBytes] ?? 0);
    const up = above?.[index] ?? 0;
    let predicted: number;
    if (filter === 1) predicted = left;
    else if (filter === 2) predicted = up;
    else if (filter === 3) predicted = (left + up) >> 1;
    else predicted = paeth(left, up, index < pixelBytes ? 0 : (above?.[index - pixelBytes] ?? 0));
    line[index] = ((line[index] ?? 0) + predicted) & 0xff;
  }
}

function paeth(left: number, up: number, corner: number): number {
  const estimate = left + up - corner;
  const byLeft = Math.abs(estimate - left);
  const byUp = Math.abs(estimate - up);
  const byCorner = Math.abs(estimate - corner);
  if (byLeft <= byUp && byLeft <= byCorner) return left;
  return byUp <= byCorner ? up : corner;
}

/** How the alpha of a pixel is found in its line. Of 16 bits the upper 8 count, as where the editor decodes. */
function alphaReader(layout: PngLayout): (line: Buffer, column: number) => number {
  const { colorType, depth, transparency } = layout;
  const bytes = depth >> 3;
  if (colorType === 6) return (line, column) => line[column * 4 * bytes + 3 * bytes] ?? 0;
  if (transparency === undefined) return () => 255;
  if (colorType === 3) {
    return (line, column) => transparency[paletteIndex(line, column, depth)] ?? 255;
  }
  if (transparency.length < 6) throw invalid('the PNG names no whole colour as transparent');
  // The colour is written with 16 bits per sample, also where pixels have 8.
  const color = [0, 2, 4].map((at) => transparency.readUInt16BE(at));
  return (line, column) => {
    const at = column * 3 * bytes;
    const matches = color.every((value, sample) => {
      const place = at + sample * bytes;
      return value === (bytes === 2 ? line.readUInt16BE(place) : line[place]);
    });
    return matches ? 0 : 255;
  };
}

function paletteIndex(line: Buffer, column: number, depth: number): number {
  const bit = column * depth;
  return ((line[bit >> 3] ?? 0) >> (8 - depth - (bit & 7))) & ((1 << depth) - 1);
}
