import { type Entry, textOf } from '#cocos/document';
import { rgb } from './built-in-sprite.ts';
import { type Box, numberIn } from './geometry.ts';
import { fontOf } from './label.ts';
import { colorOf } from './sprite.ts';
import { element, escapeXml } from './svg.ts';
import { textWidth } from './text-metrics.ts';

interface Style {
  readonly color: string;
  readonly size: number;
  readonly isBold: boolean;
  readonly isItalic: boolean;
  readonly isUnderlined: boolean;
}

interface Run extends Style {
  readonly text: string;
}

/** A tag is short: one that is never closed would be read to the end of the text, again from each place in it. */
const tagOrText =
  /<(\/?)(\w{1,20})(?:\s{0,9}=\s{0,9}["']?([^"'<>\s]{1,100})["']?)?[^<>]{0,200}>|([^<]+|<)/g;

/** A text with tags in the area of its node. */
export function drawRichText(richText: Entry, box: Box): string {
  const lines = linesOf(richText);
  const lineHeight = numberIn(richText, '_lineHeight', 40);
  const across = numberIn(richText, '_horizontalAlign') / 2;
  const anchor = ['start', 'middle', 'end'][across * 2] ?? 'start';
  const top = box.y + (box.height - lines.length * lineHeight) / 2;
  const fontSize = numberIn(richText, '_fontSize', 40);
  return lines
    .map((runs, index) => {
      const spans = runs.map((run) =>
        element(
          'tspan',
          {
            fill: run.color,
            'font-size': run.size === fontSize ? undefined : run.size,
            'font-weight': run.isBold ? 'bold' : undefined,
            'font-style': run.isItalic ? 'italic' : undefined,
            'text-decoration': run.isUnderlined ? 'underline' : undefined,
          },
          escapeXml(run.text),
        ),
      );
      const x = box.x + across * box.width;
      const y = top + (index + 0.5) * lineHeight + 0.35 * fontSize;
      const font = fontOf(richText, fontSize);
      return element('text', { ...font, x, y, 'text-anchor': anchor }, spans.join(''));
    })
    .join('');
}

function linesOf(richText: Entry): Run[][] {
  const width = numberIn(richText, '_maxWidth');
  const lines: Run[][] = [[]];
  let used = 0;
  const add = (run: Run): void => {
    for (const word of width > 0 ? (run.text.match(/\S+\s*|\s+/g) ?? []) : [run.text]) {
      const size = textWidth(word, run.size);
      if (width > 0 && used > 0 && used + size > width) newLine();
      used += size;
      lines.at(-1)?.push({ ...run, text: word });
    }
  };
  const newLine = (): void => {
    lines.push([]);
    used = 0;
  };
  for (const run of runsOf(richText)) {
    run.text.split('\n').forEach((text, index) => {
      if (index > 0) newLine();
      if (text !== '') add({ ...run, text });
    });
  }
  return lines;
}

function runsOf(richText: Entry): Run[] {
  const start: Style = {
    color: rgb(colorOf(richText['_fontColor'])),
    size: numberIn(richText, '_fontSize', 40),
    isBold: false,
    isItalic: false,
    isUnderlined: false,
  };
  const styles: Style[] = [start];
  const runs: Run[] = [];
  for (const [, slash, tag = '', value = '', text] of textOf(richText['_string']).matchAll(
    tagOrText,
  )) {
    const style = styles.at(-1) ?? start;
    if (text !== undefined) runs.push({ ...style, text });
    else if (tag === 'br') runs.push({ ...style, text: '\n' });
    else if (tag === 'img') continue;
    else if (slash === '/') styles.splice(Math.max(1, styles.length - 1));
    else styles.push(styled(style, tag, value));
  }
  return runs;
}

function styled(style: Style, tag: string, value: string): Style {
  if (tag === 'color' && /^#?[0-9a-z]+$/i.test(value)) {
    return { ...style, color: /^([0-9a-f]{3}){1,2}$/i.test(value) ? `#${value}` : value };
  }
  if (tag === 'size' && Number(value) > 0) return { ...style, size: Number(value) };
  if (tag === 'b') return { ...style, isBold: true };
  if (tag === 'i') return { ...style, isItalic: true };
  return tag === 'u' ? { ...style, isUnderlined: true } : style;
}
