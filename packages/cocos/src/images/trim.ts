import { setImmediate } from 'node:timers/promises';
import type { ImageFacts } from './read-image.ts';

/** A rectangle of pixels; y counts from the top. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** So many pixels are looked at before others run. */
const pixelsInTurn = 1 << 22;

/** The smallest box with every pixel whose alpha reaches the threshold: at least one pixel, the whole image where nothing is trimmed. */
export async function trimBox(image: ImageFacts, threshold: number): Promise<Box> {
  const { width, height } = image;
  const alpha = await image.alpha?.();
  if (alpha === undefined) return { x: 0, y: 0, width, height };
  let left = width;
  let top = height;
  let right = -1;
  let bottom = -1;
  const linesInTurn = Math.ceil(pixelsInTurn / width);
  for (let y = 0; y < height; y += 1) {
    if (y % linesInTurn === linesInTurn - 1) await setImmediate();
    for (let x = 0; x < width; x += 1) {
      if ((alpha[y * width + x] ?? 0) < threshold) continue;
      if (x < left) left = x;
      if (x > right) right = x;
      if (top > y) top = y;
      bottom = y;
    }
  }
  return clampBox(
    { x: left, y: top, width: right - left + 1, height: bottom - top + 1 },
    { width, height },
  );
}

/** The box moved and cut so that it is inside an image of that size, with at least one pixel. */
export function clampBox(box: Box, size: Pick<Box, 'width' | 'height'>): Box {
  const width = clamp(box.width, 1, size.width);
  const height = clamp(box.height, 1, size.height);
  const x = clamp(box.x, 0, size.width - width);
  return { x, y: clamp(box.y, 0, size.height - height), width, height };
}

const clamp = (value: number, low: number, high: number) => Math.min(Math.max(value, low), high);
