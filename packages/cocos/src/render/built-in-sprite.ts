import type { Color } from './drawing.ts';
import type { Box } from './geometry.ts';
import { decimal, element } from './svg.ts';

interface Look {
  readonly gray: number | readonly [number, number, number];
  readonly radius?: number | undefined;
  readonly shape?: 'ellipse' | 'check' | 'picture' | undefined;
}

const field: Look = { gray: 125, radius: 3 };
const bar: Look = { gray: 236, radius: 4 };
const track: Look = { gray: 130, radius: 4 };

/** What the sprites that the engine brings look like from afar. */
const looks: Readonly<Record<string, Look>> = {
  btn_disabled: field,
  btn_normal: { gray: 218, radius: 3 },
  btn_pressed: { gray: 80, radius: 3 },
  editbox_bg: field,
  panel: { gray: 242, radius: 7 },
  progressbar: bar,
  progressbar_bg: { gray: 116, radius: 3 },
  radio_button_off: { gray: 237, shape: 'ellipse' },
  radio_button_on: { gray: [26, 156, 247], shape: 'ellipse' },
  scrollbar: { gray: 217, radius: 3 },
  scrollbar_bg: track,
  scrollbar_vertical: { gray: 217, radius: 3 },
  scrollbar_vertical_bg: track,
  sprite: { gray: 242, radius: 4, shape: 'picture' },
  sprite_splash: { gray: 255 },
  toggle_checkmark: { gray: [20, 235, 40], shape: 'check' },
  toggle_disabled: { gray: 98, radius: 3 },
  toggle_normal: { gray: 122, radius: 3 },
  toggle_pressed: { gray: 150, radius: 3 },
};

/** A sprite that the engine brings, in a colour. */
export function drawBuiltIn(name: string, box: Box, color: Color): string {
  const { gray, radius = 0, shape }: Look = looks[name] ?? { gray: 255 };
  const [r, g, b] = typeof gray === 'number' ? [gray, gray, gray] : gray;
  const fill = rgb({ r: (r * color.r) / 255, g: (g * color.g) / 255, b: (b * color.b) / 255 });
  const { x, y, width, height } = box;
  if (shape === 'ellipse') {
    return element('ellipse', {
      cx: x + width / 2,
      cy: y + height / 2,
      rx: width * 0.4,
      ry: height * 0.4,
      fill,
    });
  }
  const at = (px: number, py: number): string =>
    `${decimal(x + px * width)} ${decimal(y + py * height)}`;
  if (shape === 'check') {
    const d = `M${at(0.2, 0.45)}L${at(0.42, 0.68)}L${at(0.85, 0.2)}`;
    const stroke = Math.min(width, height) * 0.15;
    return element('path', { d, fill: 'none', stroke: fill, 'stroke-width': stroke });
  }
  const ground = element('rect', { ...box, rx: radius === 0 ? undefined : radius, fill });
  if (shape !== 'picture') return ground;
  const d = `M${at(0.08, 0.9)}V${decimal(y + 0.6 * height)}L${at(0.35, 0.35)}L${at(0.65, 0.7)}L${at(0.92, 0.52)}V${decimal(y + 0.9 * height)}Z`;
  return ground + element('path', { d, fill: '#333' });
}

/** A colour as SVG writes it. */
export function rgb({ r, g, b }: Omit<Color, 'a'>): string {
  const parts = [r, g, b].map((part) => Math.min(255, Math.max(0, Math.round(part))));
  return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}
