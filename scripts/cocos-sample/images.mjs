// The images of the sample project, drawn from formulas so that nobody has to keep their sources.
import { crc32, deflateSync } from 'node:zlib';

/** A PNG of a colour for each pixel: `paint(x, y)` answers `[r, g, b, a]` with parts from 0 to 255. */
function png(width, height, paint) {
  const rows = Buffer.alloc(height * (1 + width * 4));
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1)
      Buffer.from(paint(x, y).map(Math.round)).copy(rows, y * (1 + width * 4) + 1 + x * 4);
  const size = Buffer.alloc(13);
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  size.set([8, 6], 8);
  const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
  const data = deflateSync(rows, { level: 9 });
  return Buffer.concat([signature, chunk('IHDR', size), chunk('IDAT', data), chunk('IEND')]);
}

function chunk(type, data = Buffer.alloc(0)) {
  const body = Buffer.concat([Buffer.from(type), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

const mix = (one, other, share) => one.map((part, at) => part + (other[at] - part) * share);
const clamp = (value) => Math.min(1, Math.max(0, value));

/** How far a point is outside of a box with round corners; negative inside. */
function outside([x, y], [width, height], radius) {
  const dx = Math.abs(x - width / 2) - (width / 2 - radius);
  const dy = Math.abs(y - height / 2) - (height / 2 - radius);
  return Math.hypot(Math.max(dx, 0), Math.max(dy, 0)) + Math.min(Math.max(dx, dy), 0) - radius;
}

/** A box with round corners, an edge and a colour that changes downwards. */
const box = ({ size, radius, top, bottom, edge }) =>
  png(size, size, (x, y) => {
    const distance = outside([x + 0.5, y + 0.5], [size, size], radius);
    const body = mix(top, bottom, y / size);
    const color = distance > -2 ? edge : body;
    return [...color, 255 * clamp(0.5 - distance)];
  });

const sky = png(240, 160, (x, y) => {
  const glow = clamp(1 - Math.hypot(x - 120, (y - 170) * 1.3) / 150);
  const night = mix([24, 22, 66], [78, 52, 128], y / 160);
  return [...mix(night, [236, 128, 140], glow * 0.8), 255];
});

const star = png(64, 64, (x, y) => {
  const [dx, dy] = [x + 0.5 - 32, y + 0.5 - 34];
  const turn = ((Math.atan2(dx, -dy) / (2 * Math.PI)) * 5 + 10) % 1;
  const edge = 13 + 16 * Math.abs(turn - 0.5) * 2;
  const inside = clamp(edge - Math.hypot(dx, dy) + 0.5);
  return [...mix([255, 244, 170], [255, 190, 60], clamp((dy + 24) / 48)), 255 * inside];
});

const portrait = png(64, 64, (x, y) => {
  const [dx, dy] = [x + 0.5 - 32, y + 0.5];
  const isEye = Math.hypot(Math.abs(dx) - 8, dy - 26) < 3;
  const isMouth = Math.abs(Math.hypot(dx, dy - 28) - 11) < 1.5 && dy > 33;
  const isFace = Math.hypot(dx, dy - 28) < 19;
  const isBody = Math.hypot(dx * 0.8, dy - 66) < 22;
  if (isEye || isMouth) return [70, 46, 60, 255];
  if (isFace) return [255, 214, 178, 255];
  return isBody ? [222, 86, 110, 255] : [122, 190, 224, 255];
});

const isHeart = (x, y) => {
  const [dx, dy] = [(x - 16) / 12.5, (17 - y) / 12.5];
  return (dx * dx + dy * dy - 1) ** 3 < dx * dx * dy ** 3;
};

const quarters = [0.125, 0.375, 0.625, 0.875];

const heart = png(32, 32, (x, y) => {
  const points = quarters.flatMap((right) => quarters.map((down) => [x + right, y + down]));
  const share = points.filter((point) => isHeart(...point)).length / points.length;
  return [...mix([240, 92, 112], [204, 40, 78], y / 32), 255 * share];
});

/** Drawn, and not imported yet: a comet, and a star that shines in another way. */
const comet = png(96, 48, (x, y) => {
  const [dx, dy] = [x + 0.5 - 74, y + 0.5 - 24];
  const head = clamp(17 - Math.hypot(dx, dy));
  const tail = clamp(1 + dx / 74) * clamp((15 * (1 + dx / 90) - Math.abs(dy)) / 6);
  const color = mix([255, 150, 90], [255, 240, 210], clamp(1 - Math.hypot(dx, dy) / 22));
  return [...color, 255 * Math.max(head, dx < 0 ? tail * 0.8 : 0)];
});

const newStar = png(64, 64, (x, y) => {
  const [dx, dy] = [Math.abs(x + 0.5 - 32), Math.abs(y + 0.5 - 32)];
  const inside = clamp((5.2 - Math.sqrt(dx) - Math.sqrt(dy)) * 4);
  return [...mix([255, 255, 255], [150, 205, 255], clamp((dx + dy) / 28)), 255 * inside];
});

/** Files beside the assets, as artists hand them in: what a game can import. */
export const sampleArt = { 'comet.png': comet, 'star.png': newStar };

/** The images by file name, and how wide the borders of those are that are stretched in the middle. */
export const sampleImages = {
  'sky.png': { bytes: sky },
  'star.png': { bytes: star },
  'portrait.png': { bytes: portrait },
  'heart.png': { bytes: heart },
  'button.png': {
    bytes: box({
      size: 48,
      radius: 14,
      top: [255, 208, 92],
      bottom: [240, 150, 58],
      edge: [150, 84, 40],
    }),
    border: 16,
  },
  'panel.png': {
    bytes: box({
      size: 48,
      radius: 12,
      top: [255, 250, 236],
      bottom: [244, 230, 208],
      edge: [120, 96, 128],
    }),
    border: 14,
  },
};
