/** How wide letters of a usual sans-serif font are, in thousandths of its size, from the space on. */
const widths = [
  278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556,
  556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
  611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667,
  667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500,
  222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];

const isWide = /[\u1100-\u11FF\u2E80-\uA4CF\uAC00-\uD7AF\uF900-\uFAFF\uFE30-\uFE4F\uFF00-\uFF60]/;

function letterWidth(letter: string): number {
  const code = letter.codePointAt(0) ?? 0;
  return widths[code - 32] ?? (isWide.test(letter) || code > 0xffff ? 1000 : 556);
}

/** About how wide a text is: no font is at hand to measure it by. */
export function textWidth(text: string, fontSize: number): number {
  let width = 0;
  for (const letter of text) width += letterWidth(letter);
  return (width * fontSize) / 1000;
}

/** The lines of a text in a width: broken between words, and within those that are too long. */
export function wrap(text: string, fontSize: number, width: number): string[] {
  return text.split('\n').flatMap((line) => wrapLine(line, fontSize, width));
}

function wrapLine(line: string, fontSize: number, width: number): string[] {
  const fits = (text: string): boolean => textWidth(text.trimEnd(), fontSize) <= width;
  const lines: string[] = [];
  let current = '';
  for (const word of line.match(
    /[\u2E80-\uA4CF\uAC00-\uD7AF\uF900-\uFAFF]|[^\s\u2E80-\uA4CF\uAC00-\uD7AF\uF900-\uFAFF]+\s*|\s+/g,
  ) ?? []) {
    if (current !== '' && !fits(current + word)) {
      lines.push(current.trimEnd());
      current = '';
    }
    current += word;
    while (!fits(current) && current.length > 1) {
      const end = breakAt(current, fits);
      lines.push(current.slice(0, end));
      current = current.slice(end);
    }
  }
  return [...lines, current.trimEnd()];
}

/** How many letters of a word fit, at least one. */
function breakAt(text: string, fits: (part: string) => boolean): number {
  let end = 1;
  while (end < text.length && fits(text.slice(0, end + 1))) end += 1;
  return end;
}
