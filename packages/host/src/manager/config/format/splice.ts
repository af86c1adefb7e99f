/** A part of a text, and what comes in its place; nothing is replaced where it begins and ends at once. */
export interface Splice {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** Puts a text in. */
export function insertAt(at: number, text: string): Splice {
  return { from: at, to: at, text };
}

/** The text with its parts replaced; what two splices put at one place stands in their order. */
export function spliced(text: string, splices: readonly Splice[]): string {
  const parts: string[] = [];
  let done = 0;
  for (const splice of splices.toSorted((a, b) => a.from - b.from)) {
    parts.push(text.slice(done, splice.from), splice.text);
    done = splice.to;
  }
  return parts.join('') + text.slice(done);
}

/** Where the line of a character begins. */
export function lineStart(text: string, at: number): number {
  return text.lastIndexOf('\n', at - 1) + 1;
}

/** Where the line of a character ends, before its line break. */
export function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  if (end === -1) return text.length;
  return end > at && text[end - 1] === '\r' ? end - 1 : end;
}

/** The white space that the line of a character begins with. */
export function indentOf(text: string, at: number): string {
  return /^[ \t]*/.exec(text.slice(lineStart(text, at)))?.[0] ?? '';
}

/** How lines end in a text. */
export function eolOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

/** Where white space before a character begins. */
export function solidBefore(text: string, at: number): number {
  let end = at;
  while (end > 0 && /\s/.test(text[end - 1] ?? '')) end -= 1;
  return end;
}
