import type { ImageFacts } from './read-image.ts';
import type { Box } from './trim.ts';

/** Where a sprite lies in its image, and the rectangle that is drawn, as the editor stores it. */
interface SpriteGeometry {
  readonly numbers: Readonly<Record<string, number>>;
  readonly vertices: Record<string, number[]>;
}

/** Lower left, lower right, upper left, upper right. */
const corners = [
  [-1, -1],
  [1, -1],
  [-1, 1],
  [1, 1],
] as const;

/** The numbers of a sprite frame for a box of an image. */
export function spriteGeometry(image: ImageFacts, box: Box): SpriteGeometry {
  const { x, y, width, height } = box;
  const { width: rawWidth, height: rawHeight } = image;
  const halfWidth = width / 2;
  const halfHeight = height / 2;
  const right = x + width;
  // Texture coordinates count from the bottom.
  const low = rawHeight - y - height;
  const high = low + height;
  return {
    numbers: {
      offsetX: x + halfWidth - rawWidth / 2,
      offsetY: rawHeight / 2 - (y + halfHeight),
      trimX: x,
      trimY: y,
      width,
      height,
      rawWidth,
      rawHeight,
    },
    vertices: {
      rawPosition: corners.flatMap(([across, up]) => [across * halfWidth, up * halfHeight, 0]),
      indexes: [0, 1, 2, 2, 1, 3],
      uv: [x, high, right, high, x, low, right, low],
      nuv: corners.flatMap(([across, up]) => [
        (across < 0 ? x : right) / rawWidth,
        (up < 0 ? low : high) / rawHeight,
      ]),
      minPos: [-halfWidth, -halfHeight, 0],
      maxPos: [halfWidth, halfHeight, 0],
    },
  };
}
