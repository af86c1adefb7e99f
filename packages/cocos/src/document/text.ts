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

/** Prints a value as we write it. */
export function printPlain(value: Json, style: TextStyle): string {
  let text = JSON.stringify(value, null, style.indent);
  if (style.finalNewline) text += '\n';
  if (style.eol === '\r\n') text = text.replaceAll('\n', '\r\n');
  return style.bom ? bom + text : text;
}

/** Prints a value in a style; a value that is still what was parsed gives the very text it was parsed from. */
export function printText(value: Json, style: TextStyle): string {
  const printed = printPlain(value, style);
  const { source } = style;
  if (source === undefined || source === printed) return printed;
  return printPlain(parseText(source).value, style) === printed ? source : printed;
}
