/** Characters of East Asian width W and F that are not emoji: the blocks they fill. */
const wide =
  /[\u1100-\u115F\u2329\u232A\u2E80-\u303E\u3041-\u3247\u3250-\u4DBF\u4E00-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE10-\uFE19\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{16FE0}-\u{18DFF}\u{1AFF0}-\u{1B2FF}\u{1F200}-\u{1F265}\u{20000}-\u{3FFFD}]/u;
const emoji = /\p{Emoji_Presentation}|\p{Emoji}\uFE0F/u;
/** What is painted over or joined to the character before it. */
const attached = /^(?:\p{Mn}|\p{Me}|[\u1160-\u11FF]|\u200C|\u200D)+$/u;
const narrow = /^[\x20-\x7E]*$/;
/** Code units of one character at most: twice what a family of emoji has. */
const longest = 64;

/** Whether a code point is a part of the emoji before it: another person, a skin, the other half of a flag. */
function isPartOf(before: string, point: string): boolean {
  if (before.endsWith('\u200D')) return /\p{Extended_Pictographic}/u.test(point);
  if (/\p{Emoji_Modifier}/u.test(point)) return emoji.test(before);
  return /^\p{Regional_Indicator}{2}$/u.test(before + point);
}

/** What is seen as single characters. Not `Intl.Segmenter`, whose time grows with the square of the length. */
function* characters(line: string): Generator<string, void, undefined> {
  let before = '';
  for (const point of line) {
    const goesOn = before !== '' && before.length < longest;
    if (goesOn && (attached.test(point) || isPartOf(before, point))) {
      before += point;
    } else {
      if (before !== '') yield before;
      before = point;
    }
  }
  if (before !== '') yield before;
}

function widthOf(character: string): number {
  if (narrow.test(character)) return 1;
  if (emoji.test(character) || wide.test(character)) return 2;
  return attached.test(character) ? 0 : 1;
}

/** Longer lines are no part of a table that anybody looks at; each character of one would be looked up. */
const longestLine = 10_000;

/** How many cells of a terminal a line takes that `plainText` has seen. */
export function displayWidth(line: string): number {
  if (line.length > longestLine || narrow.test(line)) return line.length;
  let cells = 0;
  for (const character of characters(line)) cells += widthOf(character);
  return cells;
}

/** The line within so many cells; what does not fit ends in an ellipsis. */
export function fit(line: string, cells: number): string {
  if (line.length <= cells && (line.length > longestLine || narrow.test(line))) return line;
  let used = 0;
  let kept = '';
  for (const character of characters(line)) {
    used += widthOf(character);
    if (used > cells) return cells < 1 ? '' : `${kept.trimEnd()}…`;
    if (used < cells) kept += character;
  }
  return line;
}

/** The line, filled with blanks to so many cells. */
export function pad(line: string, cells: number): string {
  return line + ' '.repeat(Math.max(0, cells - displayWidth(line)));
}
