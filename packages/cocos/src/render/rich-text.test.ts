import { expect, test } from 'vitest';
import { drawRichText } from './rich-text.ts';

const box = { x: 0, y: 0, width: 100, height: 100 };
const draw = (text: string): string =>
  drawRichText({ __type__: 'cc.RichText', _string: text, _fontSize: 20 }, box);

test('tags become styles, and what is no tag is text', () => {
  const picture = draw('a<b>bold</b><color=#ff0000>red</color><size = "30">large</size> 1 < 2');
  expect(picture).toContain('<tspan fill="#ffffff" font-weight="bold">bold</tspan>');
  expect(picture).toContain('<tspan fill="#ff0000">red</tspan>');
  expect(picture).toContain('font-size="30">large</tspan>');
  expect(picture).toContain('&lt;');
});

test.each(['<a', '<a=x', '<a=', '<a ', '<'])(
  'a tag that is never closed costs little: %s…',
  (part) => {
    const text = `${part.repeat(1000)}${part}${'x'.repeat(100_000)}`;
    const before = process.cpuUsage();
    draw(text);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(1500);
  },
);
