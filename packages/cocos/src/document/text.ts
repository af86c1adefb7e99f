import { CocosError } from './cocos-error.ts';
import type { Json } from './json.ts';

/** How a JSON file is written. */
export interface TextStyle {
  readonly bom: boolean;
  readonly eol: '\n' | '\r\n';
  readonly indent: string;
  readonly finalNewline: boolean;
  /** The text it was read from. */
  readonly source?: string | undefined;
  /** Whether that is how we print its value; unknown where absent. */
  readonly isRegular?: boolean | undefined;
}

/** How the editor writes scenes and prefabs. */
export const tableStyle: TextStyle = { bom: false, eol: '\n', indent: '  ', finalNewline: false };

/** How the editor writes metas. */
export const metaStyle: TextStyle = { bom: false, eol: '\n', indent: '  ', finalNewline: true };

const bom = '\uFEFF';

function styleOf(text: string): TextStyle {
  const start = text.startsWith(bom) ? 1 : 0;
  const lineEnd = text.indexOf('\n');
  const eol = lineEnd > 0 && text[lineEnd - 1] === '\r' ? '\r\n' : '\n';
  const finalNewline = text.endsWith('\n');
  const indent = /^[[{]\r?\n([ \t]+)/.exec(text.slice(start, start + 80))?.[1] ?? '';
  return { bom: start === 1, eol, indent, finalNewline, source: text };
}

/** Parses a JSON file and remembers how it is written; `name` is what messages call it. */
export function parseText(
  text: string,
  name = 'This',
): { readonly value: Json; readonly style: TextStyle } {
  const style = styleOf(text);
  try {
    return { value: JSON.parse(style.bom ? text.slice(1) : text) as Json, style };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CocosError('E_INVALID_ARGUMENT', `${name} is not JSON: ${reason}`, {
      suggestion: 'Restore it from version control, or settle the merge conflict in it.',
      cause: error,
    });
  }
}

function printPlain(value: Json, style: TextStyle): string {
  let text = JSON.stringify(value, null, style.indent);
  if (style.finalNewline) text += '\n';
  if (style.eol === '\r\n') text = text.replaceAll('\n', '\r\n');
  return style.bom ? bom + text : text;
}

/** Up to this many characters a file is compared as a whole. */
const smallFile = 200_000;

/**
 * The part of `source` in which it differs from `printed`, as a list of whole entries: the rest is regular, because it is as we
 * print it. Undefined where that cannot be told.
 */
function differingPart(source: string, printed: string, style: TextStyle): string | undefined {
  const step = 4096;
  let before = 0;
  while (source.slice(before, before + step) === printed.slice(before, before + step)) {
    before += step;
    if (before > source.length) break;
  }
  let after = 0;
  const most = Math.min(source.length, printed.length) - before;
  while (
    after + step < most &&
    source.slice(source.length - after - step, source.length - after) ===
      printed.slice(printed.length - after - step, printed.length - after)
  ) {
    after += step;
  }
  const open = `${style.eol}${style.indent}{${style.eol}`;
  const close = `${style.eol}${style.indent}}`;
  const start = source.lastIndexOf(open, before - open.length);
  const end = source.indexOf(close, source.length - after);
  if (start < 0 || end < 0) return undefined;
  return `[${source.slice(start, end + close.length)}${style.eol}]`;
}

/** Tells whether a text is what we would print of its value. */
function isRegular(text: string, style: TextStyle): boolean {
  try {
    return printPlain(JSON.parse(style.bom ? text.slice(1) : text) as Json, style) === text;
  } catch {
    return false;
  }
}

/** Tells whether `printed` is `source` but for its writing: numbers, escapes, spaces that we would write otherwise. */
function isSameValue(
  source: string,
  { printed, original }: { readonly printed: string; readonly original?: Json | undefined },
  style: TextStyle,
): boolean {
  if (source.length > smallFile) {
    const part = differingPart(source, printed, style);
    const isSmall = part !== undefined && part.length <= smallFile;
    if (isSmall && isRegular(part, { ...style, bom: false, finalNewline: false })) return false;
    if (original !== undefined && printPlain(original, style) === source) return false;
  }
  const text = style.bom ? source.slice(1) : source;
  return printPlain(JSON.parse(text) as Json, style) === printed;
}

/**
 * Prints a value in a style; a value that is still what was parsed gives the very text it was parsed from. `original` is what was
 * parsed, where somebody still has it.
 */
export function printText(value: Json, style: TextStyle, original?: Json): string {
  const printed = printPlain(value, style);
  const { source, isRegular: isOurs = false } = style;
  if (source === undefined || isOurs || source === printed) return printed;
  return isSameValue(source, { printed, original }, style) ? source : printed;
}
