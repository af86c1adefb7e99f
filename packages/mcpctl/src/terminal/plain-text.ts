/** What a terminal obeys, hides or reorders instead of showing. */
const unseen = String.raw`\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800`;

/** Scripts whose words need joiners to be written right. */
const joining = (
  'Arabic Syriac Mongolian Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada ' +
  'Malayalam Sinhala Khmer Myanmar'
).replaceAll(/\w+ ?/g, (script) => String.raw`\p{Script=${script.trim()}}`);

/** What belongs to what stands before it: within an emoji, or within a word. */
const rightful = [
  String.raw`(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F])\u200D(?=\p{Extended_Pictographic})`,
  String.raw`(?<=\p{Emoji})[\uFE0E\uFE0F]`,
  String.raw`(?<=[${joining}])[\u200C\u200D](?=[${joining}])`,
].join('|');

/** More marks on one letter than any language has: they would be painted over the lines around. */
const piled = String.raw`(?<=\p{M}{8})\p{M}`;

const suspicious = new RegExp(`(${rightful}|[\\n\\t])|[${unseen}]|${piled}`, 'gu');
const harmless = /^[\x20-\x7E\n\t]*$/;

/**
 * Text of others as it may be shown on a terminal: it cannot move the cursor, colour, hide or reorder anything.
 * What would is shown as JSON escapes it, so that JSON stays the same JSON. Lines and tabs are kept.
 */
export function plainText(text: string): string {
  if (harmless.test(text)) return text;
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll(suspicious, (found: string, kept: string | undefined) => kept ?? escaped(found));
}

/** The same on one line: whatever white space there is becomes one blank. */
export function plainLine(text: string): string {
  return plainText(text.replaceAll(/[\s\u0085]+/gu, ' ').trim());
}

/** The same on one line with nothing left out, for what somebody decides by: line breaks and tabs are escaped, too. */
export function plainField(text: string): string {
  return plainText(text.replaceAll('\n', String.raw`\n`).replaceAll('\t', String.raw`\t`));
}

/** The same with its lines below the first set in, so that none of them can pass for a line of somebody else's. */
export function plainParagraph(text: string): string {
  return plainText(text).replaceAll('\n', '\n    ');
}

function escaped(text: string): string {
  let written = '';
  for (let at = 0; at < text.length; at++) {
    written += `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`;
  }
  return written;
}
